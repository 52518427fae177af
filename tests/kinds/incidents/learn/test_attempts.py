"""Attempts in columns say of incidents what comparing them one by one says."""

import pytest

from quipu.kinds.incidents.case_base import read_cases
from quipu.kinds.incidents.learn.attempts import Attempts
from quipu.kinds.incidents.likeness import features
from quipu.memory import Memory


def test_kinds_are_those_of_the_incidents_one_by_one(memory: Memory) -> None:
    for day in range(1, 13):
        metrics = {"latency_p99": 90.0 * day**2, "error_rate": 0.03 * day}
        memory.incidents.add(
            {
                "component": f"svc-{day % 3}",
                "timestamp": f"2026-02-{day:02d}T10:00:00Z",
                "metrics": dict(list(metrics.items())[: day % 3]),
                "severity": ("low", "medium", "high", "critical")[day % 4],
            }
        )
    attempts = Attempts(read_cases(memory.store))
    assert len(attempts.incidents) == 12
    for one in attempts.incidents:
        said = [features(one, other).kind for other in attempts.incidents]
        assert attempts.kinds(one).tolist() == pytest.approx(said, abs=1e-12)
        assert len(set(said)) > 2

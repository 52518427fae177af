"""When action policies apply, rest, and cannot work."""

from pathlib import Path

import msgspec
import pytest

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import Metrics
from quipu.kinds.incidents.policies import (
    SHIPPED,
    ActionPolicy,
    Taken,
    actions_of,
    evaluate,
    read_policies,
)
from quipu.when.instants import to_epoch

AT = "2026-02-01T10:00:00.000Z"
POLICY = msgspec.convert(
    {
        "name": "p",
        "conditions": [{"metric": "error_rate", "operator": "gt", "threshold": 0.1}],
        "actions": ["rollback", "alert_team"],
        "max_executions_per_hour": 2,
    },
    ActionPolicy,
)


@pytest.mark.parametrize(
    ("metrics", "names"),
    [
        (Metrics(latency_p99=300), []),
        (Metrics(latency_p99=301), ["moderate_latency_circuit_breaker"]),
        (Metrics(latency_p99=501), ["high_latency_restart", "moderate_latency_circuit_breaker"]),
        (Metrics(error_rate=0.2), ["high_error_rate_traffic_shift"]),
        (
            Metrics(error_rate=0.31),
            ["critical_error_rate_rollback", "high_error_rate_traffic_shift"],
        ),
        (Metrics(cpu_util=0.95), []),
        (Metrics(cpu_util=0.95, memory_util=0.95), ["resource_exhaustion_scale"]),
    ],
)
def test_the_shipped_policies_apply_as_documented(metrics: Metrics, names: list[str]) -> None:
    assert [match.policy for match in evaluate(SHIPPED, metrics)] == names


@pytest.mark.parametrize(
    ("minutes", "actions", "at", "state", "until"),
    [
        ((56,), ("rollback",), AT, "cooling_down", "2026-02-01T10:01:00.000Z"),
        ((56,), ("rollback",), "2026-02-01T10:01:00.000Z", "applies", None),
        ((56,), ("scale_out",), AT, "applies", None),
        ((10, 30), ("rollback", "restart"), AT, "hourly_cap", "2026-02-01T10:10:00.000Z"),
        ((10,), ("rollback",), AT, "applies", None),
        ((56,), ("rollback",), None, "applies", None),
    ],
)
def test_a_policy_rests_after_its_actions_were_taken(minutes, actions, at, state, until) -> None:
    taken = [Taken(to_epoch(f"2026-02-01T09:{m}:00.000Z"), actions) for m in minutes]
    (match,) = evaluate([POLICY], Metrics(error_rate=0.5), at=at, taken=taken)
    assert (match.state, match.until) == (state, until)
    assert bool(actions_of([match])) == (state == "applies")


GOOD = (
    "  - name: slow\n    conditions: ['latency_p99 > 800', 'error_rate <= 0.1']\n"
    "    actions: [scale_out]\n"
)


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "p.yaml"
    path.write_text(text, "utf-8")
    return path


def test_a_sound_policy_is_read_with_its_defaults(tmp_path: Path) -> None:
    ((policy,), problems) = read_policies(_file(tmp_path, f"policies:\n{GOOD}"))
    assert problems == ()
    assert list(map(str, policy.conditions)) == ["latency_p99 > 800", "error_rate ≤ 0.1"]
    assert (policy.priority, policy.cool_down_seconds, policy.enabled) == (3, 300, True)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("  - {name: x, conditions: ['cpu_util > 0.5'], actions: [dance]}\n", "'dance'"),
        ("  - {name: x, conditions: ['cpu_util ~ 0.5'], actions: [rollback]}\n", "cannot be read"),
        ("  - {name: x, conditions: ['cpu_util > much'], actions: [rollback]}\n", "> much'"),
        ("  - {name: x, conditions: ['speed > 1'], actions: [rollback]}\n", "'speed'"),
        ("  - {name: x, actions: [rollback]}\n", "conditions"),
        ("  - {name: x, conditions: ['cpu_util > 0.5'], actions: []}\n", "actions"),
        ("  - {name: x, conditions: ['cpu_util > 0.5'], actions: [rollback], speed: 1}\n", "speed"),
        ("  - {name: x, priority: 6, condition: cpu_util > .5, actions: rollback}\n", "priority"),
        ("  - 5\n", "5 is no policy"),
        (GOOD, "stands here twice"),
    ],
)
def test_a_bad_policy_is_named_and_the_rest_is_used(tmp_path: Path, row: str, said: str) -> None:
    (kept, problems) = read_policies(_file(tmp_path, f"policies:\n{GOOD}{row}"))
    assert [each.name for each in kept] == ["slow"]
    (problem,) = problems
    assert said in problem.error
    assert problem.path.endswith("p.yaml#2")


def test_yaml_that_is_none_or_has_no_end_is_told(tmp_path: Path) -> None:
    aliases = (f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 20))
    endless = f"a0: &a0 [x]\n{''.join(aliases)}policies: [*a19]\n"
    for text, said in (("policies: [!!bool x]\n", "is not YAML"), (endless, "too large")):
        with pytest.raises(InvalidInput, match=said):
            read_policies(_file(tmp_path, text))

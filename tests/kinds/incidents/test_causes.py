"""What is taken for the cause of an incident, and what is not."""

from pathlib import Path
from typing import Any

import pytest

from quipu.kinds.incidents.case_base import edges_between, read_cases
from quipu.memory import Memory

DAY = "2026-02-03T"


def _record(component: str, time: str, **more: Any) -> dict[str, Any]:
    return {"component": component, "timestamp": f"{DAY}{time}:00Z", **more}


SLOW = {"latency_p99": 900, "error_rate": 0.02, "cpu_util": 0.97, "memory_util": 0.95}
FAILING = {"latency_p99": 100, "error_rate": 0.5}


def _edges(memory: Memory, kind: str) -> dict[tuple[str, str], float]:
    book = read_cases(memory.store)
    names = {
        c.incident.incident_id: f"{c.incident.component} {(c.incident.timestamp or '')[11:16]}"
        for c in book.cases
    }
    found = edges_between(memory.store, list(names))
    return {
        (names[e.source_id], names.get(e.target_id, e.target_id)): e.confidence
        for e in found
        if e.type == kind
    }


def test_calm_numbers_are_no_failure_and_a_stated_cause_is(memory: Memory) -> None:
    calm = {"cpu_util": 0.2, "error_rate": 0.0}
    memory.incidents.add(
        [
            _record("db", "10:00", metrics=calm),
            _record("queue", "10:00", metrics=calm, root_cause="a lock was never released"),
            _record("shop", "10:02", severity="critical", upstream_deps=["db", "queue"]),
        ]
    )
    assert set(_edges(memory, "CAUSED_BY")) == {("shop 10:02", "queue 10:00")}


def test_a_stated_cause_names_the_service_that_failed(memory: Memory) -> None:
    memory.incidents.add(
        [
            _record("session-cache", "09:00", severity="critical"),
            _record("search", "09:00", severity="critical"),
            _record("checkout", "10:00", root_cause="The session cache had run out of memory"),
        ]
    )
    assert _edges(memory, "CAUSED_BY") == {("checkout 10:00", "session-cache 09:00"): 0.95}


def test_what_failed_resolved_nothing(memory: Memory) -> None:
    tried = [
        {"actions_taken": ["restart_container"], "success": False},
        {"actions_taken": ["scale_out"], "success": True, "confidence": 0.7},
    ]
    memory.incidents.add(_record("db", "10:00", severity="critical", outcomes=tried))
    (case,) = read_cases(memory.store).cases
    found = edges_between(memory.store, [case.incident.incident_id])
    (resolved,) = [edge for edge in found if edge.type == "RESOLVED_BY"]
    assert resolved.confidence == 0.7
    assert len(case.outcomes) == 2
    (like,) = memory.incidents.similar({"component": "db", "severity": "critical"}).incidents
    assert {each.success for each in like.outcomes} == {True, False}


def test_what_got_graver_escalated_and_the_likest_are_tied_with_their_evidence(
    memory: Memory,
) -> None:
    memory.incidents.add(
        [
            _record("db", "10:00", metrics={"latency_p99": 200}, title="slow disk"),
            _record("db", "10:20", metrics={"latency_p99": 350}, title="slow disk"),
            _record("db", "10:40", metrics={"latency_p99": 900}),
            _record("db", "13:00", metrics={"latency_p99": 900}),
        ]
    )
    assert set(_edges(memory, "ESCALATED_FROM")) == {
        ("db 10:20", "db 10:00"),
        ("db 10:40", "db 10:20"),
    }
    assert ("db 10:20", "db 10:00") in _edges(memory, "SIMILAR_TO")
    latest, *_ = memory.incidents.list(until=f"{DAY}10:20:00Z").incidents
    alike = memory.incidents.show(latest.incident_id).edges
    assert any("same component db" in edge.evidence for edge in alike)


def test_a_dependency_that_failed_before_is_the_cause(memory: Memory) -> None:
    memory.incidents.add(
        [
            _record("db", "10:00", metrics=SLOW),
            _record("ledger", "10:10", metrics=SLOW, upstream_deps=["db"]),
            _record("payments", "10:15", metrics=FAILING, upstream_deps=["ledger"]),
            _record("search", "10:05", metrics=SLOW),
            _record("ledger", "12:00", metrics=SLOW),
        ]
    )
    found = _edges(memory, "CAUSED_BY")
    assert set(found) == {
        ("ledger 10:10", "db 10:00"),
        ("payments 10:15", "ledger 10:10"),
        ("payments 10:15", "db 10:00"),
    }
    assert found["ledger 10:10", "db 10:00"] == pytest.approx(0.9 * 0.5 ** (10 / 15), abs=1e-3)
    assert found["payments 10:15", "db 10:00"] == pytest.approx(0.9 * 0.5 * 0.7, abs=1e-3)


def test_the_order_of_arrival_does_not_matter(open_memory: Any, tmp_path: Path) -> None:
    reports = [
        _record("db", "10:00", metrics=SLOW),
        _record("ledger", "10:10", metrics=SLOW, upstream_deps=["db"]),
        _record("ledger", "09:40", metrics={"latency_p99": 320}, upstream_deps=["db"]),
    ]
    seen: list[Any] = []
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        with open_memory("memory:", tmp_path) as memory:
            for at in order:
                memory.incidents.add(reports[at])
            seen.append([_edges(memory, k) for k in ("CAUSED_BY", "ESCALATED_FROM", "SIMILAR_TO")])
    for kind in range(3):
        assert seen[1][kind] == pytest.approx(seen[0][kind], abs=1e-3)
        assert seen[2][kind] == pytest.approx(seen[0][kind], abs=1e-3)
    assert seen[0][0]
    assert seen[0][1]

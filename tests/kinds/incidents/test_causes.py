"""What is taken for the cause of an incident, and what is not."""

from typing import Any

from quipu.kinds.incidents.case_base import edges_between, read_cases
from quipu.memory import Memory

DAY = "2026-02-03T"


def _record(component: str, time: str, **more: Any) -> dict[str, Any]:
    return {"component": component, "timestamp": f"{DAY}{time}:00Z", **more}


def _causes(memory: Memory) -> dict[tuple[str, str], float]:
    named = {c.incident.incident_id: c.incident.component for c in read_cases(memory.store).cases}
    return {
        (named[edge.source_id], named[edge.target_id]): edge.confidence
        for edge in edges_between(memory.store, list(named))
        if edge.type == "CAUSED_BY"
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
    assert set(_causes(memory)) == {("shop", "queue")}


def test_a_stated_cause_names_the_service_that_failed(memory: Memory) -> None:
    memory.incidents.add(
        [
            _record("session-cache", "09:00", severity="critical"),
            _record("search", "09:00", severity="critical"),
            _record("checkout", "10:00", root_cause="The session cache had run out of memory"),
        ]
    )
    assert _causes(memory) == {("checkout", "session-cache"): 0.95}


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
    cases = [case.incident for case in read_cases(memory.store).cases]
    times = {each.incident_id: (each.timestamp or "")[11:16] for each in cases}
    found = edges_between(memory.store, list(times))
    graver = [e for e in found if e.type == "ESCALATED_FROM"]
    assert {(times[e.source_id], times[e.target_id]) for e in graver} == {
        ("10:20", "10:00"),
        ("10:40", "10:20"),
    }
    (alike,) = [
        e
        for e in found
        if e.type == "SIMILAR_TO" and (times[e.source_id], times[e.target_id]) == ("10:20", "10:00")
    ]
    assert "same component db" in alike.evidence

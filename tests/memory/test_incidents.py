"""Incidents in a memory: written once, tied by rule, found again, never leaking the future."""

from pathlib import Path
from typing import Any

from quipu.kinds.incidents.case_base import read_cases
from quipu.memory import Memory
from quipu.records.record import Entity

DAY = "2026-02-01T"


def record(component: str, time: str, **more: Any) -> dict[str, Any]:
    return {"component": component, "timestamp": time, **more}


SLOW = {"latency_p99": 900, "error_rate": 0.02, "cpu_util": 0.97, "memory_util": 0.95}
FAILING = {"latency_p99": 100, "error_rate": 0.5}


def test_secrets_are_redacted_everywhere(memory: Memory) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLQ"[:16]
    memory.incidents.add(
        record(
            "a",
            f"{DAY}10:00:00Z",
            title=f"key {key}",
            root_cause=key,
            tags=[key],
            user_impact=key,
            pointer=f"http://x.example/{key}",
            outcomes=[{"actions_taken": [f"used {key}"], "success": True, "lessons_learned": key}],
        )
    )
    for kind in ("episode", "chunk", "entity", "relation"):
        assert key not in repr(memory.store.scan(kind))  # type: ignore[arg-type]


def test_the_most_alike_incident_comes_first_with_its_outcomes(memory: Memory) -> None:
    (first,) = memory.incidents.add(
        record("a", f"{DAY}10:00:00Z", metrics=SLOW, title="Pool exhausted")
    ).added
    memory.incidents.add(record("b", f"{DAY}11:00:00Z", metrics=FAILING, title="Bad release"))
    memory.incidents.outcome(first, "scale_out", success=True, recorded_at=f"{DAY}10:30:00Z")
    found = memory.incidents.similar({"component": "a", "metrics": SLOW, "title": "Pool is full"})
    assert found.incidents[0].incident_id == first
    assert found.incidents[0].outcomes[0].actions_taken == ("scale_out",)
    assert {"features", "similarity"} <= set(found.incidents[0].parts)
    early = memory.incidents.similar({"component": "a", "metrics": SLOW}, as_of=f"{DAY}10:10:00Z")
    assert early.incidents[0].outcomes == ()


def test_the_exchange_form_comes_back_without_loss(
    memory: Memory, open_memory: Any, tmp_path: Path
) -> None:
    memory.incidents.add(
        [
            record(
                "db",
                f"{DAY}10:00:00Z",
                metrics={**SLOW, "throughput": 3},
                severity="high",
                root_cause="disk full",
                tags=["t"],
                user_impact="all",
                outcomes=[{"actions_taken": ["odd thing", "rollback"], "success": False}],
            ),
            record("a", f"{DAY}10:05:00Z", metrics=FAILING, upstream_deps=["db"]),
            record("a", "2026-02-03T10:05:00Z", metrics=FAILING),
            {"component": "a", "title": "no time"},
        ]
    )
    memory.incidents.export(tmp_path / "a.json")
    with open_memory("memory:", tmp_path, clock=lambda: "2027-01-01T00:00:00.000Z") as other:
        moved = other.incidents.import_(tmp_path / "a.json")
        assert moved.errors == ()
        other.incidents.import_(tmp_path / "a.json")
        other.incidents.export(tmp_path / "b.json")
        assert len(read_cases(other.store).cases) == 4
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_an_incident_opens_by_its_id_and_answers_questions(memory: Memory) -> None:
    (named,) = memory.incidents.add(
        record(
            "ledger",
            f"{DAY}10:00:00Z",
            metrics=SLOW,
            title="Ledger bookings time out",
            root_cause="the connection pool was exhausted",
            outcomes=[
                {"actions_taken": ["scale_out"], "success": True, "recorded_at": f"{DAY}10:30:00Z"}
            ],
        )
    ).added
    found = memory.get(named)
    assert isinstance(found, Entity)
    assert found.properties["component"] == "ledger"
    hits = memory.search("why did ledger bookings time out?").hits
    told = {hit.source_type: hit.text for hit in hits}
    assert "connection pool was exhausted" in told["incident"]
    assert "scale out worked" in told["incident_outcome"]

"""Incidents in a memory: written once, tied by rule, found again, never leaking the future."""

import json
from pathlib import Path
from typing import Any

import pytest

from quipu.agents.knowledge import KnowledgeEntity, KnowledgeGraph, KnowledgeRelation
from quipu.config import Config, IncidentsConfig
from quipu.errors import UnknownRecord
from quipu.kinds.incidents.case_base import edges_between, read_cases
from quipu.memory import Memory
from quipu.records.record import Entity

DAY = "2026-02-01T"


def record(component: str, time: str, **more: Any) -> dict[str, Any]:
    return {"component": component, "timestamp": time, **more}


SLOW = {"latency_p99": 900, "error_rate": 0.02, "cpu_util": 0.97, "memory_util": 0.95}
FAILING = {"latency_p99": 100, "error_rate": 0.5}


def edges(memory: Memory, kind: str) -> dict[tuple[str, str], float]:
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


def test_the_same_report_again_changes_nothing(memory: Memory) -> None:
    first = memory.incidents.add(record("ledger", f"{DAY}10:00:00Z", metrics=SLOW))
    before = memory.store.sequence()
    again = memory.incidents.add(record("ledger", f"{DAY}10:00:00Z", metrics=SLOW))
    assert again.unchanged == first.added
    assert again.added == ()
    assert memory.store.sequence() == before


def test_reports_of_one_window_add_up_to_one_incident(memory: Memory) -> None:
    memory.incidents.add(record("a", f"{DAY}10:01:00Z", metrics={"latency_p99": 400}, source="one"))
    memory.incidents.add(record("a", f"{DAY}10:03:00Z", metrics={"error_rate": 0.4}, source="two"))
    (case,) = read_cases(memory.store).cases
    assert case.incident.metrics.known() == {"latency_p99": 400, "error_rate": 0.4}
    assert case.incident.severity == "CRITICAL"
    assert case.incident.timestamp == f"{DAY}10:01:00.000Z"


def test_a_report_of_the_same_source_takes_the_place_of_the_first(memory: Memory) -> None:
    memory.incidents.add(record("a", f"{DAY}10:01:00Z", title="Old words"))
    memory.incidents.add(record("a", f"{DAY}10:01:00Z", title="New words"))
    (case,) = read_cases(memory.store).cases
    assert case.incident.title == "New words"
    assert memory.store.counts()["chunk"] == 1


def test_every_field_comes_back(memory: Memory) -> None:
    given: dict[str, Any] = {
        "severity": "high",
        "metrics": {**SLOW, "throughput": 12},
        "affected_services": ["payments"],
        "upstream_deps": ["db"],
        "user_impact": "some",
        "pointer": "http://logs.example/1",
    }
    memory.incidents.add(record("ledger", f"{DAY}10:00:00Z", root_cause="pool exhausted", **given))
    incident = read_cases(memory.store).cases[0].incident
    assert (incident.severity, incident.source_severity) == ("WARN", "high")
    assert incident.blast_radius == "multi-service"
    assert incident.metrics.known() == given["metrics"]
    assert incident.upstream_deps == ("db",)
    assert incident.extra == {"user_impact": "some"}
    assert incident.pointer == given["pointer"]
    assert incident.agent_analysis["root_cause_insights"]
    assert set(incident.predictive_insights) == set(
        "forecasts warnings recommendations critical_risk_count".split()
    )
    assert memory.validate().errors == ()


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


def test_an_incident_without_a_time_stays_apart_and_says_so(memory: Memory) -> None:
    added = memory.incidents.add(
        [{"component": "a", "title": "x"}, {"component": "a", "title": "y"}]
    )
    assert len(added.added) == 2
    assert {c.incident.timestamp for c in read_cases(memory.store).cases} == {None}
    assert all("timestamp: unknown" in row.error for row in added.warnings)
    again = memory.incidents.add(
        [{"component": "a", "title": "x"}, {"component": "a", "title": "y"}]
    )
    assert set(again.unchanged) == set(added.added)


def test_an_outcome_of_an_unknown_incident_is_an_error(memory: Memory) -> None:
    with pytest.raises(UnknownRecord, match="'inc_none' is no incident"):
        memory.incidents.outcome("inc_none", "rollback", success=True)
    added = memory.incidents.add(
        [
            {"incident_id": "inc_none", "actions_taken": ["rollback"], "success": True},
            record("a", f"{DAY}10:00:00Z"),
        ]
    )
    assert len(added.added) == 1
    assert "'inc_none'" in added.errors[0].error


def test_a_dependency_that_failed_before_is_the_cause(memory: Memory) -> None:
    memory.incidents.add(
        [
            record("db", f"{DAY}10:00:00Z", metrics=SLOW),
            record("ledger", f"{DAY}10:10:00Z", metrics=SLOW, upstream_deps=["db"]),
            record("payments", f"{DAY}10:15:00Z", metrics=FAILING, upstream_deps=["ledger"]),
            record("search", f"{DAY}10:05:00Z", metrics=SLOW),
            record("ledger", f"{DAY}12:00:00Z", metrics=SLOW),
        ]
    )
    found = edges(memory, "CAUSED_BY")
    assert set(found) == {
        ("ledger 10:10", "db 10:00"),
        ("payments 10:15", "ledger 10:10"),
        ("payments 10:15", "db 10:00"),
    }
    assert found["ledger 10:10", "db 10:00"] == pytest.approx(0.9 * 0.5 ** (10 / 15), abs=1e-3)
    assert found["payments 10:15", "db 10:00"] == pytest.approx(0.9 * 0.5 * 0.7, abs=1e-3)


def test_the_order_of_arrival_does_not_matter(open_memory: Any, tmp_path: Path) -> None:
    reports = [
        record("db", f"{DAY}10:00:00Z", metrics=SLOW),
        record("ledger", f"{DAY}10:10:00Z", metrics=SLOW, upstream_deps=["db"]),
        record("ledger", f"{DAY}09:40:00Z", metrics={"latency_p99": 320}, upstream_deps=["db"]),
    ]
    seen: list[Any] = []
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        with open_memory("memory:", tmp_path) as memory:
            for at in order:
                memory.incidents.add(reports[at])
            seen.append([edges(memory, k) for k in ("CAUSED_BY", "ESCALATED_FROM", "SIMILAR_TO")])
    for kind in range(3):
        assert seen[1][kind] == pytest.approx(seen[0][kind], abs=1e-3)
        assert seen[2][kind] == pytest.approx(seen[0][kind], abs=1e-3)
    assert seen[0][0]
    assert seen[0][1]


def test_cyclic_dependencies_end_and_only_time_speaks(memory: Memory) -> None:
    memory.incidents.add(
        [
            record("a", f"{DAY}10:00:00Z", metrics=SLOW, upstream_deps=["b"]),
            record("b", f"{DAY}10:10:00Z", metrics=SLOW, upstream_deps=["a"]),
        ]
    )
    assert set(edges(memory, "CAUSED_BY")) == {("b 10:10", "a 10:00")}


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


def test_as_of_knows_nothing_of_what_came_later(memory: Memory) -> None:
    memory.incidents.add(
        [
            record("a", f"{DAY}10:00:00Z", metrics=SLOW),
            record("a", "2026-02-09T10:00:00Z", metrics=SLOW),
            {"component": "a", "metrics": SLOW, "title": "no time"},
        ]
    )
    found = memory.incidents.similar({"component": "a", "metrics": SLOW}, as_of="2026-02-05")
    assert [each.timestamp for each in found.incidents] == [f"{DAY}10:00:00.000Z"]


def test_without_a_model_words_recall_and_it_is_told(open_memory: Any, tmp_path: Path) -> None:
    with open_memory("memory:", tmp_path, embedder=None) as memory:
        added = memory.incidents.add(
            record("a", f"{DAY}10:00:00Z", metrics=SLOW, title="Pool exhausted")
        )
        assert "no SIMILAR_TO" in added.notes[0]
        found = memory.incidents.similar({"component": "a", "title": "The pool is exhausted"})
        assert len(found.incidents) == 1
        assert "recalled by words" in found.notes[0]


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


def test_the_exchange_form_has_exactly_its_keys(memory: Memory, tmp_path: Path) -> None:
    tried = {"actions_taken": ["rollback"], "success": True}
    memory.incidents.add(record("a", f"{DAY}10:00:00Z", metrics=SLOW, outcomes=[tried]))
    memory.incidents.export(tmp_path / "a.json")
    held = json.loads((tmp_path / "a.json").read_text())
    (incident,), (outcome,), (edge,) = held["incidents"], held["outcomes"], held["edges"]
    keys = {
        "incident_id component severity timestamp metrics agent_analysis predictive_insights "
        "embedding_id": incident,
        "latency_ms error_rate": incident["metrics"],
        "incident_id actions_taken resolution_time_minutes success blast_radius lessons_learned "
        "recorded_at": outcome,
        "source_id target_id type confidence created_at": edge,
    }
    for names, given in keys.items():
        assert given.keys() == set(names.split())


@pytest.mark.parametrize(
    ("altered", "said"),
    [
        ({"metrics": {"latency_ms": -1e30, "error_rate": None}}, "latency_p99"),
        ({"severity": "purple"}, "inc_bad"),
        ({"timestamp": "yesterday"}, "yesterday"),
        ({"component": "../Payments"}, "Payments"),
    ],
)
def test_a_node_that_no_reader_would_take_is_not_imported(
    memory: Memory, tmp_path: Path, altered: dict[str, Any], said: str
) -> None:
    memory.incidents.add(record("a", f"{DAY}10:00:00Z", metrics=SLOW))
    memory.incidents.export(tmp_path / "a.json")
    held = json.loads((tmp_path / "a.json").read_text())
    node = held["incidents"][0]
    held["incidents"].append({**node, "incident_id": "inc_bad", **altered})
    edge = {"confidence": 0.5, "created_at": f"{DAY}10:00:00Z", "source_id": node["incident_id"]}
    held["edges"] = [
        {**edge, "target_id": "inc_x", "type": "SIMILAR_TO"},
        {**edge, "target_id": "inc_y", "type": "LIKES"},
    ]
    (tmp_path / "a.json").write_text(json.dumps(held))
    errors = " ".join(row.error for row in memory.incidents.import_(tmp_path / "a.json").errors)
    assert said in errors
    assert "'inc_x' is not in the graph" in errors
    assert "type 'LIKES' is unknown" in errors


def test_things_that_are_called_incidents_do_not_stop_those_that_are(memory: Memory) -> None:
    graph = KnowledgeGraph(memory)
    graph.create_entities(
        [
            KnowledgeEntity(name=name, type=kind, observations=("bad",))
            for name, kind in (
                ("o1", "Incident"),
                ("x1", "Incident"),
                ("a", "Service"),
                ("t1", "Outcome"),
            )
        ]
    )
    affects = KnowledgeRelation(source="o1", type="AFFECTS", target="a")
    graph.relate([affects, KnowledgeRelation(source="o1", type="RESOLVED_BY", target="t1")])
    attempt = {"actions_taken": ["rollback"], "success": True, "recorded_at": f"{DAY}11:00:00Z"}
    given = record("a", f"{DAY}10:00:00Z", metrics=SLOW, incident_id="x1", outcomes=[attempt])
    assert memory.incidents.add(given).added == ("x1",)
    memory.incidents.add(record("a", f"{DAY}10:02:00Z", metrics=SLOW))
    found = memory.incidents.similar({"component": "a", "metrics": SLOW})
    assert "x1" in {each.incident_id for each in found.incidents}
    assert len(read_cases(memory.store).cases) == 2


def _with(retrieval: str, **more: Any) -> Config:
    return Config(incidents=IncidentsConfig(retrieval=retrieval, **more))  # type: ignore[arg-type]


def _taught(memory: Memory) -> dict[str, Any]:
    """Ten incidents in which a restart failed and scaling out worked."""
    for day in range(1, 11):
        at = f"2026-02-{day:02d}T10:"
        memory.incidents.add(
            record(
                "a",
                f"{at}00:00Z",
                metrics={**SLOW, "latency_p99": 900 + day},
                outcomes=[
                    {
                        "actions_taken": ["restart_container", "alert_team"],
                        "success": False,
                        "recorded_at": f"{at}10:00Z",
                    },
                    {"actions_taken": ["scale_out"], "success": True, "recorded_at": f"{at}20:00Z"},
                ],
            )
        )
    return {"component": "a", "metrics": SLOW}


def test_off_is_the_static_policy_and_shadow_the_same_bytes_with_a_log(
    open_memory: Any, tmp_path: Path
) -> None:
    import msgspec

    url = tmp_path / ".quipu" / "quipu.db"
    url.parent.mkdir()
    given: dict[str, bytes] = {}
    for mode in ("off", "shadow", "on"):
        with open_memory(url, tmp_path, config=_with(mode)) as memory:
            asked = _taught(memory)
            given[mode] = msgspec.json.encode(memory.incidents.recommend(asked))
    assert given["off"] == given["shadow"]
    assert given["on"] != given["off"]
    log = (tmp_path / ".quipu" / "incident-shadow.jsonl").read_text().splitlines()
    assert len(log) == 1
    assert '"changed": true' in log[0]


def test_with_no_incidents_on_advises_what_the_policies_do(memory: Memory) -> None:
    asked = {"component": "a", "metrics": SLOW}
    off = memory.incidents.recommend(asked, retrieval="off")
    on = memory.incidents.recommend(asked, retrieval="on")
    assert on.actions == off.actions
    assert on.basis == "static"
    assert "thin evidence" in on.notes[-1]


def test_the_past_moves_what_works_ahead_and_shows_why(memory: Memory) -> None:
    advice = memory.incidents.recommend(_taught(memory), retrieval="on")
    assert advice.basis == "learned"
    first = advice.actions[0]
    assert first.action == "scale_out"
    assert first.policies == ("resource_exhaustion_scale",)
    assert first.samples == 10
    assert first.low is not None
    assert first.low > 0.6
    assert first.better is not None
    assert first.better > 0.95
    assert len(first.evidence) == 10
    restart = next(each for each in advice.actions if each.action == "restart_container")
    assert "did not work in 10 of 10" in restart.against[0]


def test_a_foreign_id_that_a_reference_cannot_hold_is_refused(memory: Memory) -> None:
    from quipu.kinds.incidents.model import IncidentReport

    added = memory.incidents.add(IncidentReport(component="a", incident_id="x#1"))
    assert "incident_id 'x#1'" in added.errors[0].error
    assert read_cases(memory.store).cases == ()


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


def test_what_cannot_be_stored_is_not_called_added(memory: Memory) -> None:
    added = memory.incidents.add(
        [
            record("a", f"{DAY}10:00:00Z", title="lone \ud800 surrogate"),
            record("b", f"{DAY}10:00:00Z"),
        ]
    )
    assert len(added.added) == 1
    assert len(added.errors) == 1
    assert [c.incident.component for c in read_cases(memory.store).cases] == ["b"]

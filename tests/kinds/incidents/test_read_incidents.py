"""Incidents of other systems become reports; what cannot be used is named, the rest goes in."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import InvalidInput
from quipu.kinds.incidents.read import IncidentsRead, read_incidents, read_rows

ALERT = {
    "status": "firing",
    "labels": {
        "alertname": "HighLatency",
        "service": "Payment Service",
        "severity": "critical",
        "latency_p99": "812",
    },
    "annotations": {"summary": "p99 is high", "error_rate": "0.2"},
    "startsAt": "2026-02-01T10:00:00Z",
    "endsAt": "0001-01-01T00:00:00Z",
    "generatorURL": "http://prometheus.example/graph?g0",
    "fingerprint": "c0ffee",
}


def _one(value: Any) -> IncidentsRead:
    return read_incidents(json.dumps(value), path="in.json")


def test_each_alert_of_a_webhook_is_a_report() -> None:
    bare = {**ALERT, "labels": {"alertname": "Nothing"}, "fingerprint": "f2"}
    read = _one({"version": "4", "groupKey": "g", "receiver": "r", "alerts": [ALERT, bare]})
    (report,) = read.reports
    assert report.component == "payment-service"
    assert report.extra["component_as_written"] == "Payment Service"
    assert report.severity == "CRITICAL"
    assert report.timestamp == "2026-02-01T10:00:00.000Z"
    assert report.metrics.latency_p99 == 812
    assert report.metrics.error_rate == 0.2
    assert report.title == "HighLatency"
    assert report.source == "alertmanager:c0ffee"
    assert report.pointer == "http://prometheus.example/graph?g0"
    (problem,) = read.problems
    assert "no field names a component" in problem.error


def test_pagerduty_in_all_its_wrappings() -> None:
    incident = {
        "id": "PT4KHLK",
        "type": "incident",
        "incident_number": 1234,
        "urgency": "high",
        "title": "Ledger is slow",
        "created_at": "2026-02-01T10:00:00Z",
        "priority": {"summary": "P1"},
        "service": {"summary": "Ledger (prod)"},
        "html_url": "https://example.pagerduty.com/incidents/PT4KHLK",
    }
    wrapped: list[Any] = [
        {"incident": incident},
        {"incidents": [incident]},
        {"event": {"event_type": "incident.triggered", "data": incident}},
        {"messages": [{"event": "incident.trigger", "incident": incident}]},
    ]
    for each in wrapped:
        (report,) = _one(each).reports
        assert report.component == "ledger-prod"
        assert (report.severity, report.source_severity) == ("CRITICAL", "P1")
        assert report.source == "pagerduty:PT4KHLK"


def test_a_problem_in_a_list_of_incidents_names_its_item() -> None:
    good = {"id": "P1", "incident_number": 1, "service": {"summary": "ledger"}}
    read = _one({"incidents": [good, {**good, "service": {}}]})
    assert len(read.reports) == 1
    (problem,) = read.problems
    assert problem.error.startswith("item 2: no field names a component")


def test_opsgenie_alerts_and_incidents() -> None:
    alert = {
        "alertId": "a-1",
        "tinyId": "7",
        "message": "Errors",
        "priority": "P3",
        "entity": "checkout",
        "createdAt": 1769940000000,
        "tags": ["prod"],
        "details": {"error_rate": "0.4"},
    }
    (report,) = _one({"action": "Create", "alert": alert}).reports
    assert (report.component, report.severity) == ("checkout", "WARN")
    assert report.timestamp == "2026-02-01T10:00:00.000Z"
    assert report.metrics.error_rate == 0.4
    incident = {
        "id": "i-1",
        "tinyId": "8",
        "message": "Down",
        "priority": "P1",
        "impactedServices": ["Ledger", "Payments"],
        "createdAt": "2026-02-01T10:00:00Z",
    }
    (report,) = _one({"data": [incident]}).reports
    assert report.component == "ledger"
    assert report.affected_services == ("ledger", "payments")


def test_otlp_logs_give_events_and_warnings_without_their_bodies() -> None:
    def record(number: int, name: str = "") -> dict[str, Any]:
        return {
            "timeUnixNano": "1769940000000000000",
            "severityNumber": number,
            "eventName": name,
            "body": {"stringValue": "stack trace with details"},
            "attributes": [{"key": "error_rate", "value": {"doubleValue": 0.3}}],
            "traceId": "abc",
        }

    export = {
        "resourceLogs": [
            {
                "resource": {
                    "attributes": [{"key": "service.name", "value": {"stringValue": "cart"}}]
                },
                "scopeLogs": [{"logRecords": [record(9), record(17), record(9, "degraded")]}],
            }
        ]
    }
    read = _one(export)
    assert [r.component for r in read.reports] == ["cart", "cart"]
    assert read.reports[0].metrics.error_rate == 0.3
    assert read.reports[0].pointer == "trace:abc"
    assert read.reports[1].title == "degraded"
    assert "stack trace" not in repr(read)


OTHERS: dict[str, Any] = {
    "statuspage:p31": {
        "incidents": [
            {
                "id": "p31",
                "name": "Ledger is slow",
                "impact": "critical",
                "created_at": "2026-02-01T10:00:00Z",
                "incident_updates": [{"body": "We look into it."}],
                "components": [{"name": "Ledger"}, {"name": "Payments"}],
            }
        ]
    },
    "incident_io:INC-7": {
        "incident": {
            "reference": "INC-7",
            "name": "Ledger is slow",
            "incident_status": {"name": "Triage"},
            "severity": {"name": "Critical"},
            "created_at": "2026-02-01T10:00:00Z",
            "custom_field_entries": [{"values": [{"value_catalog_entry": {"name": "Ledger"}}]}],
        }
    },
    "sentry:LEDGER-1": {
        "action": "created",
        "data": {
            "issue": {
                "shortId": "LEDGER-1",
                "culprit": "pay in ledger.py",
                "title": "Ledger is slow",
                "level": "fatal",
                "firstSeen": "2026-02-01T10:00:00Z",
                "project": {"slug": "ledger"},
            }
        },
    },
    "jira:OPS-1": {
        "issues": [
            {
                "key": "OPS-1",
                "fields": {
                    "summary": "Ledger is slow",
                    "priority": {"name": "Highest"},
                    "created": "2026-02-01T10:00:00.000+0000",
                    "components": [{"name": "Ledger"}],
                },
            }
        ]
    },
    "github:I_1": {
        "action": "opened",
        "issue": {
            "number": 1,
            "node_id": "I_1",
            "html_url": "https://github.com/example/ledger/issues/1",
            "title": "Ledger is slow",
            "created_at": "2026-02-01T10:00:00Z",
        },
        "repository": {"name": "ledger"},
    },
}


@pytest.mark.parametrize("source", OTHERS)
def test_a_further_system_is_a_table_of_fields(source: str) -> None:
    (report,) = _one(OTHERS[source]).reports
    assert (report.source, report.component) == (source, "ledger")
    assert report.title == "Ledger is slow"
    assert report.timestamp == "2026-02-01T10:00:00.000Z"
    assert report.severity == (None if source.startswith("github") else "CRITICAL")


RECORD = {
    "component": "ledger",
    "timestamp": "2026-02-01T10:00:00+01:00",
    "severity": "high",
    "metrics": {"latency_ms": 700, "error_rate": 0.1, "cpu_util": 0.5},
    "upstream_deps": ["db"],
    "downstream_deps": ["payments"],
    "user_impact": "some",
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metrics": {"error_rate": 1.5}}, "error_rate 1.5 cannot be used"),
        ({"metrics": {"latency_p99": "fast"}}, "latency_p99 'fast' cannot be used"),
        ({"severity": "purple"}, "severity 'purple'"),
        ({"timestamp": "yesterday"}, "timestamp: 'yesterday' is not a date"),
        ({"blast_radius": "huge"}, "blast_radius 'huge'"),
        ({"affected_services": ["A B"]}, "affected_services 'A B'"),
        ({"log": "line"}, "log: raw data is not kept"),
        ({"outcomes": [{"actions_taken": ["rollback"], "success": "yes"}]}, "success is 'yes'"),
        (
            {
                "outcomes": [
                    {"actions_taken": ["rollback"], "success": True, "resolution_time_minutes": -1}
                ]
            },
            "resolution_time_minutes: Expected",
        ),
    ],
)
def test_a_bad_field_is_named_and_the_rest_goes_in(change: dict[str, Any], said: str) -> None:
    read = _one({**RECORD, **change})
    assert len(read.reports) == 1
    (problem,) = read.problems
    assert said in problem.error
    assert problem.severity == "warning"


def test_a_bad_component_leaves_out_its_record_only() -> None:
    lines = [json.dumps(RECORD), json.dumps({**RECORD, "component": "Ledger!"}), "{broken", "[1]"]
    read = read_incidents("\n".join(lines), path="in.jsonl")
    assert len(read.reports) == 1
    assert [p.path for p in read.problems] == ["in.jsonl:2", "in.jsonl:3", "in.jsonl:4"]
    assert "component 'Ledger!'" in read.problems[0].error


def test_nothing_of_a_record_is_dropped_unsaid() -> None:
    held = {
        "incident_id": "inc_12",
        "embedding_id": 7,
        "component": "api",
        "metrics": {"error.rate": 0.2, "disk": 0.9},
        "agent_analysis": {"detective": {"found": True}},
        "on_call": {"lead": "Ann"},
    }
    read = _one(held)
    (report,) = read.reports
    assert (report.incident_id, report.embedding_id) == ("inc_12", 7)
    assert report.metrics.error_rate == 0.2
    assert report.agent_analysis == held["agent_analysis"]
    assert report.extra == {"on_call": {"lead": "Ann"}, "metrics.disk": 0.9}
    assert not read.problems
    odd = {"component": "api", "embedding_id": "seven", "agent_analysis": "x", "dump": "y" * 5_000}
    said = " ".join(problem.error for problem in _one(odd).problems)
    assert all(name in said for name in ("embedding_id", "agent_analysis", "dump"))


def test_outcomes_may_stand_alone() -> None:
    read = _one([{"incident_id": "inc_1", "actions_taken": ["rollback"], "success": True}])
    ((named, outcome),) = read.outcomes
    assert named == "inc_1"
    assert outcome.actions_taken == ("rollback",)


def test_what_is_no_incident_says_so() -> None:
    assert "component is missing" in _one({"a": 1}).problems[0].error
    with pytest.raises(InvalidInput, match="neither JSON nor a post-mortem"):
        read_incidents("just words", path="x.txt")


KEYS = st.sampled_from(
    "component timestamp severity metrics latency_p99 outcomes actions_taken success alerts "
    "groupKey labels annotations startsAt incident incidents incident_number service summary "
    "urgency event data messages alert tinyId message entity details resourceLogs resource "
    "attributes scopeLogs logRecords severityNumber key value stringValue incident_id x".split()
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.text(max_size=8)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["a", "high", "2026-01-01", "incident", "ledger", "WARN"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=10))
def test_whatever_an_object_holds_it_is_read_or_named(held: dict[str, Any]) -> None:
    read = read_rows([("it", held)])
    for report in read.reports:
        assert report.component
    if not read.reports and not read.outcomes and "component" in held:
        assert read.problems


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_in_json_costs_only_its_field(written: str) -> None:
    row = f'{{"component": "a", "metrics": {{"cpu_util": {written}, "error_rate": 0.2}}}}'
    for text in (row, f"{row}\n{row}"):
        read = read_incidents(text, path="a.jsonl")
        assert next(r.metrics.known() for r in read.reports) == {"error_rate": 0.2}
        assert "cpu_util" in read.problems[0].error

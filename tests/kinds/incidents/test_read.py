"""Incidents of other systems become reports; what cannot be used is named, the rest goes in."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rows import rows

from quipu.errors import InvalidInput
from quipu.kinds.incidents.read import IncidentsRead, read_incidents, read_rows

SYSTEMS = rows(__file__, "records_of_other_systems")


def _one(value: Any) -> IncidentsRead:
    return read_incidents(json.dumps(value), path="in.json")


@pytest.mark.parametrize(("record", "expected"), SYSTEMS, ids=[r[1][0]["source"] for r in SYSTEMS])
def test_a_record_of_another_system_is_read_by_its_table_of_fields(
    record: dict[str, Any], expected: Sequence[dict[str, Any]]
) -> None:
    """A webhook or a reply of an API; the bodies of log records are not kept."""
    read = _one(record)
    assert read.problems == ()
    assert "stack trace" not in repr(read)
    found = [msgspec.json.decode(msgspec.json.encode(report)) for report in read.reports]
    assert [{key: told[key] for key in one} for told, one in zip(found, expected, strict=True)] == [
        *expected
    ]


def test_a_problem_in_a_list_of_incidents_names_its_item() -> None:
    good = {"id": "P1", "incident_number": 1, "service": {"summary": "ledger"}}
    read = _one({"incidents": [good, {**good, "service": {}}]})
    assert len(read.reports) == 1
    (problem,) = read.problems
    assert problem.error.startswith("item 2: no field names a component")


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
    rows(__file__, "a_bad_field_is_named_and_the_rest_goes_in"),
)
def test_a_bad_field_is_named_and_the_rest_goes_in(change: dict[str, Any], said: str) -> None:
    read = _one({**RECORD, **change})
    assert len(read.reports) == 1
    (problem,) = read.problems
    assert said in problem.error
    assert "$" not in problem.error  # a path into what the library was given
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

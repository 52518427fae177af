"""The life of incidents: what is open, what was done when, how long it took."""

from typing import Any

import pytest

from quipu.errors import InvalidInput, UnknownRecord
from quipu.kinds.incidents.model import incident_id
from quipu.memory import Memory


def _record(component: str, day: int, **more: Any) -> dict[str, Any]:
    return {
        "component": component,
        "timestamp": f"2026-02-{day:02d}T10:00:00Z",
        "severity": "high",
        **more,
    }


def _worked(action: str, day: int, minutes: int) -> dict[str, Any]:
    return {
        "actions_taken": [action],
        "success": True,
        "resolution_time_minutes": minutes,
        "recorded_at": f"2026-02-{day:02d}T10:{minutes}:00Z",
    }


@pytest.fixture
def told(memory: Memory) -> Memory:
    disk = "no space left on device, the log cannot be written"
    memory.incidents.add(
        [
            _record("db", 1, title=disk, outcomes=[_worked("clean_up_disk", 1, 20)]),
            _record("queue", 2, title=disk, outcomes=[_worked("clean_up_disk", 2, 40)]),
            _record("web", 3, title="certificate expired", upstream_deps=["db"]),
            _record("db", 4, title="replication lag grows"),
        ]
    )
    return memory


def test_the_latest_come_first_and_filters_hold(told: Memory) -> None:
    found = told.incidents.list()
    assert [(each.component, each.state, each.minutes) for each in found.incidents] == [
        ("db", "open", None),
        ("web", "open", None),
        ("queue", "resolved", 40.0),
        ("db", "resolved", 20.0),
    ]
    assert found.total == 4
    assert [each.component for each in told.incidents.list(state="open", limit=1).incidents] == [
        "db"
    ]
    assert told.incidents.list(component="db", since="2026-02-02").total == 1
    assert told.incidents.list(until="2026-02-02T23:00:00Z").total == 2
    with pytest.raises(InvalidInput, match="limit 0"):
        told.incidents.list(limit=0)


def test_resolving_takes_the_time_from_the_beginning(told: Memory) -> None:
    (row, *_) = told.incidents.list(component="web").incidents
    made = told.incidents.resolve(
        row.incident_id, ["Renew certificate"], recorded_at="2026-02-03T10:25:00Z"
    )
    assert made.resolution_time_minutes == 25
    assert told.incidents.show(row.incident_id).state == "resolved"
    with pytest.raises(InvalidInput, match="resolved already"):
        told.incidents.resolve(row.incident_id, "rollback")
    (other, *_) = told.incidents.list(state="open").incidents
    with pytest.raises(InvalidInput, match="before the incident began"):
        told.incidents.resolve(other.incident_id, "rollback", recorded_at="2026-01-01")
    with pytest.raises(UnknownRecord, match="incident list"):
        told.incidents.resolve("inc_none", "rollback")


def test_incidents_are_counted_by_service(told: Memory) -> None:
    found = told.incidents.summary()
    assert (found.incidents, found.open) == (4, 2)
    by_name = {each.component: each for each in found.services}
    assert (by_name["db"].incidents, by_name["db"].open, by_name["db"].mean_minutes) == (2, 1, 20)


def test_two_incidents_that_a_system_numbers_stay_two(memory: Memory) -> None:
    """A memory that had them as one keeps them so when they are told again."""
    one, other = (
        {
            "incident_number": number,
            "id": f"P{number}",
            "title": title,
            "created_at": "2026-02-01T10:00:00Z",
            "service": {"summary": "ledger"},
        }
        for number, title in ((1, "disk full"), (2, "certificate expired"))
    )
    memory.incidents.add([one, other])
    assert {row.title for row in memory.incidents.list().incidents} == {
        "disk full",
        "certificate expired",
    }
    assert not memory.incidents.add([one, other]).added
    founding = incident_id("web", "2026-02-01T10:00:00Z")
    old = {"component": "web", "source": "jira:OPS-1", "timestamp": "2026-02-01T10:00:00Z"}
    memory.incidents.add({**old, "incident_id": founding})
    assert memory.incidents.add({**old, "title": "web is down"}).added == (founding,)

"""Incidents over HTTP: told, listed, compared, resolved."""

from typing import Any

import pytest

pytestmark = pytest.mark.enable_socket


def _told(server: Any, hour: int) -> str:
    report = {
        "component": "payments",
        "title": "The payment queue is full",
        "timestamp": f"2026-01-0{hour}T10:00:00Z",
        "metrics": {"latency_p99": 700.0, "error_rate": 0.2},
    }
    made = server.post("/api/v1/incidents", report)
    assert made.status_code == 201, made.text
    return str(made.json()["added"][0])


def test_an_incident_is_told_and_what_was_tried_counts(server: Any) -> None:
    first, second = _told(server, 1), _told(server, 3)
    outcome = {"actions_taken": ["rollback"], "success": True, "resolution_time_minutes": 12}
    kept = server.post(f"/api/v1/incidents/{first}/outcomes", outcome)
    assert kept.status_code == 201
    page = server.client.get("/api/v1/incidents", params={"limit": 1}).json()
    assert page["total"] == 2
    rest = server.client.get("/api/v1/incidents", params={"cursor": page["next_cursor"]}).json()
    assert {page["incidents"][0]["incident_id"], rest["incidents"][0]["incident_id"]} == {
        first,
        second,
    }
    still = server.client.get("/api/v1/incidents", params={"state": "open"}).json()
    assert [each["incident_id"] for each in still["incidents"]] == [second]
    path = f"/api/v1/incidents/{second}"
    assert server.client.get(path).json()["state"] == "open"
    assert server.client.get(f"{path}/similar").json()["incidents"][0]["incident_id"] == first
    advice = server.client.get(f"{path}/recommendation", params={"retrieval": "on"}).json()
    assert advice["actions"]
    assert {each["origin"] for each in advice["actions"]} <= {"policy", "learned"}
    assert server.client.get("/api/v1/incidents/summary").json()["incidents"] == 2
    replayed = server.client.get("/api/v1/incidents/replay", params={"known": "told"})
    assert replayed.json()["incidents"] == 2
    assert server.client.get(f"{path}/timeline").json() == server.client.get(path).json()
    against = server.client.get(
        f"{path}/comparison", params={"first": "rollback", "second": "scale_out"}
    )
    assert against.json()["first"]["action"] == "rollback"


def test_an_incident_that_is_none_is_refused(server: Any) -> None:
    for bad in ({}, {"component": "Not A Component", "latency_p99": "x"}, {"x": 1}):
        assert server.post("/api/v1/incidents", bad).status_code == 400
    for path in ("inc_0", "..%2F..", "%00"):
        assert server.client.get(f"/api/v1/incidents/{path}").status_code == 404
    outcome = {"actions_taken": ["rollback"], "success": True}
    assert server.post("/api/v1/incidents/inc_0/outcomes", outcome).status_code == 404

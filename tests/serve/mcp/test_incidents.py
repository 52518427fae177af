"""Incidents over MCP: recorded, found again, advised on."""

from typing import Any

from quipu.memory import Memory

SLOW = {"latency_p99": 900, "cpu_util": 0.97, "memory_util": 0.95}


def test_what_was_tried_is_recorded_and_comes_back(held: Memory, call: Any) -> None:
    (named,) = held.incidents.add(
        {
            "component": "ledger",
            "timestamp": "2019-06-01T10:00:00Z",
            "metrics": SLOW,
            "title": "Pool exhausted",
        }
    ).added
    made = call(
        "outcome_record",
        incident_id=named,
        actions_taken=["scale_out"],
        success=True,
        resolution_time_minutes=9,
    )
    assert made.structured_content["outcome_id"].startswith("out_")
    found = call("incident_similar", component="ledger", title="Pool is full", metrics=SLOW)
    (first, *_) = found.structured_content["incidents"]
    assert first["incident_id"] == named
    assert first["outcomes"][0]["actions_taken"] == ["scale_out"]
    advice = call("incident_recommend", component="ledger", metrics=SLOW, retrieval="on")
    assert advice.structured_content["basis"] == "static"
    assert "thin evidence" in advice.structured_content["notes"][-1]

"""What post-mortems and events say in their own way."""

from typing import Any

import pytest

from quipu.errors import InvalidInput
from quipu.kinds.incidents.analysis import Sample, predictive_insights
from quipu.kinds.incidents.model import Metrics
from quipu.kinds.incidents.read import read_incidents, read_record

NAMELESS = """# Search Postmortem (incident #465)

Date: 2026-03-14
End: 2026-03-14 16:07 UTC

## Root Causes
A resource leak under exceptional load.

## Timeline
- 14:51 a sonnet is discovered
- 15:10 scaled workers to 40
- 15:20 backlog drained, no effect
- 15:28 drained traffic from the old cluster
"""


def test_a_postmortem_without_a_service_is_about_the_one_given() -> None:
    read = read_incidents(NAMELESS, path="465.md", component="search")
    (report,) = read.reports
    assert report.component == "search"
    assert [(o.actions_taken, o.success) for o in report.outcomes] == [
        (("scale_out",), False),
        (("traffic_shift",), True),
    ]
    assert report.outcomes[-1].resolution_time_minutes == 76
    assert report.outcomes[-1].recorded_at == "2026-03-14T16:07:00.000Z"
    (problem,) = read_incidents(NAMELESS, path="465.md").problems
    assert "--component" in problem.error


@pytest.mark.parametrize("end", ["00:30", "00:30 UTC", "2026-03-15 00:30 UTC"])
def test_an_end_is_read_as_a_start_is(end: str) -> None:
    text = NAMELESS.replace("End: 2026-03-14 16:07 UTC", f"Start: 14:51\nEnd: {end}")
    (report,) = read_incidents(text, path="465.md", component="search").reports
    assert report.outcomes[-1].recorded_at == "2026-03-15T00:30:00.000Z"


def test_what_a_record_has_beyond_the_known_keys_is_kept() -> None:
    (report,) = read_record(
        {
            "component": "db",
            "metrics": {"error.rate": 0.2, "disk": 0.9},
            "runbook": "https://example.org/db",
        }
    ).reports
    assert report.metrics.error_rate == 0.2
    assert report.extra == {"runbook": "https://example.org/db", "metrics.disk": 0.9}


def test_an_event_keeps_its_title_or_its_exception() -> None:
    event: dict[str, Any] = {
        "severityText": "ERROR",
        "attributes": {"service.name": "cart", "error.rate": "0.3"},
        "title": "Cart cannot be stored",
    }
    (report,) = read_record(event).reports
    assert (report.title, report.metrics.error_rate) == ("Cart cannot be stored", 0.3)
    raised = {"exception.type": "Timeout", "exception.message": "no answer in 3 s"}
    event = {**event, "title": None, "attributes": {"service.name": "cart", **raised}}
    assert read_record(event).reports[0].title == "Timeout"


def _trend(values: list[float]) -> object:
    samples = [
        Sample(f"2026-02-01T{hour:02d}:00:00.000Z", Metrics(latency_p99=value))
        for hour, value in enumerate(values)
    ]
    forecasts = predictive_insights(samples)["forecasts"]
    assert isinstance(forecasts, list)
    (forecast,) = forecasts
    assert isinstance(forecast, dict)
    return forecast["trend"]


def test_stable_is_said_of_the_whole_series() -> None:
    assert _trend([160, 185, 210, 236, 262, 288, 314, 340, 365]) == "increasing"
    assert _trend([365, 340, 314, 288, 262, 236, 210, 185, 160]) == "decreasing"
    assert _trend([200, 230, 170, 210, 190, 225, 180, 205]) == "stable"


def test_a_component_that_is_no_name_is_refused(memory: Any, tmp_path: Any) -> None:
    (tmp_path / "p.md").write_text(NAMELESS)
    with pytest.raises(InvalidInput, match="component 'A B'"):
        memory.incidents.add_files(tmp_path / "p.md", component="A B")

"""Post-mortems in Markdown: what is read from headings, facts and the timeline."""

from pathlib import Path

import pytest

from quipu.kinds.incidents.model import IncidentReport
from quipu.kinds.incidents.read import IncidentsRead, read_incidents

DATA = Path(__file__).parent / "data"
PAGE = (DATA / "checkout.md").read_text("utf-8")


def _read(text: str, path: str = "pm/x.md") -> tuple[IncidentReport, IncidentsRead]:
    read = read_incidents(text, path=path)
    assert len(read.reports) == 1, read.problems
    return read.reports[0], read


def test_the_facts_of_a_post_mortem() -> None:
    report, read = _read(PAGE)
    assert read.problems == ()
    assert report.component == "checkout-api"
    assert report.title == "Checkout fails after a cache release"
    assert report.severity == "CRITICAL"
    assert report.timestamp == "2026-01-12T23:40:00.000Z"
    assert report.affected_services == ("checkout-api", "payments")
    assert report.upstream_deps == ("session-cache",)
    assert report.metrics.error_rate == 0.34
    assert report.root_cause == "The release changed the key format of the session cache."
    assert report.pointer == "pm/x.md"


def test_what_was_tried_and_what_worked_is_read_from_the_timeline() -> None:
    report, _ = _read(PAGE)
    restart, rollback = report.outcomes
    assert (restart.actions_taken, restart.success) == (("restart_container",), False)
    assert (rollback.actions_taken, rollback.success) == (("rollback",), True)
    assert rollback.resolution_time_minutes == 47
    assert rollback.recorded_at == "2026-01-13T00:27:00.000Z"
    assert rollback.lessons_learned == "Roll back first."


def test_intended_and_denied_actions_were_not_taken() -> None:
    text = PAGE.replace("Restarted the checkout pods, no effect", "We did not restart anything")
    report, _ = _read(text)
    assert [o.actions_taken for o in report.outcomes] == [("rollback",)]


def test_without_a_date_the_time_is_unknown_and_told() -> None:
    report, read = _read(PAGE.replace("**Date:** 2026-01-12\n", ""))
    assert report.timestamp is None
    assert all(o.recorded_at is None for o in report.outcomes)
    assert "names none" in read.problems[0].error


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2026-01-12", "12 January 2026"),
        ("2026-01-12", "January 12th, 2026"),
        ("**Date:** 2026-01-12", "| Date | 2026-01-12 |"),
        ("**Date:** 2026-01-12", "- **Date**: 2026-01-12"),
    ],
)
def test_dates_in_many_forms(old: str, new: str) -> None:
    report, _ = _read(PAGE.replace(old, new))
    assert report.timestamp == "2026-01-12T23:40:00.000Z"


def test_a_postmortem_without_a_service_is_about_the_one_given() -> None:
    nameless = (DATA / "search.md").read_text("utf-8")
    (report,) = read_incidents(nameless, path="465.md", component="search").reports
    assert report.component == "search"
    assert [(o.actions_taken, o.success) for o in report.outcomes] == [
        (("scale_out",), False),
        (("traffic_shift",), True),
    ]
    assert report.outcomes[-1].resolution_time_minutes == 76
    assert report.outcomes[-1].recorded_at == "2026-03-14T16:07:00.000Z"
    (problem,) = read_incidents(nameless, path="465.md").problems
    assert "no field names a component" in problem.error
    assert "--component" in problem.error


def test_a_resolution_alone_is_an_attempt_that_worked() -> None:
    text = (
        "# Cart down\n\nService: cart\nDate: 2026-03-01\n\n## Resolution\n\n"
        "We shifted all traffic to the other region.\n"
    )
    report, _ = _read(text)
    (outcome,) = report.outcomes
    assert (outcome.actions_taken, outcome.success) == (("traffic_shift",), True)


@pytest.mark.parametrize(
    "line", ["Abc: x" + " " * 60_000 + "y", "[a" * 60_000, "- 10:00 " + " " * 60_000]
)
def test_a_long_line_is_read_in_no_time(line: str) -> None:
    for page in (f"{PAGE}\n{line}\n", PAGE.replace("## Timeline\n", f"## Timeline\n{line}\n")):
        assert _read(page)[0].component == "checkout-api"

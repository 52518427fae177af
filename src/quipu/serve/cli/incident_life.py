"""`incident list | show | timeline | resolve | summary`: what is open, was done, comes back."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.layout import counted, cut, width, wrapped
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import DATE
from quipu.serve.cli.terminal import safe, style
from quipu.serve.cli.view_incidents import outcome_lines

if TYPE_CHECKING:
    from quipu.kinds.incidents.life import (
        IncidentDetail,
        IncidentList,
        IncidentSummary,
        IncidentTimeline,
        ServiceRecord,
    )

__all__ = ["list_", "resolve", "show", "summary", "timeline"]


@command("list", "quipu incident list --open", "quipu incident list --component payments --limit 5")
@click.option("--component", help="Only those of this component.")
@click.option("--open", "state", flag_value="open", help="Only those that are open.")
@click.option("--resolved", "state", flag_value="resolved", help="Only those that are over.")
@click.option("--since", type=DATE, help="Only those that began at this date or later.")
@click.option("--until", type=DATE, help="Only those that began at this date or earlier.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
def list_(**chosen: Any) -> None:
    """List incidents, the latest first. One is open until an attempt that worked is recorded."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.incidents.list(**chosen)
        run.show(found, lambda: _list_lines(found))


@command("show", "quipu incident show inc_0123456789abcdef01234567")
@click.argument("incident_id")
def show(incident_id: str) -> None:
    """Show INCIDENT_ID: what happened, what was tried, its edges, and what is no cause of it."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.incidents.show(incident_id)
        run.show(found, lambda: _detail_lines(found))


@command("timeline", "quipu incident timeline inc_0123456789abcdef01234567")
@click.argument("incident_id")
def timeline(incident_id: str) -> None:
    """Show what happened before, at and after INCIDENT_ID, by time."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.incidents.timeline(incident_id)
        run.show(found, lambda: _timeline_lines(found))


@command("resolve", "quipu incident resolve inc_0123456789abcdef01234567 rollback")
@click.argument("incident_id")
@click.argument("actions", nargs=-1, required=True, metavar="ACTION...")
@click.option("--lessons", default="", help="What was learned.")
@click.option("--at", type=DATE, help="When it was over.  [default: now]")
def resolve(incident_id: str, actions: tuple[str, ...], lessons: str, at: str | None) -> None:
    """Record that the ACTIONS ended INCIDENT_ID; how long it took follows from its beginning."""
    run = invocation()
    with run.open() as memory:
        made = memory.incidents.resolve(
            incident_id, actions, lessons_learned=lessons, recorded_at=at
        )
        run.show(made, lambda: outcome_lines(made))


@command("summary", "quipu incident summary")
def summary() -> None:
    """Count incidents by service, with their time to repair, and show failures that come back."""
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.incidents.summary()
        run.show(found, lambda: _summary_lines(found))


def _when(at: str | None) -> str:
    return at[:16].replace("T", " ") if at else "time unknown"


def _took(minutes: float | None) -> str:
    return "" if minutes is None else f" in {minutes:g} min"


def _list_lines(found: "IncidentList") -> Iterator[str]:
    """Two lines an incident, then how many there are."""
    for each in found.incidents:
        state = f"{each.state}{_took(each.minutes)}"
        yield f"{_when(each.timestamp)}  {each.severity:8}  {each.component}  {state}"
        title = f"  {safe(each.title, line=True)}" if each.title else ""
        yield cut(f"    {each.incident_id}{title}", width())
    if not found.incidents:
        yield "No incident is like that: `quipu incident add` takes them in."
    elif found.total > len(found.incidents):
        yield f"{len(found.incidents)} of {counted(found.total, 'incident')}; --limit shows more"


def _detail_lines(found: "IncidentDetail") -> Iterator[str]:
    """What happened, what was tried, what it is tied to, what is no cause."""
    own = found.incident
    title = f"  {safe(own.title, line=True)}" if own.title else ""
    yield style(f"{own.component}  {own.severity}  {_when(own.timestamp)}", bold=True) + title
    yield f"  {own.incident_id}  {found.state}{_took(found.minutes)}"
    measured = ", ".join(f"{name} {value:g}" for name, value in own.metrics.known().items())
    yield from wrapped(f"measured: {measured}" if measured else "", indent="  ")
    yield from wrapped(own.summary, indent="  ")
    yield from wrapped(f"cause: {own.root_cause}" if own.root_cause else "", indent="  ")
    for outcome in found.outcomes:
        worked = "worked" if outcome.success else "did not work"
        did = safe(" + ".join(outcome.actions_taken), line=True)
        took = _took(outcome.resolution_time_minutes)
        yield f"  {'+' if outcome.success else '-'} {did} {worked}{took}  {outcome.outcome_id}"
    for edge in found.edges:
        forth = edge.source_id == own.incident_id
        other = edge.target_id if forth else edge.source_id
        arrow = f"{edge.type} {other}" if forth else f"{other} {edge.type} this"
        why = f" ({'; '.join(edge.evidence)})" if edge.evidence else ""
        yield from wrapped(f"{arrow} {edge.confidence:.0%}{why}", indent="  ")
    for each in found.not_causes:
        yield from wrapped(
            f"no cause: {each.incident_id} ({each.component}): {each.why}", indent="  "
        )
    yield from wrapped(f"source: {own.pointer}" if own.pointer else "", indent="  ")


def _timeline_lines(found: "IncidentTimeline") -> Iterator[str]:
    """A line a moment."""
    for each in found.moments:
        text = safe(each.text, line=True)
        yield cut(f"{_when(each.at):16}  {each.what:14}  {text}  {each.ref}", width())


def _summary_lines(found: "IncidentSummary") -> Iterator[str]:
    """Counts by service, then the failures that come back."""
    yield f"{counted(found.incidents, 'incident')}, {found.open} open."
    for each in found.services:
        yield from wrapped(_service(each), indent="  ")
    if found.types:
        yield style("Failures that came back", bold=True)
    for kind in found.types:
        cure = (
            f"; {safe(kind.resolved_by, line=True)} resolved {kind.resolved}"
            if kind.resolved_by
            else ""
        )
        yield from wrapped(
            f"{counted(kind.incidents, 'incident')} on {', '.join(kind.components)}: "
            f"{kind.title or 'without a title'}{cure}",
            indent="  ",
        )


def _service(each: "ServiceRecord") -> str:
    took = ""
    if each.mean_minutes is not None and each.median_minutes is not None:
        took = f", repaired in {each.mean_minutes:g} min (median {each.median_minutes:g})"
    return (
        f"{each.component}  {counted(each.incidents, 'incident')}, {each.open} open, "
        f"{each.recurring} came back{took}; last {_when(each.last)}"
    )

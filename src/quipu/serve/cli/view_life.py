"""The life of incidents as a person reads it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quipu.serve.cli.layout import counted, cut, width, wrapped
from quipu.serve.cli.terminal import safe, style

if TYPE_CHECKING:
    from quipu.kinds.incidents.life import (
        IncidentDetail,
        IncidentList,
        IncidentSummary,
        IncidentTimeline,
        ServiceRecord,
    )

__all__ = ["detail_lines", "list_lines", "summary_lines", "timeline_lines"]


def _when(at: str | None) -> str:
    return at[:16].replace("T", " ") if at else "time unknown"


def _took(minutes: float | None) -> str:
    return "" if minutes is None else f" in {minutes:g} min"


def list_lines(found: "IncidentList") -> Iterator[str]:
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


def detail_lines(found: "IncidentDetail") -> Iterator[str]:
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


def timeline_lines(found: "IncidentTimeline") -> Iterator[str]:
    """A line a moment."""
    for each in found.moments:
        text = safe(each.text, line=True)
        yield cut(f"{_when(each.at):16}  {each.what:14}  {text}  {each.ref}", width())


def summary_lines(found: "IncidentSummary") -> Iterator[str]:
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

"""Incidents that are alike and advice as a person reads them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quipu.kinds.incidents.model import Outcome
from quipu.serve.cli.layout import wrapped
from quipu.serve.cli.terminal import safe, style

if TYPE_CHECKING:  # pragma: no cover
    from quipu.kinds.incidents.learn.advise import Recommendation, RecommendedAction
    from quipu.kinds.incidents.similar import SimilarIncident, SimilarIncidents

__all__ = ["advice_lines", "similar_lines"]

_IN = "    "


def _did(outcome: Outcome) -> str:
    minutes = outcome.resolution_time_minutes
    took = f" in {minutes:g} min" if minutes is not None else ""
    worked = "worked" if outcome.success else "did not work"
    return safe(f"{' + '.join(outcome.actions_taken)} {worked}{took}", line=True)


def similar_lines(found: "SimilarIncidents") -> Iterator[str]:
    """Each incident: what it was, why it is here, what was done."""
    for number, each in enumerate(found.incidents, 1):
        yield from _similar(number, each)
    if not found.incidents:
        yield f"Nothing like it is known for {safe(found.component, line=True)}."
    yield from found.notes


def _similar(number: int, each: "SimilarIncident") -> Iterator[str]:
    when = each.timestamp[:16].replace("T", " ") if each.timestamp else "time unknown"
    title = f"  {safe(each.title, line=True)}" if each.title else ""
    yield style(f"{number}. {each.component}  {each.severity}  {when}", bold=True) + title
    parts = ", ".join(f"{name} {value:.2f}" for name, value in sorted(each.parts.items()))
    via = f"; via {', '.join(each.via)}" if each.via else ""
    yield from wrapped(f"{each.incident_id}  score {each.score:.2f} ({parts}{via})", indent=_IN)
    if each.root_cause:
        yield from wrapped(f"cause: {each.root_cause}", indent=_IN)
    for outcome in each.outcomes:
        yield f"{_IN}{'+' if outcome.success else '-'} {_did(outcome)}"
    yield from wrapped(f"source: {each.source_ref}", indent=_IN)


def advice_lines(advice: "Recommendation") -> Iterator[str]:
    """Each action with what it rests on; then the policies and what to know."""
    yield style(f"For {advice.component} ({advice.basis}; advice only, nothing is run)", bold=True)
    for number, each in enumerate(advice.actions, 1):
        yield from _advised(number, each)
    if not advice.actions:
        yield "  no action"
    for match in advice.policies:
        rests = "" if match.state == "applies" else f"  ({match.state.replace('_', ' ')})"
        conditions = " and ".join(match.conditions)
        yield from wrapped(f"policy {match.policy}: {conditions}{rests}", indent="  ")
    for note in advice.notes:
        yield from wrapped(note, indent="  ")


def _advised(number: int, each: "RecommendedAction") -> Iterator[str]:
    origin = ", ".join(each.policies) or "learned from outcomes"
    yield f"  {number}. {each.action}  ({safe(origin, line=True)})"
    if each.success_rate is not None and each.low is not None and each.high is not None:
        took = "" if each.minutes is None else f", median {each.minutes:g} min"
        yield from wrapped(
            f"worked {each.successes} of {each.samples} in like cases{took}; likely "
            f"{each.success_rate:.0%} (90 %: {each.low:.0%} to {each.high:.0%}), attempts worth "
            f"{each.weight:.1f}",
            indent=f"{_IN} ",
        )
    for row in each.evidence[:3]:
        when = f" {row.recorded_at[:10]}" if row.recorded_at else ""
        worked = "worked" if row.success else "did not work"
        yield f"{_IN} {worked}{when}: {row.incident_id} {row.outcome_id} ({row.component})"
    for text in each.against:
        yield from wrapped(f"against: {text}", indent=f"{_IN} ")

"""The text of a result: which view shows which shape. A view is imported when it is needed."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

__all__ = ["lines_of"]

_VIEWS = {
    "Comparison": "view_incidents:comparison_lines",
    "IncidentDetail": "view_incidents:detail_lines",
    "IncidentList": "view_incidents:list_lines",
    "IncidentSummary": "view_incidents:summary_lines",
    "IncidentTimeline": "view_incidents:timeline_lines",
    "IncidentsAdded": "view_incidents:added_lines",
    "IncidentsMoved": "view_incidents:moved_lines",
    "Outcome": "view_incidents:outcome_lines",
    "Policies": "view_incidents:policy_lines",
    "Recommendation": "view_incidents:advice_lines",
    "Replay": "view_incidents:replay_lines",
    "SimilarIncidents": "view_incidents:similar_lines",
}
"""The views by the names of the shapes; one that ends in `*` also takes what was given."""


def lines_of(result: Any, given: Any) -> Iterable[str]:
    """A result as lines for people; `given` is what it was asked with."""
    module, _, name = _VIEWS[type(result).__name__].partition(":")
    view = getattr(import_module(f"quipu.serve.cli.{module}"), name.rstrip("*"))
    return view(result, given) if name.endswith("*") else view(result)

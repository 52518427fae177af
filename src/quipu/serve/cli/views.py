"""The text of a result: a view of its own for what people read most, one for all else.

A view is imported when it is needed.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

__all__ = ["lines_of"]

_VIEWS = {
    "Comparison": "view_incidents:comparison_lines",
    "EntityHistory": "view_entities:history_lines",
    "Unmerged": "view_entities:unmerged_lines",
    "Audit": "view_facts:audit_lines",
    "Brief": "view_facts:brief_lines",
    "FactList": "view_facts:list_lines*",
    "FoundPassages": "view_hits:search_lines*",
    "History": "view_facts:history_lines",
    "IncidentsAdded": "view_incidents:added_lines",
    "Merged": "view_entities:merged_lines",
    "Outcome": "view_incidents:outcome_lines",
    "Plan": "view_plan:plan_lines*",
    "Replied": "view_hits:answer_lines",
    "Proposals": "view_entities:proposal_lines*",
    "Reflected": "view_reports:reflected_lines*",
    "Relation": "view_relations:one_lines*",
    "RelationList": "view_relations:list_lines*",
    "Recommendation": "view_incidents:advice_lines",
    "Replay": "view_incidents:replay_lines",
    "SimilarIncidents": "view_incidents:similar_lines",
    "Validation": "view_state:validation_lines",
}
"""The views by the names of the shapes; one that ends in `*` also takes what was given."""


def lines_of(result: Any, given: Any) -> Iterable[str]:
    """A result as lines for people; `given` is what it was asked with."""
    place = _VIEWS.get(type(result).__name__, "text:text_lines")
    module, _, name = place.partition(":")
    view = getattr(import_module(f"quipu.serve.cli.{module}"), name.rstrip("*"))
    return view(result, given) if name.endswith("*") else view(result)

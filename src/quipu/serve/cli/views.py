"""The text of a result: a view of its own for what people read most, one for all else.

A view is imported when it is needed.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

__all__ = ["lines_of"]

_VIEWS = {
    "AnswersEvaluation": "measure:answer_lines*",
    "CypherQueries": "cypher:cypher_lines",
    "Evaluation": "measure:figure_lines",
    "Examined": "contract:check_lines",
    "FactsEvaluation": "measure:figure_lines",
    "GoldenReport": "measure:golden_lines",
    "IncidentsEvaluation": "measure:figure_lines",
    "IndexReport": "embedding:embedded_lines",
    "KeyList": "keys:list_lines",
    "MadeKey": "keys:made_lines",
    "MemoryEvaluation": "measure:figure_lines",
    "Migrated": "view_state:migrated_lines*",
    "Added": "view_records:added_lines*",
    "Forgotten": "view_records:forgotten_lines",
    "Job": "view_records:job_lines",
    "JobList": "view_records:jobs_lines",
    "Moved": "view_state:moved_lines*",
    "Opened": "view_records:opened_lines*",
    "Status": "view_state:status_lines*",
    "EntityHistory": "view_entities:history_lines",
    "Merged": "view_entities:merged_lines",
    "Unmerged": "view_entities:unmerged_lines",
    "Audit": "view_facts:audit_lines",
    "Brief": "view_facts:brief_lines",
    "FactList": "view_facts:list_lines*",
    "FoundPassages": "view_hits:search_lines*",
    "History": "view_facts:history_lines",
    "Plan": "view_plan:plan_lines*",
    "Replied": "view_hits:answer_lines",
    "Proposals": "view_entities:proposal_lines*",
    "Reflected": "view_reports:reflected_lines*",
    "Relation": "view_relations:one_lines*",
    "RelationList": "view_relations:list_lines*",
    "Recommendation": "view_incidents:advice_lines",
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

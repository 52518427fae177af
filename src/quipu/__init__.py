"""Quipu: an evidence-first graph memory.

    write   source → read → chunk → extract → resolve → store → embed
    read    question → plan → retrieve → answer

`Memory` joins the stages:

    with Memory.open("notes.db") as memory:
        memory.index(["docs", "src"])
        print(memory.ask("Who owns the payments service?").contract.answer)

Names are imported when they are first used, so `import quipu` costs nothing. What other libraries
would report by themselves is turned off here, before one of them is imported.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from quipu.telemetry import opt_out
from quipu.version import VERSION

if TYPE_CHECKING:
    from quipu.answer.examine import Examined
    from quipu.config import Config
    from quipu.errors import Mistake, QuipuError
    from quipu.facts.find import FactsFound
    from quipu.facts.history import History
    from quipu.handle.home import Home
    from quipu.handle.models import AUTO, Auto
    from quipu.kinds.commits.model import CommitInput
    from quipu.kinds.commits.repository import HistoryReport
    from quipu.kinds.conversations.model import Transcript
    from quipu.kinds.incidents.advice import Comparison, Recommendation, Replay
    from quipu.kinds.incidents.api import Incidents, IncidentsAdded, IncidentsMoved, Policies
    from quipu.kinds.incidents.case_base import (
        IncidentDetail,
        IncidentList,
        IncidentSummary,
    )
    from quipu.kinds.incidents.links import SimilarIncidents
    from quipu.kinds.incidents.migrate import Migration
    from quipu.kinds.incidents.model import IncidentReport, Outcome
    from quipu.kinds.incidents.policies import ActionPolicy
    from quipu.kinds.pages.network import Network
    from quipu.kinds.reports.api import Reports
    from quipu.kinds.reports.model import Report
    from quipu.kinds.reports.reflect import Reflected
    from quipu.kinds.values.api import Valued, Values
    from quipu.kinds.values.derive import Explanation
    from quipu.ledger import Salvaged
    from quipu.memory import Memory, Passage, Status
    from quipu.memory.entities import Entities, EntityHistory, Merged, Proposals, Unmerged
    from quipu.memory.extraction import Extracted
    from quipu.memory.facts import Facts, StatedFacts
    from quipu.memory.jobs import JobQueue
    from quipu.memory.validation import Validation
    from quipu.ports import Chat, Embedder, Planner, Store
    from quipu.records.document import Problem
    from quipu.records.passage import PassageInput
    from quipu.records.plan import Plan
    from quipu.records.record import Chunk, Entity, Episode, Fact, Relation
    from quipu.records.reply import Hit, Reply, Retrieved
    from quipu.records.scope import EVERYTHING, Scope
    from quipu.records.stated import Stated, StatementInput
    from quipu.resolve.proposals import Proposal
    from quipu.transfer import Migrated, Moved
    from quipu.transfer.backup import BackedUp
    from quipu.transfer.formats import GraphFormat, GraphWritten
    from quipu.write.embed import EmbedReport
    from quipu.write.jobs import Given, Job
    from quipu.write.report import IndexReport
    from quipu.write.texts import TextInput

opt_out()

__version__ = VERSION

__all__ = [
    "AUTO",
    "EVERYTHING",
    "ActionPolicy",
    "Auto",
    "BackedUp",
    "Chat",
    "Chunk",
    "CommitInput",
    "Comparison",
    "Config",
    "EmbedReport",
    "Embedder",
    "Entities",
    "Entity",
    "EntityHistory",
    "Episode",
    "Examined",
    "Explanation",
    "Extracted",
    "Fact",
    "Facts",
    "FactsFound",
    "Given",
    "GraphFormat",
    "GraphWritten",
    "History",
    "HistoryReport",
    "Hit",
    "Home",
    "IncidentDetail",
    "IncidentList",
    "IncidentReport",
    "IncidentSummary",
    "Incidents",
    "IncidentsAdded",
    "IncidentsMoved",
    "IndexReport",
    "Job",
    "JobQueue",
    "Memory",
    "Merged",
    "Migrated",
    "Migration",
    "Mistake",
    "Moved",
    "Network",
    "Outcome",
    "Passage",
    "PassageInput",
    "Plan",
    "Planner",
    "Policies",
    "Problem",
    "Proposal",
    "Proposals",
    "QuipuError",
    "Recommendation",
    "Reflected",
    "Relation",
    "Replay",
    "Reply",
    "Report",
    "Reports",
    "Retrieved",
    "Salvaged",
    "Scope",
    "SimilarIncidents",
    "Stated",
    "StatedFacts",
    "StatementInput",
    "Status",
    "Store",
    "TextInput",
    "Transcript",
    "Unmerged",
    "Validation",
    "Valued",
    "Values",
    "__version__",
]

_HOMES = {
    "quipu.answer.examine": "Examined",
    "quipu.config": "Config",
    "quipu.errors": "Mistake QuipuError",
    "quipu.memory.validation": "Validation",
    "quipu.facts.find": "FactsFound",
    "quipu.facts.history": "History",
    "quipu.handle.home": "Home",
    "quipu.handle.models": "AUTO Auto",
    "quipu.kinds.commits.model": "CommitInput",
    "quipu.kinds.commits.repository": "HistoryReport",
    "quipu.kinds.conversations.model": "Transcript",
    "quipu.kinds.incidents.api": "Incidents IncidentsAdded IncidentsMoved Policies",
    "quipu.kinds.incidents.advice": "Comparison Recommendation Replay",
    "quipu.kinds.incidents.case_base": "IncidentDetail IncidentList IncidentSummary",
    "quipu.kinds.incidents.migrate": "Migration",
    "quipu.kinds.incidents.model": "IncidentReport Outcome",
    "quipu.kinds.incidents.policies": "ActionPolicy",
    "quipu.kinds.incidents.links": "SimilarIncidents",
    "quipu.kinds.pages.network": "Network",
    "quipu.kinds.reports.api": "Reports",
    "quipu.kinds.reports.model": "Report",
    "quipu.kinds.reports.reflect": "Reflected",
    "quipu.kinds.values.api": "Valued Values",
    "quipu.kinds.values.derive": "Explanation",
    "quipu.ledger": "Salvaged",
    "quipu.memory": "Memory Passage Status",
    "quipu.memory.entities": "Entities EntityHistory Merged Proposals Unmerged",
    "quipu.memory.extraction": "Extracted",
    "quipu.memory.facts": "Facts StatedFacts",
    "quipu.memory.jobs": "JobQueue",
    "quipu.ports": "Chat Embedder Planner Store",
    "quipu.records.document": "Problem",
    "quipu.records.passage": "PassageInput",
    "quipu.records.plan": "Plan",
    "quipu.records.record": "Chunk Entity Episode Fact Relation",
    "quipu.records.reply": "Hit Reply Retrieved",
    "quipu.records.scope": "EVERYTHING Scope",
    "quipu.records.stated": "Stated StatementInput",
    "quipu.resolve.proposals": "Proposal",
    "quipu.transfer": "Migrated Moved",
    "quipu.transfer.backup": "BackedUp",
    "quipu.transfer.formats": "GraphFormat GraphWritten",
    "quipu.write.embed": "EmbedReport",
    "quipu.write.jobs": "Given Job",
    "quipu.write.report": "IndexReport",
    "quipu.write.texts": "TextInput",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

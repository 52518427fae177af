"""`docs/reference/json.md`, made from the types that the commands print.

`python -m tools.json_reference > docs/reference/json.md` brings it up to date.
"""

from collections.abc import Mapping
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import click

from quipu.agents.audits import Audit, Overview
from quipu.agents.brief import Brief
from quipu.agents.chat import Exchange
from quipu.agents.dumps import DumpTaken
from quipu.agents.knowledge_file import KnowledgeImported
from quipu.answer.examine import Examined
from quipu.evaluate.answers import AnswersEvaluation
from quipu.evaluate.facts import FactsEvaluation
from quipu.evaluate.golden import GoldenReport
from quipu.evaluate.retrieval import Evaluation
from quipu.evaluate.validation import Validation
from quipu.facts.history import History
from quipu.kinds.commits.evaluate import IncidentsEvaluation
from quipu.kinds.commits.repository import HistoryReport
from quipu.kinds.conversations.evaluate import MemoryEvaluation
from quipu.kinds.incidents.api import IncidentsAdded, IncidentsMoved, Policies
from quipu.kinds.incidents.learn.advise import Recommendation
from quipu.kinds.incidents.learn.compare import Comparison
from quipu.kinds.incidents.learn.replay import Replay
from quipu.kinds.incidents.life import (
    IncidentDetail,
    IncidentList,
    IncidentSummary,
    IncidentTimeline,
)
from quipu.kinds.incidents.migrate import Migration
from quipu.kinds.incidents.model import Outcome
from quipu.kinds.incidents.similar import SimilarIncidents
from quipu.kinds.reports.reflect import Reflected
from quipu.kinds.values.api import Valued
from quipu.kinds.values.derive import Explanation
from quipu.memory import Status
from quipu.memory.entities import EntityHistory, Merged, Proposals, Unmerged
from quipu.memory.extraction import Extracted
from quipu.memory.folder_trust import FolderAsks
from quipu.memory.recovery import SalvagedRecords
from quipu.records.plan import Plan
from quipu.records.record import Relation
from quipu.records.stated import StatedList
from quipu.serve import shapes
from quipu.serve.keys import ApiKey, KeyList, MadeKey
from quipu.serve.meanings import Shape, keys, parts
from quipu.transfer import Migrated, Moved
from quipu.transfer.backup import BackedUp
from quipu.transfer.formats import GraphWritten
from quipu.write.embed import EmbedReport
from quipu.write.jobs import Job
from quipu.write.report import IndexReport

__all__ = ["DOCUMENTS", "json_reference"]

DOCUMENTS: dict[str, tuple[Shape, ...]] = {
    "quipu init": (shapes.Initialised,),
    "quipu index": (IndexReport, HistoryReport),
    "quipu watch": (IndexReport,),
    "quipu ask": (shapes.PlannedAnswer,),
    "quipu chat": (Exchange,),
    "quipu search": (shapes.FoundPassages,),
    "quipu plan": (Plan, shapes.DocumentsPlan),
    "quipu get": (shapes.Opened,),
    "quipu history": (History,),
    "quipu audit": (Overview, Audit),
    "quipu brief": (Brief,),
    "quipu facts": (shapes.FactList,),
    "quipu state": (StatedList,),
    "quipu add": (shapes.Added,),
    "quipu ingest": (Job,),
    "quipu extract": (Extracted,),
    "quipu jobs": (shapes.JobList, Job),
    "quipu reflect": (Reflected,),
    "quipu forget": (shapes.Forgotten,),
    "quipu rescan": (shapes.Rescanned,),
    "quipu relation add": (Relation,),
    "quipu relation list": (shapes.RelationList,),
    "quipu relation update": (Relation,),
    "quipu relation rm": (shapes.Removed,),
    "quipu entity show": (Merged,),
    "quipu entity proposals": (Proposals,),
    "quipu entity merge": (Merged,),
    "quipu entity unmerge": (Unmerged,),
    "quipu entity history": (EntityHistory,),
    "quipu explain": (Explanation,),
    "quipu value": (Valued,),
    "quipu incident add": (IncidentsAdded,),
    "quipu incident outcome": (Outcome,),
    "quipu incident list": (IncidentList,),
    "quipu incident show": (IncidentDetail,),
    "quipu incident timeline": (IncidentTimeline,),
    "quipu incident resolve": (Outcome,),
    "quipu incident summary": (IncidentSummary,),
    "quipu incident similar": (SimilarIncidents,),
    "quipu incident recommend": (Recommendation,),
    "quipu incident compare": (Comparison,),
    "quipu incident replay": (Replay,),
    "quipu incident policies": (Policies,),
    "quipu incident export": (IncidentsMoved,),
    "quipu incident import": (IncidentsMoved,),
    "quipu status": (Status,),
    "quipu cypher": (shapes.CypherQueries,),
    "quipu validate": (Validation,),
    "quipu embed": (IndexReport,),
    "quipu reindex": (EmbedReport,),
    "quipu contract check": (Examined,),
    "quipu export": (Moved, GraphWritten),
    "quipu backup": (BackedUp,),
    "quipu restore": (BackedUp,),
    "quipu import": (Moved, Migration, DumpTaken),
    "quipu migrate": (Migrated,),
    "quipu doctor": (shapes.Checkup, SalvagedRecords),
    "quipu trust": (FolderAsks, shapes.TrustedFolders),
    "quipu untrust": (shapes.Untrusted,),
    "quipu model fetch": (shapes.FetchedModel,),
    "quipu serve": (shapes.Serving,),
    "quipu key create": (MadeKey,),
    "quipu key list": (KeyList,),
    "quipu key revoke": (ApiKey,),
    "quipu mcp install": (shapes.ClientChange,),
    "quipu mcp uninstall": (shapes.ClientChange,),
    "quipu mcp import": (KnowledgeImported,),
    "quipu golden run": (GoldenReport,),
    "quipu eval retrieval": (Evaluation,),
    "quipu eval facts": (FactsEvaluation,),
    "quipu eval memory": (MemoryEvaluation,),
    "quipu eval incidents": (IncidentsEvaluation,),
    "quipu eval answers": (AnswersEvaluation,),
}
"""What each command prints with `--json`; of several, the others as `_OTHERWISE` says."""

_OTHERWISE = {
    "quipu doctor": ("--salvage",),
    "quipu export": ("--format FORMAT",),
    "quipu import": ("arf", "mem0"),
    "quipu audit": ("SUBJECT",),
    "quipu jobs": ("JOB_ID",),
    "quipu plan": ("--mode documents",),
    "quipu index": ("--git",),
    "quipu trust": ("--list",),
}

_WORDS: dict[object, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "true or false",
    NoneType: "null",
    Any: "any value",
}
_HEAD = """\
# JSON

Made from the types by `python -m tools.json_reference`; a test compares.

Every command prints one document with `--json` (`quipu watch` one a line). Keys are only ever
added: a program should pass over those it does not know. Text is UTF-8; characters that could
steer a terminal are written as `\\u` escapes. Instants are UTC, RFC 3339. Lines are 1-based and
inclusive. Rates, scores, confidences and matches lie in [0, 1]. What the keys of a part mean stands
in the schemas of the tools over MCP and of `/api/openapi.json`.

| command | document |
|---|---|
"""


def json_reference() -> str:
    """The whole page."""
    rows = [f"| `{name}` | {_documents(name, each)} |" for name, each in DOCUMENTS.items()]
    rows.append(f"| any, when it fails | {_link(shapes.Failure)} |")
    told: dict[tuple[str, Any, str], str] = {}
    whole = set(_shapes())
    sections = [
        _section(shape, told) if shape in whole else _part(shape) for shape in parts(_shapes())
    ]
    return _HEAD + "\n".join(rows) + "\n" + "".join(sections)


def _documents(name: str, each: tuple[Shape, ...]) -> str:
    """The documents of a command, the usual one first."""
    others = zip(_OTHERWISE.get(name, ()), each[1:], strict=True)
    return _link(each[0]) + "".join(f" or, with `{w}`, {_link(shape)}" for w, shape in others)


def _shapes() -> list[Shape]:
    return [shapes.Failure, *(shape for each in DOCUMENTS.values() for shape in each)]


def _section(shape: Shape, told: dict[tuple[str, Any, str], str]) -> str:
    """The keys of a shape; those that an earlier one has with the same meaning by name alone."""
    described = " ".join((shape.__doc__ or "").split()).partition(". ")[0].rstrip(".")
    rows: list[str] = []
    known: dict[str, list[str]] = {}
    for key in keys(shape):
        first = told.setdefault((key.name, str(key.type), key.meaning), shape.__name__)
        if first != shape.__name__:
            known.setdefault(first, []).append(f"`{key.name}`")
        else:
            rows.append(f"- `{key.name}` ({_spelled(key.type)}): {key.meaning}\n")
    rows += [f"- {', '.join(names)}: as in {_named(of)}\n" for of, names in known.items()]
    return f"\n## {shape.__name__}\n\n{described}.\n\n{''.join(rows)}"


def _part(shape: Shape) -> str:
    """The keys of a shape that stands within others, without their meanings."""
    shown = ", ".join(f"`{key.name}` {_spelled(key.type)}" for key in keys(shape))
    return f"\n## {shape.__name__}\n\n{shown}.\n"


def _link(shape: Shape) -> str:
    return _named(shape.__name__)


def _named(shape: str) -> str:
    return f"[{shape}](#{shape.lower()})"


def _spelled(hint: Any) -> str:
    if get_origin(hint) is None:
        return _WORDS[hint] if hint in _WORDS else _link(hint)
    return _spelled_whole(get_origin(hint), get_args(hint))


def _spelled_whole(origin: Any, args: tuple[Any, ...]) -> str:
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in args)
    if origin in (tuple, list, frozenset):
        many = len(args) == 1 or args[-1] is Ellipsis
        return f"list of {_spelled(args[0])}" if many else f"[{', '.join(map(_spelled, args))}]"
    if origin in (dict, Mapping):
        return f"object of {_spelled(args[1])}"
    if any(get_origin(each) is dict for each in args):  # a union of all that JSON can hold
        return "any value"
    return " or ".join(_spelled(each) for each in args)


if __name__ == "__main__":
    click.echo(json_reference(), nl=False)

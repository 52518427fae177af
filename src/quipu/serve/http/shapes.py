"""What requests hold, and what only HTTP gives. Results are those of the command line and MCP."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quipu.agents.entries import Priority
from quipu.records.entry import Category
from quipu.records.plan import Mode
from quipu.records.record import Entity, Episode, Fact, Relation
from quipu.records.scope import Scope, read_scope
from quipu.serve.http.runs import Run, RunKind
from quipu.serve.results import KEPT
from quipu.write.jobs import Job

__all__ = [
    "Ask",
    "EntityPage",
    "Episodes",
    "FactPage",
    "FactQuery",
    "GraphStats",
    "Health",
    "JobPage",
    "MemoryQuery",
    "MergeRequest",
    "NewEntry",
    "NewEpisode",
    "NewRelation",
    "NewRun",
    "NewSession",
    "PackRequest",
    "PlanRequest",
    "Ready",
    "ReadyCheck",
    "RecallRequest",
    "RelationChange",
    "RelationPage",
    "RunPage",
    "Search",
    "SetUp",
    "StoreHealth",
    "UnmergeRequest",
]

Words = Annotated[str, Meta(max_length=20_000)]
"""A text that is looked for."""

_Names = Annotated[tuple[Annotated[str, Meta(max_length=500)], ...], Meta(max_length=100)]
_Date = Annotated[str, Meta(max_length=40)]
_Name = Annotated[str, Meta(max_length=500)]
_Given = Annotated[str, Meta(min_length=1, max_length=2_000)]
_Limit = Annotated[int, Meta(ge=1, le=100)]


class AskRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question and its bounds."""

    question: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=20_000,
            description="what is asked, in plain words",
            examples=["who owns the payment service?"],
        ),
    ]
    mode: Annotated[
        Mode | None, Meta(description="`local`, `documents` or `global`; null: as configured")
    ] = None
    use_graph: Annotated[bool, Meta(description="false: words and vectors only")] = True
    groups: Annotated[_Names, Meta(description="only these conversations or repositories")] = ()
    source_types: Annotated[_Names, Meta(description="only these kinds of source")] = ()
    document_types: Annotated[_Names, Meta(description="only documents of these types")] = ()
    statuses: Annotated[_Names, Meta(description="only documents of these statuses")] = ()
    domains: Annotated[_Names, Meta(description="only documents of these domains")] = ()
    before: Annotated[_Date | None, Meta(description="only what was observed before this date")] = (
        None
    )
    after: Annotated[
        _Date | None, Meta(description="only what was observed at this date or later")
    ] = None

    @property
    def scope(self) -> Scope:
        """What may be seen. Raises InvalidInput."""
        return read_scope(
            before=self.before,
            after=self.after,
            groups=self.groups,
            source_types=self.source_types,
            document_types=self.document_types,
            statuses=self.statuses,
            domains=self.domains,
        )


class Ask(AskRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/ask`."""

    limit: Annotated[_Limit | None, Meta(description="how many passages are considered")] = None
    offline: Annotated[
        bool, Meta(description="ask no language model, though one be configured")
    ] = False


class Search(AskRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/search`."""

    limit: Annotated[_Limit | None, Meta(description="how many passages")] = None
    explain: Annotated[bool, Meta(description="every number behind a score")] = False
    touched: Annotated[
        _Names, Meta(description="files that the change in question touches: they rank commits")
    ] = ()


class PlanRequest(AskRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/plan`."""

    touched: Annotated[
        _Names, Meta(description="files that the change in question touches: they rank commits")
    ] = ()


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /health`."""

    status: Annotated[Literal["healthy"], "the process answers"] = "healthy"
    version: Annotated[str, "Quipu's version"]


class ReadyCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that questions need."""

    name: Annotated[Literal["store", "index", "embedder"], "what was looked at"]
    status: Annotated[Literal["ok", "degraded", "failed"], "`degraded` answers, with less"]
    detail: Annotated[str, "what was found, and what to do about it; empty without a key"]


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /health/ready`; with status 503 when a check failed."""

    ready: Annotated[bool, "whether questions can be answered"]
    checks: Annotated[tuple[ReadyCheck, ...], "each thing that was looked at"]


class StoreHealth(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /health/neo4j`."""

    status: Annotated[Literal["healthy", "unhealthy", "not used"], "how the store is"]
    message: Annotated[str, "what was found; secrets are taken out"]


class Episodes(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/episodes`."""

    episodes: Annotated[tuple[Episode, ...], "by id"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class EntityPage(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/entities`."""

    entities: Annotated[tuple[Entity, ...], "by id"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class RelationPage(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/relations`."""

    relations: Annotated[tuple[Relation, ...], "by id"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class FactPage(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/facts`."""

    facts: Annotated[tuple[Fact, ...], "by subject, predicate, date and id"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class JobPage(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/jobs`."""

    jobs: Annotated[tuple[Job, ...], "those that are open and the last that ended, latest first"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class RunPage(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/runs`."""

    runs: Annotated[
        tuple[Run, ...], "the latest first; those of earlier processes without their reports"
    ]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class NewEpisode(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/episodes`."""

    text: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=2_000_000,
            description="what is to be remembered; Markdown is understood",
            examples=["The payment service is owned by Ada Lovelace."],
        ),
    ]
    source_ref: Annotated[
        _Name | None, Meta(description="what a citation opens; another text under it replaces it")
    ] = None
    title: Annotated[_Name, Meta(description="what it is called")] = ""
    group: Annotated[_Name, Meta(description="its conversation or repository")] = ""
    observed_at: Annotated[
        _Date | None, Meta(description="when it was true to say it; null: now")
    ] = None
    expires: Annotated[_Date | None, Meta(description="after this it is no longer recalled")] = None
    wait: Annotated[
        bool, Meta(description="false: accept it as a job, write it after (status 202)")
    ] = True


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a session; further keys (`name`, `timestamp`) are kept."""

    role: Annotated[str, Meta(max_length=100, description="`user`, `assistant` …")]
    content: Annotated[str, Meta(max_length=500_000, description="what was said")]
    name: Annotated[_Name | None, Meta(description="who said it")] = None
    timestamp: Annotated[_Date | None, Meta(description="when")] = None


class NewSession(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/sessions`."""

    session_id: Annotated[str, Meta(min_length=1, max_length=500, description="names it")]
    messages: Annotated[
        tuple[Message, ...],
        Meta(min_length=1, max_length=10_000, description="the whole session so far, in order"),
    ]


class NewEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/entries`."""

    category: Annotated[Category, Meta(description="what kind of thing it is")]
    content: Annotated[
        str, Meta(min_length=1, max_length=100_000, description="what to remember, in full")
    ]
    context: Annotated[str, Meta(max_length=100_000, description="why")] = ""
    priority: Annotated[Priority, Meta(description="how much it matters")] = "medium"
    tags: Annotated[_Names, Meta(description="its tags")] = ()
    related_to: Annotated[_Names, Meta(description="ids of related entries")] = ()
    expires: Annotated[_Date | None, Meta(description="void after this date")] = None
    observed_at: Annotated[
        _Date | None, Meta(description="when it was true to say it; now where left out")
    ] = None


class RecallRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/recall`."""

    query: Annotated[str, Meta(min_length=1, max_length=20_000, description="what it is about")]
    categories: Annotated[tuple[Category, ...], Meta(description="only these")] = ()
    priority_min: Annotated[Priority, Meta(description="at least this priority")] = "low"
    token_budget: Annotated[int, Meta(ge=1, le=50_000, description="tokens at most")] = 3000
    time_window: Annotated[str, Meta(max_length=100, description="7d, `last week` …")] = ""


class NewRelation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/relations`."""

    source: Annotated[_Given, Meta(description="where it begins: an id, a path, a unique name")]
    type: Annotated[
        str, Meta(min_length=1, max_length=100, description="its type", examples=["OWNED_BY"])
    ]
    target: Annotated[_Given, Meta(description="where it ends")]
    confidence: Annotated[float, Meta(ge=0, le=1, description="how sure it is")] = 1.0
    weight: Annotated[float, Meta(gt=0, le=1e6, description="how strong the tie is")] = 1.0
    description: Annotated[str, Meta(max_length=10_000, description="what it means here")] = ""


class RelationChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`PATCH /api/v1/relations/{rel_id}`: what is left out stays."""

    confidence: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None, Meta(description="how sure it is")
    ] = None
    weight: Annotated[
        Annotated[float, Meta(gt=0, le=1e6)] | None, Meta(description="how strong the tie is")
    ] = None
    description: Annotated[
        Annotated[str, Meta(max_length=10_000)] | None, Meta(description="what it means here")
    ] = None


class MergeRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/entities/merge`."""

    merged: Annotated[_Given, Meta(description="what is the same thing as the other")]
    kept: Annotated[_Given, Meta(description="what stands for both from now on")]
    reason: Annotated[str, Meta(max_length=2_000, description="why")] = ""


class UnmergeRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/entities/unmerge`."""

    ref: Annotated[_Given, Meta(description="the merge's id, or either thing")]
    other: Annotated[_Given | None, Meta(description="the other thing")] = None
    reason: Annotated[str, Meta(max_length=2_000, description="why")] = ""


class NewRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/runs`."""

    kind: Annotated[
        RunKind,
        Meta(
            description="`index` reads files, `commits` the history, `reflect` makes reports, "
            "`reindex` embeds everything again, `golden` asks the questions of a file",
            examples=["index"],
        ),
    ]
    paths: Annotated[
        _Names, Meta(description="of `index`: files and folders below the memory's folder")
    ] = ()
    file: Annotated[_Name, Meta(description="of `golden`: a file below the memory's folder")] = ""


class SetUp(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/setup`."""

    memory: Annotated[bool, "whether there is a memory"]
    folder: Annotated[str, "the folder that is remembered, or will be"]
    namespace: Annotated[str, "the caller's namespace; empty while there is no memory"]
    scope: Annotated[str, "what the caller may do: `read`, `write` or `admin`"]
    keyed: Annotated[bool, "whether keys are asked for"]


class MemoryQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/memory/query`."""

    query: Annotated[str, Meta(min_length=1, max_length=20_000, description="what to look for")]
    limit: Annotated[int, Meta(ge=1, le=50, description="how many passages")] = 10
    mode: Annotated[Mode, Meta(description="how passages are found")] = "local"
    use_graph: Annotated[bool, Meta(description="false: words and vectors only")] = msgspec.field(
        name="useGraph", default=True
    )
    groups: Annotated[_Names, Meta(description="only these conversations or repositories")] = ()
    source_types: Annotated[_Names, Meta(description="only these kinds of source")] = ()
    document_types: Annotated[_Names, Meta(description="only documents of these types")] = ()
    before: Annotated[_Date, Meta(description="only what was observed before")] = ""
    after: Annotated[_Date, Meta(description="only what was observed then or later")] = ""
    explain: Annotated[bool, Meta(description="every number behind a score")] = False
    characters: Annotated[int, Meta(ge=100, le=4000, description="each passage's text at most")] = (
        msgspec.field(name="maxChars", default=1500)
    )


class PackRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/memory/context-pack`."""

    query: Annotated[str, Meta(min_length=1, max_length=20_000, description="what to look for")]
    max_chars: Annotated[int, Meta(ge=400, le=100_000, description="the pack's length at most")] = (
        msgspec.field(name="maxChars", default=2000)
    )
    token_budget: Annotated[
        Annotated[int, Meta(ge=100, le=25_000)] | None, Meta(description="its tokens at most")
    ] = None
    max_sources: Annotated[int, Meta(ge=1, le=30, description="how many sources")] = msgspec.field(
        name="maxSources", default=8
    )
    min_score: Annotated[
        float, Meta(ge=0, le=1, description="leave out what is less likely relevant")
    ] = msgspec.field(name="minScore", default=KEPT)
    mode: Annotated[Mode, Meta(description="how passages are found")] = "local"
    use_graph: Annotated[bool, Meta(description="false: words and vectors only")] = msgspec.field(
        name="useGraph", default=True
    )


class FactQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/facts/query-at-time`: a question in words, or a subject."""

    query: Annotated[Words, Meta(description="a question")] = ""
    subject: Annotated[Words, Meta(description="everything that held of this")] = ""
    at: Annotated[_Date, Meta(description="the date; blank for now")] = ""
    known_at: Annotated[
        _Date, Meta(description="judged by what was known then (with a subject)")
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=100, description="how many")] = 10


class GraphStats(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/graph/stats`."""

    counts: Annotated[dict[str, int], "live records by kind"]
    entities: Annotated[dict[str, int], "things by type"]
    relations: Annotated[dict[str, int], "relations by type"]

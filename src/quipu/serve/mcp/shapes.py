"""What the tools give, key by key. Names that agents know from elsewhere keep their spelling."""

from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType, field

from quipu.agents.audits import Audit, Overview
from quipu.agents.entries import Priority
from quipu.agents.graphs import Edge, Inspected, Node
from quipu.agents.packs import PackedSource
from quipu.memory.ingestion import StageResult
from quipu.records.entry import Category
from quipu.records.facts import Standing
from quipu.records.plan import Anchor
from quipu.records.reply import Citation, Confidence, Contract, TemporalContext, WhyRanked

__all__ = [
    "Answer",
    "AnswerHit",
    "Audited",
    "ContextPack",
    "FactAtTime",
    "FactsAtTime",
    "Fallback",
    "Found",
    "FoundFact",
    "GraphFound",
    "GraphInspected",
    "GraphPath",
    "IndexStatus",
    "Ingest",
    "IngestContract",
    "Lines",
    "Query",
    "QueryHit",
    "Recalled",
    "RecalledEntry",
    "Store",
]  # fmt: skip

Kind: TypeAlias = Literal["memory", "sessions"]


class Fallback(msgspec.Struct, frozen=True, kw_only=True):
    """What was used instead of `origin`, and why."""

    origin: str = field(name="from")
    reason: str


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One result of `memory_search`."""

    path: str
    start_line: int = field(name="startLine")
    end_line: int = field(name="endLine")
    score: float
    snippet: str
    source: Kind
    citation: str
    title: str
    source_ref: str
    why_ranked: WhyRanked
    temporal_context: TemporalContext | None
    graph_ids: tuple[str, ...]


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_search`. When the memory cannot be searched: no results, `disabled`, `error`."""

    results: tuple[Found, ...]
    provider: str | UnsetType = UNSET
    model: str | None | UnsetType = UNSET
    fallback: Fallback | None | UnsetType = UNSET
    citations: Literal["on"] | UnsetType = UNSET
    mode: str | UnsetType = UNSET
    notes: tuple[str, ...] | UnsetType = UNSET
    disabled: bool | UnsetType = UNSET
    error: str | UnsetType = UNSET


class Lines(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_get`."""

    path: str
    text: str
    start_line: int = field(name="startLine")
    end_line: int = field(name="endLine")
    truncated: bool


class Store(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_store`."""

    id: str
    category: Category
    stored: bool
    deduplicated: bool
    merged_with: str | UnsetType = field(name="mergedWithId", default=UNSET)
    token_cost: int = field(name="tokenCost")
    notes: tuple[str, ...]


class RecalledEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `memory_recall`."""

    id: str
    category: Category
    content: str
    priority: Priority
    score: float
    stored_at: str = field(name="storedAt")
    tags: tuple[str, ...]
    context: str | UnsetType = UNSET
    expires: str | None
    related_to: tuple[str, ...]
    source_ref: str
    why_ranked: WhyRanked
    temporal_context: TemporalContext | None


class RecallFallback(msgspec.Struct, frozen=True, kw_only=True):
    """Plain passages, given when no entry matches."""

    results: tuple[Found, ...]
    provider: str
    model: str | None


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_recall`."""

    entries: tuple[RecalledEntry, ...]
    token_count: int = field(name="tokenCount")
    budget_remaining: int = field(name="budgetRemaining")
    matched: int = field(name="totalEntriesMatched")
    fallback: RecallFallback | None
    notes: tuple[str, ...]


class IngestContract(msgspec.Struct, frozen=True, kw_only=True):
    """The stages of the write way, and how each ended for this batch."""

    stages: tuple[str, ...]
    stage_results: tuple[StageResult, ...] = field(name="stageResults")
    started_at: str = field(name="startedAt")
    completed_at: str = field(name="completedAt")


class Ingest(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_ingest`. `ok`: nothing went wrong; `warnings` says what did. `refused` counts junk
    (echoes, tool noise, boot text), `runId` is the job that did it."""

    ok: bool
    tool: Literal["memory_ingest"]
    run_id: str = field(name="runId")
    batch_id: str = field(name="batchId")
    trace_id: str = field(name="traceId")
    accepted: int
    unchanged: int
    source_refs: tuple[str, ...]
    refused: dict[str, int]
    warnings: tuple[str, ...]
    contract: IngestContract


class ContextPack(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_context_pack`."""

    pack: str
    sources: tuple[PackedSource, ...]
    token_count: int = field(name="tokenCount")
    bounded_by: str = field(name="boundedBy")
    left_out: int = field(name="leftOut")
    notes: tuple[str, ...]


class Audited(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_audit`: of one subject, or of the whole memory."""

    audit: Audit | None
    overview: Overview | None


class AnswerHit(msgspec.Struct, frozen=True, kw_only=True):
    """A passage that was considered; `memory_get` reads it."""

    id: str
    score: float
    source_ref: str
    why_ranked: WhyRanked
    temporal_context: TemporalContext | None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """`ask`: the answer contract, and beside it what led to it."""

    contract: Contract
    confidence: Confidence
    citations: tuple[Citation, ...]
    references: tuple[str, ...]
    hits: tuple[AnswerHit, ...]
    notes: tuple[str, ...]


class QueryHit(msgspec.Struct, frozen=True, kw_only=True):
    """A passage of `memory_query`, its text whole up to the limit asked for."""

    id: str
    score: float
    source_ref: str
    path: str
    start_line: int
    end_line: int
    title: str
    text: str
    source_type: str
    updated_at: str
    why_ranked: WhyRanked
    temporal_context: TemporalContext | None
    graph_ids: tuple[str, ...]


class FoundFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that bears on a question."""

    standing: Standing
    score: float
    parts: dict[str, float]
    source_ref: str


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_query`."""

    query: str
    mode: str
    hits: tuple[QueryHit, ...]
    facts: tuple[FoundFact, ...]
    facts_answer: bool
    anchors: tuple[Anchor, ...]
    seeds: int
    expansions: int
    notes: tuple[str, ...]


class IndexStatus(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_index_status`."""

    counts: dict[str, int]
    source_types: dict[str, int]
    generation: int
    spaces: dict[str, int]
    unembedded: int
    model: str | None
    age_s: float | None
    stale: bool
    store: str
    namespace: str
    notes: tuple[str, ...]


class GraphFound(msgspec.Struct, frozen=True, kw_only=True):
    """`graph_search`."""

    nodes: tuple[Node, ...]


class GraphInspected(Inspected, frozen=True, kw_only=True):
    """`graph_inspect`."""


class GraphPath(msgspec.Struct, frozen=True, kw_only=True):
    """`graph_path`."""

    found: bool
    nodes: tuple[Node, ...]
    steps: tuple[Edge, ...]
    bounded: bool


class FactAtTime(msgspec.Struct, frozen=True, kw_only=True):
    """A fact and how it stood then."""

    fact_id: str
    subject: str
    predicate: str
    object: str
    valid_from: str | None
    valid_to: str | None
    superseded_by: str | None
    contradicted_by: tuple[str, ...]
    confidence: float
    source_ref: str
    score: float | None


class FactsAtTime(msgspec.Struct, frozen=True, kw_only=True):
    """`fact_query_at_time`. `known` says whether the first fact answers at all."""

    at: str
    known_at: str | None
    known: bool
    facts: tuple[FactAtTime, ...]

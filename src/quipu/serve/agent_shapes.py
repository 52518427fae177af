"""What agents are given where the domain has no shape for it already. Names that agents know from
elsewhere keep their spelling."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from quipu.agents.audits import Audit, Overview
from quipu.agents.graphs import Node
from quipu.agents.recall import RecalledEntry
from quipu.facts.match import FactMatch
from quipu.handle.status import Status
from quipu.memory.ingestion import StageResult
from quipu.records.plan import Anchor
from quipu.records.refs import Category
from quipu.records.reply import Hit, TemporalContext, WhyRanked


class _Camel(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class Fallback(msgspec.Struct, frozen=True, kw_only=True):
    """What was used instead of another, and why."""

    origin: Annotated[str, "what failed or is off"] = msgspec.field(name="from")
    reason: Annotated[str, "why"]


class FoundPassage(msgspec.Struct, frozen=True, kw_only=True):
    """One result of `memory_search`."""

    path: Annotated[str, "what `memory_get` reads"]
    start_line: Annotated[int, "its first line, from 1"] = msgspec.field(name="startLine")
    end_line: Annotated[int, "its last line, included"] = msgspec.field(name="endLine")
    score: Annotated[float, "how likely it is relevant, in [0, 1]"]
    snippet: Annotated[str, "its beginning"]
    source: Annotated[Literal["memory", "sessions"], "where it comes from"]
    citation: Annotated[str, "path and lines"]
    title: Annotated[str, "the document's title and its heading or symbol"]
    source_ref: Annotated[str, "what a person opens"]
    why_ranked: Annotated[WhyRanked, "the parts of the score"]
    temporal_context: Annotated[TemporalContext | None, "when it is true, if facts took part"]
    graph_ids: Annotated[tuple[str, ...], "the graph records that tie it to the question"]
    changed: Annotated[
        str | UnsetType, "`changed since it was read`, where its file is not as it was read"
    ] = UNSET


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_search`. When the memory cannot be searched: no results, `disabled`, `error`."""

    results: Annotated[tuple[FoundPassage, ...], "the passages, best first"]
    provider: Annotated[str | UnsetType, "where vectors come from"] = UNSET
    model: Annotated[str | None | UnsetType, "their embedding space"] = UNSET
    fallback: Annotated[Fallback | None | UnsetType, "what did not take part"] = UNSET
    citations: Annotated[Literal["on"] | UnsetType, "always on"] = UNSET
    mode: Annotated[str | UnsetType, "how passages were found"] = UNSET
    notes: Annotated[tuple[str, ...] | UnsetType, "what should be known about the result"] = UNSET
    disabled: Annotated[bool | UnsetType, "the memory cannot be searched"] = UNSET
    error: Annotated[str | UnsetType, "why not"] = UNSET


class Lines(_Camel, frozen=True, kw_only=True):
    """`memory_get`."""

    path: Annotated[str, "what was read"]
    text: Annotated[str, "the lines"]
    start_line: Annotated[int, "the first of them, from 1"]
    end_line: Annotated[int, "the last, included"]
    truncated: Annotated[bool, "more was asked for than fits"]
    changed: Annotated[
        str | UnsetType, "`changed since it was read`, where the file is not as it was read"
    ] = UNSET


class ReplacedFact(_Camel, frozen=True, kw_only=True):
    """A fact that no longer holds because of what was stored."""

    ref: Annotated[str, "the source that states it; `memory_get` opens it"]
    fact_id: Annotated[str, "its id"]
    said: Annotated[str, "what it says"]


class StoreResult(_Camel, frozen=True, kw_only=True):
    """`memory_store`."""

    id: Annotated[str, "what names the entry"]
    category: Annotated[Category, "its category"]
    stored: Annotated[bool, "it is remembered"]
    deduplicated: Annotated[bool, "it was merged with another"]
    merged_with: Annotated[str | UnsetType, "which one"] = msgspec.field(
        name="mergedWithId", default=UNSET
    )
    token_cost: Annotated[int, "about how many tokens it has"]
    replaces: Annotated[tuple[ReplacedFact, ...], "facts whose place it takes"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


class RecallFallback(msgspec.Struct, frozen=True, kw_only=True):
    """Plain passages, given when no entry matches."""

    results: Annotated[tuple[FoundPassage, ...], "the passages, best first"]
    provider: Annotated[str, "where vectors come from"]
    model: Annotated[str | None, "their embedding space"]


class Recalled(_Camel, frozen=True, kw_only=True):
    """`memory_recall`."""

    entries: Annotated[tuple[RecalledEntry, ...], "the entries, best first"]
    token_count: Annotated[int, "about how many tokens came back"]
    budget_remaining: Annotated[int, "tokens left of the budget"]
    matched: Annotated[int, "entries before the cut"] = msgspec.field(name="totalEntriesMatched")
    fallback: Annotated[RecallFallback | None, "passages, when no entry matches"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


class IngestContract(_Camel, frozen=True, kw_only=True):
    """The stages of the write way, and how each ended for this batch."""

    stages: Annotated[tuple[str, ...], "their names"]
    stage_results: Annotated[tuple[StageResult, ...], "whether each did its work"]
    started_at: Annotated[str, "when the batch began"]
    completed_at: Annotated[str, "when it was done"]


class Ingest(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_ingest`."""

    ok: Annotated[bool, "nothing went wrong"]
    tool: Annotated[Literal["memory_ingest"], "this tool"] = "memory_ingest"
    run_id: Annotated[str, "the job that did it"] = msgspec.field(name="runId")
    batch_id: Annotated[str, "a hash of the batch"] = msgspec.field(name="batchId")
    trace_id: Annotated[str, "as it was given"] = msgspec.field(name="traceId")
    accepted: Annotated[int, "items that are stored"]
    unchanged: Annotated[int, "items that were there already"]
    source_refs: Annotated[tuple[str, ...], "what a person opens"]
    refused: Annotated[dict[str, int], "junk (echoes, tool noise, boot text), by rule"]
    warnings: Annotated[tuple[str, ...], "items that cannot be used, and why"]
    contract: Annotated[IngestContract, "what was done"]


class Audited(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_audit`."""

    audit: Annotated[Audit | None, "of one subject"] = None
    overview: Annotated[Overview | None, "of the whole memory"] = None


class AuditPage(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_audit`, a page of it: `cursor` takes `next_cursor`."""

    lines: Annotated[
        tuple[str, ...], "what held, what disagrees, the timeline with what took whose place"
    ] = ()
    overview: Annotated[Overview | None, "of the whole memory"] = None


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """`memory_query`."""

    query: Annotated[str, "as it was asked"]
    mode: Annotated[str, "how passages were found"]
    hits: Annotated[tuple[Hit, ...], "the passages, best first"]
    facts: Annotated[tuple[FactMatch, ...], "dated facts that bear on it, best first"]
    facts_answer: Annotated[bool, "whether the first of them answers"]
    anchors: Annotated[tuple[Anchor, ...], "graph records that the query names"]
    seeds: Annotated[int, "passages it leads to directly"]
    expansions: Annotated[int, "records reached over a relation"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


class IndexStatus(Status, frozen=True, kw_only=True):
    """`memory_index_status`."""

    source_types: Annotated[dict[str, int], "sources by kind"]
    note: Annotated[str, "what to know before using it, such as that there is no memory yet"] = ""


class GraphFound(msgspec.Struct, frozen=True, kw_only=True):
    """`graph_search`."""

    nodes: Annotated[tuple[Node, ...], "the things, best first"]


class FactAtTime(msgspec.Struct, frozen=True, kw_only=True):
    """A fact and how it stood then."""

    fact_id: Annotated[str, "its id"]
    subject: Annotated[str, "whom or what it is about"]
    predicate: Annotated[str, "what it says of it"]
    object: Annotated[str, "what it says it is"]
    valid_from: Annotated[str | None, "from when it holds, or null"]
    valid_to: Annotated[str | None, "until when it holds, excluded; or null"]
    superseded_by: Annotated[str | None, "the fact that took its place"]
    contradicted_by: Annotated[tuple[str, ...], "the facts that disagree"]
    confidence: Annotated[float, "how sure it is, in [0, 1]"]
    source_ref: Annotated[str, "the source that said it"]
    score: Annotated[float | None, "how well it fits the question"] = None


class FactsAtTime(msgspec.Struct, frozen=True, kw_only=True):
    """`fact_query_at_time`."""

    at: Annotated[str, "the date"]
    known_at: Annotated[str | None, "judged by what was known then"] = None
    known: Annotated[bool, "whether the first fact answers at all"]
    facts: Annotated[tuple[FactAtTime, ...], "the facts, best first"]


class GraphStats(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/graph/stats`."""

    counts: Annotated[dict[str, int], "live records by kind"]
    entities: Annotated[dict[str, int], "things by type"]
    relations: Annotated[dict[str, int], "relations by type"]

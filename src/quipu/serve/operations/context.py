"""What agents ask: passages, packs of context, everything that bears on a question."""

from typing import Annotated, Literal, Unpack

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from quipu.agents.budget import cut
from quipu.agents.packs import LEAST_SURE, Pack, context_pack
from quipu.errors import BrokenPromise, Mistake, QuipuError, Unavailable
from quipu.facts.match import FactMatch
from quipu.limits import LISTED, NAMED
from quipu.memory import Memory
from quipu.records.plan import Anchor, Mode
from quipu.records.reply import Hit, Retrieved, TemporalContext, WhyRanked
from quipu.records.scope import Scope
from quipu.serve.operations import Http, Tool, operation
from quipu.serve.operations.asking import (
    CAMEL,
    Asked,
    Bounds,
    Explain,
    OnePath,
    SearchMode,
    UseGraph,
    of_path,
    scope_of,
)
from quipu.serve.shapes import notes_of, shaped

__all__: list[str] = []

_SNIPPET = 700
_GRAPH_FAILED = "The graph could not be read"
_UNASKED = "statuses domains paths languages"

Least = Annotated[float, "leave out what is less likely relevant", Meta(ge=0, le=1)]


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


@operation(
    "read",
    Tool(
        "memory_search",
        "Search memory",
        spelled=CAMEL,
        default={"mode": "local"},
        unlisted="use_graph min_score",
    ),
)
def memory_search(
    memory: Memory,
    query: Asked,
    max_results: Annotated[int, "how many", Meta(ge=1, le=50)] = 8,
    min_score: Least = 0.0,
    use_graph: UseGraph = True,
    mode: SearchMode = None,
    path: OnePath = None,
) -> SearchResult:
    """Search documents, code, conversations and entries, before you answer about earlier work.

    memory_get reads more of a result. If `disabled` is true, tell the user, with `error`.
    """
    scope = of_path(memory, path)
    try:
        found, fallback = _retrieved(memory, query, max_results, use_graph, mode, scope)
        provider, model = provider_of(memory)
    except (Unavailable, BrokenPromise) as error:
        return SearchResult(results=(), disabled=True, error=str(error))
    kept = [hit for hit in found.hits if hit.score >= min_score]
    notes = list(notes_of(found))
    if below := [hit.score for hit in found.hits if hit.score < min_score]:
        notes.append(
            f"{len(below)} passages score below minScore {min_score:g}; the best of them "
            f"{max(below):.2f}"
        )
    if fallback is None and model is None:
        fallback = Fallback(origin="vectors", reason="no model: words and graph only")
    return SearchResult(
        results=tuple(map(found_passage, kept)),
        provider=provider,
        model=model,
        fallback=fallback,
        citations="on",
        mode=mode or "local",
        notes=tuple(notes),
    )


@operation(
    "read",
    Http(
        "POST /api/memory/context-pack",
        name="memory_pack",
        body="PackRequest",
        spelled=CAMEL,
        without="path",
        default={"mode": "local"},
    ),
    Tool(
        "memory_context_pack",
        "Pack context",
        spelled=CAMEL,
        default={"mode": "local"},
        unlisted="use_graph min_score token_budget max_sources",
    ),
)
def context(
    memory: Memory,
    query: Asked,
    max_chars: Annotated[int, "the pack's length at most", Meta(ge=400, le=100_000)] = 2000,
    token_budget: Annotated[
        Annotated[int, Meta(ge=100, le=25_000)] | None, "its tokens at most, if given"
    ] = None,
    max_sources: Annotated[int, "how many sources", Meta(ge=1, le=30)] = 8,
    min_score: Least = LEAST_SURE,
    use_graph: UseGraph = True,
    mode: SearchMode = None,
    path: OnePath = None,
) -> Pack:
    """Get one bounded message with the best sources for a question, ready to answer from.

    Sources are numbered [n]; cite them so. `boundedBy` names the budget that cut it.
    """
    return context_pack(
        memory,
        query,
        max_chars=max_chars,
        token_budget=token_budget,
        max_sources=max_sources,
        min_score=min_score,
        mode=mode,
        use_graph=use_graph,
        scope=of_path(memory, path),
    )


@operation(
    "read",
    Http(
        "POST /api/memory/query",
        name="memory_query",
        body="MemoryQuery",
        spelled=CAMEL,
        without=_UNASKED,
    ),
    Tool(
        "memory_query",
        "Query memory",
        spelled=CAMEL,
        without=_UNASKED,
        unlisted="use_graph explain max_chars",
    ),
)
def everything(
    memory: Memory,
    query: Asked,
    limit: Annotated[int, "how many passages", Meta(ge=1, le=50)] = 10,
    mode: Annotated[Mode, "how passages are found"] = "local",
    use_graph: UseGraph = True,
    explain: Explain = False,
    characters: Annotated[int, "each passage's text at most", Meta(ge=100, le=4000)] = 1500,
    **bounds: Unpack[Bounds],
) -> Query:
    """Search with filters, and get everything: passages, matching dated facts, the plan."""
    scope = scope_of(memory, bounds)
    found = memory.search(
        query, limit=limit, mode=mode, scope=scope, use_graph=use_graph, explain=explain
    )
    facts = memory.facts.find(query, scope=scope, limit=limit)
    return Query(
        query=query,
        mode=mode,
        hits=tuple(
            replace(hit, text=cut(hit.text, characters), graph_ids=hit.graph_ids[:LISTED])
            for hit in found.hits
        ),
        facts=facts.matches,
        facts_answer=facts.known,
        anchors=found.plan.anchors,
        seeds=len(found.plan.seeds),
        expansions=len(found.plan.expansions),
        notes=notes_of(found),
    )


def _retrieved(
    memory: Memory, query: str, limit: int, use_graph: bool, mode: Mode | None, scope: Scope
) -> tuple[Retrieved, Fallback | None]:
    """What is found; by plain search, and marked so, when the graph is off or fails."""
    if not use_graph:
        found = memory.search(query, limit=limit, mode=mode, scope=scope, use_graph=False)
        return found, Fallback(origin="graph", reason="useGraph is false")
    try:
        found = memory.search(query, limit=limit, mode=mode, scope=scope)
    except Mistake:
        raise
    except QuipuError as error:
        found = memory.search(query, limit=limit, mode=mode, scope=scope, use_graph=False)
        return found, Fallback(origin="graph", reason=str(error))
    failed = next((note for note in found.plan.notes if note.startswith(_GRAPH_FAILED)), None)
    return found, Fallback(origin="graph", reason=failed) if failed else None


def found_passage(hit: Hit) -> FoundPassage:
    """A hit as `memory_search` shows it."""
    end = f"-L{hit.end_line}" if hit.end_line != hit.start_line else ""
    return shaped(
        FoundPassage,
        hit,
        snippet=cut(hit.text, _SNIPPET),
        source="sessions" if hit.source_type == "session" else "memory",
        citation=f"{hit.path}#L{hit.start_line}{end}",
        graph_ids=hit.graph_ids[:NAMED],
    )


def provider_of(memory: Memory) -> tuple[str, str | None]:
    """Where vectors come from, and the name of their space; ("none", None) without a model."""
    embedder = memory.embedder
    return ("local", embedder.space) if embedder else ("none", None)

"""What agents ask: passages, packs of context, everything that bears on a question."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from quipu.agents.budget import cut
from quipu.agents.packs import Pack, context_pack
from quipu.errors import BrokenPromise, Mistake, QuipuError, Unavailable
from quipu.memory import Memory
from quipu.records.plan import Mode
from quipu.records.reply import Retrieved
from quipu.records.scope import Scope, read_scope
from quipu.serve.agent_shapes import Fallback, Query, SearchResult
from quipu.serve.lookups import found_passage, provider_of
from quipu.serve.operations import Http, Tool, operation
from quipu.serve.operations.asking import (
    CAMEL,
    After,
    Asked,
    Before,
    DocumentTypes,
    Explain,
    Groups,
    OnePath,
    SearchMode,
    SourceTypes,
    UseGraph,
    of_path,
)
from quipu.serve.results import KEPT, notes_of

__all__: list[str] = []

_MOST_IDS = 20
_GRAPH_FAILED = "The graph could not be read"

Least = Annotated[float, "leave out what is less likely relevant", Meta(ge=0, le=1)]


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
    min_score: Least = KEPT,
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
    Http("POST /api/memory/query", name="memory_query", body="MemoryQuery", spelled=CAMEL),
    Tool("memory_query", "Query memory", spelled=CAMEL),
)
def everything(
    memory: Memory,
    query: Asked,
    limit: Annotated[int, "how many passages", Meta(ge=1, le=50)] = 10,
    mode: Annotated[Mode, "how passages are found"] = "local",
    use_graph: UseGraph = True,
    groups: Groups = (),
    source_types: SourceTypes = (),
    document_types: DocumentTypes = (),
    before: Before = None,
    after: After = None,
    explain: Explain = False,
    characters: Annotated[int, "each passage's text at most", Meta(ge=100, le=4000)] = 1500,
) -> Query:
    """Search with filters, and get everything: passages, matching dated facts, the plan."""
    scope = read_scope(
        groups=groups,
        source_types=source_types,
        document_types=document_types,
        before=before,
        after=after,
    )
    found = memory.search(
        query, limit=limit, mode=mode, scope=scope, use_graph=use_graph, explain=explain
    )
    facts = memory.facts.find(query, scope=scope, limit=limit)
    return Query(
        query=query,
        mode=mode,
        hits=tuple(
            replace(hit, text=cut(hit.text, characters), graph_ids=hit.graph_ids[:_MOST_IDS])
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

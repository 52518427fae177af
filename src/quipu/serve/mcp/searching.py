"""The tools that read passages: `memory_search`, `memory_get`, `memory_context_pack`, `ask`."""

from typing import Annotated, Literal

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from quipu.agents.packs import Pack, context_pack
from quipu.answer.render import reference
from quipu.errors import BrokenPromise, Mistake, QuipuError, Unavailable
from quipu.memory import Memory
from quipu.memory.excerpts import read_lines
from quipu.records.reply import Retrieved
from quipu.records.scope import EVERYTHING, Scope
from quipu.serve.lookups import found_passage, provider_of
from quipu.serve.mcp.shapes import AskResult, Fallback, Lines, SearchResult
from quipu.serve.mcp.tool import make_tool
from quipu.serve.results import KEPT, answer, notes_of, shaped

__all__ = ["SearchMode", "searching_tools"]

Mode = Literal["local", "documents", "global"]

_GRAPH_FAILED = "The graph could not be read"

Query = Annotated[str, Field(description="What to look for, in plain words.", max_length=20_000)]
SearchMode = Annotated[
    Mode,
    Field(
        description="local: names and relations widen the search. documents: one hop between "
        "documents. global: themes and status of everything, from reports."
    ),
]
Path = Annotated[
    str | None, Field(description="Only files that match this pattern, as in .gitignore.")
]
UseGraph = Annotated[
    bool, Field(description="False searches by words and vectors only, without the graph.")
]


def searching_tools(memory: Memory) -> list[Tool]:
    """The tools over one memory."""
    return [_search_tool(memory), _get_tool(memory), _pack_tool(memory), _ask_tool(memory)]


def _search_tool(memory: Memory) -> Tool:
    def memory_search(
        query: Query,
        maxResults: Annotated[int, Field(ge=1, le=50, description="How many.")] = 6,  # noqa: N803
        minScore: Annotated[  # noqa: N803
            float, Field(ge=0, le=1, description="Leave out what is less likely to be relevant.")
        ] = KEPT,
        useGraph: UseGraph = True,  # noqa: N803
        mode: SearchMode = "local",
        path: Path = None,
    ) -> SearchResult:
        """Search everything that is remembered: documents, code, conversations, entries.

        Do this before answering about earlier work, decisions, dates, people, preferences or
        to-dos. Each result says where it stands (read more with memory_get) and why it was found.
        If `disabled` is true the memory cannot be searched: tell the user, with `error`.
        """
        scope = _scope(memory, path)
        return _search(memory, query, maxResults, minScore, useGraph, mode, scope)

    return make_tool(memory_search, title="Search memory")


def _get_tool(memory: Memory) -> Tool:
    def memory_get(
        path: Annotated[str, Field(description="A path, an entry's id or session:<id>[#turn].")],
        from_: Annotated[
            int, Field(alias="from", ge=1, description="The first line, counted from 1.")
        ] = 1,
        lines: Annotated[
            int | None,
            Field(ge=1, le=5000, description="How many lines; all if left out."),
        ] = None,
    ) -> Lines:
        """Read lines of something that memory_search found, exactly as they are remembered."""
        return shaped(Lines, read_lines(memory, path, first=from_, count=lines))

    return make_tool(memory_get, title="Read from memory")


def _pack_tool(memory: Memory) -> Tool:
    def memory_context_pack(
        query: Query,
        maxChars: Annotated[  # noqa: N803
            int, Field(ge=400, le=100_000, description="The pack's length at most.")
        ] = 2000,
        token_budget: Annotated[
            int | None, Field(ge=100, le=25_000, description="Its tokens at most, if given.")
        ] = None,
        maxSources: Annotated[int, Field(ge=1, le=30, description="How many sources.")] = 8,  # noqa: N803
        minScore: Annotated[  # noqa: N803
            float, Field(ge=0, le=1, description="Leave out what is less likely relevant.")
        ] = KEPT,
        useGraph: UseGraph = True,  # noqa: N803
        mode: SearchMode = "local",
        path: Path = None,
    ) -> Pack:
        """Get one bounded message with the best sources for a question, ready to answer from.

        Sources are numbered [n] by confidence; cite them so. The tightest budget wins and
        `boundedBy` names it.
        """
        return context_pack(
            memory,
            query,
            max_chars=maxChars,
            token_budget=token_budget,
            max_sources=maxSources,
            min_score=minScore,
            mode=mode,
            use_graph=useGraph,
            scope=_scope(memory, path),
        )

    return make_tool(memory_context_pack, title="Pack context")


def _ask_tool(memory: Memory) -> Tool:
    def ask(
        question: Annotated[str, Field(description="One question.", max_length=20_000)],
        limit: Annotated[int, Field(ge=1, le=50, description="Passages considered.")] = 10,
        useGraph: UseGraph = True,  # noqa: N803
        mode: SearchMode = "local",
        path: Path = None,
    ) -> AskResult:
        """Answer a question from memory with citations, or say `unknown`.

        The answer is made of the evidence's own sentences; [n] is evidence[n-1]. It is the word
        unknown where the evidence is missing; `limitations` says what is doubtful.
        """
        scope = _scope(memory, path)
        reply = memory.ask(question, limit=limit, mode=mode, scope=scope, use_graph=useGraph)
        references = tuple(map(reference, reply.citations))
        return answer(AskResult, reply, references=references)

    return make_tool(ask, title="Ask memory")


def _scope(memory: Memory, path: str | None) -> Scope:
    return memory.within(paths=[path]) if path else EVERYTHING


def _search(
    memory: Memory,
    query: str,
    limit: int,
    least: float,
    use_graph: bool,
    mode: Mode,
    scope: Scope,
) -> SearchResult:
    try:
        found, fallback = _retrieved(memory, query, limit, use_graph, mode, scope)
        hits = found.hits
        provider, model = provider_of(memory)
    except (Unavailable, BrokenPromise) as error:
        return SearchResult(results=(), disabled=True, error=str(error))
    kept = [hit for hit in hits if hit.score >= least]
    notes = list(notes_of(found))
    if len(kept) < len(hits):
        notes.append(
            f"{len(hits) - len(kept)} passages score below minScore {least:g}; the best of them "
            f"{max(h.score for h in hits if h.score < least):.2f}"
        )
    if fallback is None and model is None:
        fallback = Fallback(origin="vectors", reason="no model: words and graph only")
    return SearchResult(
        results=tuple(found_passage(hit) for hit in kept),
        provider=provider,
        model=model,
        fallback=fallback,
        citations="on",
        mode=mode,
        notes=tuple(notes),
    )


def _retrieved(
    memory: Memory, query: str, limit: int, use_graph: bool, mode: Mode, scope: Scope
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

"""The further tools of the profile `full`: queries with filters, the graph, facts at a time."""

from collections import Counter
from typing import Annotated

from mcp.server.mcpserver.tools import Tool
from msgspec.structs import replace
from pydantic import Field

from quipu.agents.budget import cut
from quipu.agents.graphs import Inspected, Path, find_nodes, find_path, inspect
from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.records.scope import Scope
from quipu.serve.mcp.searching import MOST_IDS, SearchMode
from quipu.serve.mcp.shapes import FactAtTime, FactsAtTime, GraphFound, IndexStatus, Query
from quipu.serve.mcp.tool import make_tool
from quipu.serve.results import notes_of, shaped
from quipu.when.instants import parse_instant

__all__ = ["inspecting_tools"]

Names = Annotated[list[str], Field(description="Only these; none for all.")]
Ref = Annotated[str, Field(description="An id, a path or a unique name.")]
Date = Annotated[str, Field(description="An ISO date; empty for no bound.")]
Types = Annotated[list[str], Field(description="Only these types; none for all.")]


def inspecting_tools(memory: Memory) -> list[Tool]:
    """The tools over one memory."""
    return [
        _query_tool(memory),
        _status_tool(memory),
        *_graph_tools(memory),
        _fact_tool(memory),
    ]


def _query_tool(memory: Memory) -> Tool:
    def memory_query(
        query: Annotated[str, Field(description="A question or words.", max_length=20_000)],
        limit: Annotated[int, Field(ge=1, le=50, description="How many passages.")] = 10,
        mode: SearchMode = "local",
        useGraph: Annotated[bool, Field(description="False: words and vectors only.")] = True,  # noqa: N803
        groups: Names = [],  # noqa: B006  never changed
        source_types: Names = [],  # noqa: B006
        document_types: Types = [],  # noqa: B006
        before: Date = "",
        after: Date = "",
        explain: Annotated[bool, Field(description="Every number behind a score.")] = False,
        maxChars: Annotated[  # noqa: N803
            int, Field(ge=100, le=4000, description="Each passage's text at most.")
        ] = 1500,
    ) -> Query:
        """Search with filters, and get everything: passages, matching dated facts, the plan."""
        scope = Scope(
            groups=frozenset(groups),
            source_types=frozenset(source_types),
            document_types=frozenset(document_types),
            before=parse_instant(before) if before else None,
            after=parse_instant(after) if after else None,
        )
        found = memory.search(
            query, limit=limit, mode=mode, scope=scope, use_graph=useGraph, explain=explain
        )
        facts = memory.find_facts(query, scope=scope, limit=limit)
        return Query(
            query=query,
            mode=mode,
            hits=tuple(
                replace(hit, text=cut(hit.text, maxChars), graph_ids=hit.graph_ids[:MOST_IDS])
                for hit in found.hits
            ),
            facts=facts.matches,
            facts_answer=facts.known,
            anchors=found.plan.anchors,
            seeds=len(found.plan.seeds),
            expansions=len(found.plan.expansions),
            notes=notes_of(found),
        )

    return make_tool(memory_query, title="Query memory")


def _status_tool(memory: Memory) -> Tool:
    def memory_index_status() -> IndexStatus:
        """Say what is stored, how old the index is and what still lacks a vector."""
        kinds = Counter(source.source_type for source in memory.store.sources())
        return shaped(IndexStatus, memory.stats(), source_types=dict(sorted(kinds.items())))

    return make_tool(memory_index_status, title="Memory status")


def _graph_tools(memory: Memory) -> list[Tool]:
    def graph_search(
        query: Annotated[str, Field(description="A name, or words about it.", max_length=20_000)],
        types: Types = [],  # noqa: B006  never changed
        limit: Annotated[int, Field(ge=1, le=50, description="How many.")] = 10,
    ) -> GraphFound:
        """Find things in the graph: documents, symbols, people, services, names."""
        return GraphFound(nodes=find_nodes(memory, query, types=types, limit=limit))

    def graph_inspect(
        ref: Ref, limit: Annotated[int, Field(ge=1, le=100, description="Of each.")] = 25
    ) -> Inspected:
        """Look at one thing: what it is, how it is tied to others, what is said of it, by whom."""
        return inspect(memory, ref, limit=limit)

    def graph_path(
        source: Ref,
        target: Ref,
        max_hops: Annotated[int, Field(ge=1, le=6, description="Its length at most.")] = 4,
        types: Types = [],  # noqa: B006
    ) -> Path:
        """Find the shortest way from one thing to another over typed relations."""
        return find_path(memory, source, target, max_hops=max_hops, types=types)

    return [
        make_tool(graph_search, title="Search the graph"),
        make_tool(graph_inspect, title="Inspect a thing"),
        make_tool(graph_path, title="Find a way"),
    ]


def _fact_tool(memory: Memory) -> Tool:
    def fact_query_at_time(
        query: Annotated[str, Field(description="A question; or give a subject.")] = "",
        subject: Annotated[str, Field(description="Everything that held of this.")] = "",
        at: Annotated[str, Field(description="The date; empty for now.")] = "",
        known_at: Date = "",
        limit: Annotated[int, Field(ge=1, le=100, description="How many.")] = 10,
    ) -> FactsAtTime:
        """Ask what was true at a date: a question in words, or everything about a subject.

        `known_at` (with a subject) judges by what was known then.
        """
        moment = at or memory.clock()[:10]
        if subject.strip():
            return _of_subject(memory, subject, moment, known_at, limit)
        if not query.strip():
            raise InvalidInput("nothing is asked: give a query or a subject")
        if known_at:
            raise InvalidInput("known_at needs a subject: a query is asked of what is known now")
        return _of_question(memory, query, moment, limit)

    return make_tool(fact_query_at_time, title="Facts at a time")


def _of_subject(memory: Memory, subject: str, at: str, known_at: str, limit: int) -> FactsAtTime:
    found = memory.history(subject, as_of=at, known_at=known_at or None)
    return FactsAtTime(
        at=at,
        known_at=known_at or None,
        known=bool(found.entries),
        facts=tuple(shaped(FactAtTime, each, each.fact) for each in found.entries[:limit]),
    )


def _of_question(memory: Memory, query: str, at: str, limit: int) -> FactsAtTime:
    found = memory.find_facts(query, now=parse_instant(_whole_date(at)), limit=limit)
    return FactsAtTime(
        at=at,
        known=found.known,
        facts=tuple(
            shaped(FactAtTime, each, each.standing, each.standing.fact) for each in found.matches
        ),
    )


def _whole_date(at: str) -> str:
    """A year or a month as its first day."""
    return at + "-01-01"[3 * (at.count("-")) :] if len(at) in {4, 7} else at

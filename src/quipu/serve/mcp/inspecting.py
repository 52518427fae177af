"""The further tools of the profile `full`: queries with filters, the graph, facts at a time."""

from typing import Annotated

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from quipu.agents.graphs import Inspected, Path, find_nodes, find_path, inspect
from quipu.memory import Memory
from quipu.records.scope import read_scope
from quipu.serve.lookups import facts_at, index_status
from quipu.serve.lookups import query as query_memory
from quipu.serve.mcp.searching import SearchMode
from quipu.serve.mcp.shapes import FactsAtTime, GraphFound, IndexStatus, Query
from quipu.serve.mcp.tool import make_tool

__all__ = ["inspecting_tools"]

Names = Annotated[list[str], Field(description="Only these; none for all.")]
Ref = Annotated[str, Field(description="An id, a path or a unique name.")]
Date = Annotated[str, Field(description="An ISO date; empty for no bound.")]
Types = Annotated[list[str], Field(description="Only these types; none for all.")]


def inspecting_tools(memory: Memory, note: str = "") -> list[Tool]:
    """The tools over one memory; the status tells `note`."""
    return [
        _query_tool(memory),
        _status_tool(memory, note),
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
        scope = read_scope(
            groups=groups,
            source_types=source_types,
            document_types=document_types,
            before=before,
            after=after,
        )
        return query_memory(
            memory,
            query,
            limit=limit,
            mode=mode,
            scope=scope,
            use_graph=useGraph,
            explain=explain,
            characters=maxChars,
        )

    return make_tool(memory_query, title="Query memory")


def _status_tool(memory: Memory, note: str) -> Tool:
    def memory_index_status() -> IndexStatus:
        """Say what is stored, how old the index is and what still lacks a vector."""
        return index_status(memory, note)

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
        return facts_at(
            memory, question=query, subject=subject, at=at, known_at=known_at, limit=limit
        )

    return make_tool(fact_query_at_time, title="Facts at a time")

"""The graph, and the memory as agents' web tools know it: queries, packs, audits."""

from collections import Counter
from typing import Annotated

from litestar import get, post
from litestar.params import JSONBody, QueryParameter

from quipu.agents.graphs import (
    Inspected,
    Neighborhood,
    find_nodes,
    inspect,
    neighborhood,
    sample,
)
from quipu.agents.packs import Pack, context_pack
from quipu.memory import Memory
from quipu.records.record import Entity, Relation, record_id
from quipu.records.scope import read_scope
from quipu.serve.http.given import AskedName, HowMany, Ref, TheMemory
from quipu.serve.http.routes.records import audit_of
from quipu.serve.http.shapes import FactQuery, GraphStats, MemoryQuery, PackRequest
from quipu.serve.lookups import facts_at, index_status, query
from quipu.serve.mcp.shapes import FactsAtTime, GraphFound, IndexStatus, Query

__all__ = ["ROUTES"]

_READ = {"needs": "read"}

Types = Annotated[
    list[str] | None, QueryParameter(max_items=50, description="only relations of these types")
]
Most = Annotated[int, QueryParameter(ge=1, le=5000, description="how many things at most")]


@post("/memory/query", status_code=200, sync_to_thread=True, opt=_READ)
def memory_query(memory: TheMemory, data: JSONBody[MemoryQuery]) -> Query:
    """Search with filters, and get everything: passages, dated facts, the plan."""
    scope = read_scope(
        groups=data.groups,
        source_types=data.source_types,
        document_types=data.document_types,
        before=data.before,
        after=data.after,
    )
    return query(
        memory,
        data.query,
        limit=data.limit,
        mode=data.mode,
        scope=scope,
        use_graph=data.use_graph,
        explain=data.explain,
        characters=data.characters,
    )


@post("/memory/context-pack", status_code=200, sync_to_thread=True, opt=_READ)
def memory_pack(memory: TheMemory, data: JSONBody[PackRequest]) -> Pack:
    """Get one bounded message with the best sources for a question, ready to answer from."""
    return context_pack(
        memory,
        data.query,
        max_chars=data.max_chars,
        token_budget=data.token_budget,
        max_sources=data.max_sources,
        min_score=data.min_score,
        mode=data.mode,
        use_graph=data.use_graph,
    )


@get("/memory/status", sync_to_thread=True, opt=_READ)
def memory_status(memory: TheMemory) -> IndexStatus:
    """Say what is stored, how old the index is and what still lacks a vector."""
    return index_status(memory)


memory_audit = get("/memory/audit", sync_to_thread=True, opt=_READ)(audit_of)


@post("/facts/query-at-time", status_code=200, sync_to_thread=True, opt=_READ)
def facts_query(memory: TheMemory, data: JSONBody[FactQuery]) -> FactsAtTime:
    """Ask what was true at a date: a question in words, or everything about a subject."""
    return facts_at(
        memory,
        question=data.query,
        subject=data.subject,
        at=data.at,
        known_at=data.known_at,
        limit=data.limit,
    )


@get("/graph/stats", sync_to_thread=True, opt=_READ)
def graph_stats(memory: TheMemory) -> GraphStats:
    """Count things and relations by type."""
    return GraphStats(
        counts=memory.graph.counts(),
        entities=_types(memory, "entity"),
        relations=_types(memory, "relation"),
    )


@get("/graph/search", sync_to_thread=True, opt=_READ)
def graph_search(
    memory: TheMemory,
    text: Annotated[str, QueryParameter(name="query", min_length=1, max_length=2000)],
    types: Types = None,
    limit: Annotated[int, QueryParameter(ge=1, le=50)] = 10,
) -> GraphFound:
    """Find things by their name, or by words about them."""
    return GraphFound(nodes=find_nodes(memory, text, types=types or (), limit=limit))


@get("/graph/neighborhood", sync_to_thread=True, opt=_READ)
def graph_neighborhood(
    memory: TheMemory,
    ref: AskedName = None,
    hops: Annotated[int, QueryParameter(ge=1, le=3, description="relations in a row")] = 1,
    types: Types = None,
    limit: Most = 200,
) -> Neighborhood:
    """Show what is around a thing; without one, a part of everything."""
    if ref is None:
        return sample(memory, limit=limit, types=types or ())
    return neighborhood(memory, ref, hops=hops, limit=limit, types=types or ())


@get("/graph/entity/{ref:path}", sync_to_thread=True, opt=_READ)
def graph_entity(memory: TheMemory, ref: Ref, limit: HowMany = 50) -> Inspected:
    """Look at one thing: what it is, how it is tied to others, what is said of it, by whom."""
    return inspect(memory, ref.removeprefix("/"), limit=limit)


def _types(memory: Memory, kind: str) -> dict[str, int]:
    counted: Counter[str] = Counter()
    after = ""
    while page := memory.graph.scan("entity" if kind == "entity" else "relation", after=after):
        counted.update(each.type for each in page if isinstance(each, Entity | Relation))
        after = record_id(page[-1])
    return dict(sorted(counted.items()))


ROUTES = [
    memory_query,
    memory_pack,
    memory_status,
    memory_audit,
    facts_query,
    graph_stats,
    graph_search,
    graph_neighborhood,
    graph_entity,
]

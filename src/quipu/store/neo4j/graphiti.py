"""What `graphiti-core` wrote into a Neo4j database, read as it lies there."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from quipu.errors import InvalidInput
from quipu.records.ids import kind_of
from quipu.store.graphs import GraphitiEdge, GraphitiEpisode, GraphitiGraph, GraphitiNode
from quipu.store.neo4j import driver_needed

if TYPE_CHECKING:
    from quipu.store.neo4j.connection import Connection

__all__ = ["read_graphiti"]

_PAGE = 5_000


def read_graphiti(url: str) -> GraphitiGraph:
    """The graph at `url`, an address as of a store. Raises StoreUnavailable, and InvalidInput when
    no graph of Graphiti's is there."""
    with driver_needed():
        from quipu.store.neo4j.connection import Address, Connection
    link = Connection(Address.of(url))
    try:
        read = GraphitiGraph(
            [GraphitiNode(*row) for row in _rows(link, _NODES)],
            [GraphitiEpisode(*row) for row in _rows(link, _EPISODES)],
            [GraphitiEdge(*row) for row in _rows(link, _EDGES)],
        )
    finally:
        link.close()
    if not (read.nodes or read.episodes):
        raise InvalidInput(
            f"{link.address} holds nothing that Graphiti wrote: name its database, "
            "neo4j://HOST/DATABASE"
        )
    return read


_NODES = """
MATCH (n:Entity) WHERE n.uuid > $after WITH n ORDER BY n.uuid LIMIT $page
RETURN n.uuid, coalesce(n.group_id, ''), coalesce(n.name, ''), coalesce(n.summary, ''),
       [l IN labels(n) WHERE l <> 'Entity'], coalesce(toString(n.created_at), '')
"""
_EPISODES = """
MATCH (n:Episodic) WHERE n.uuid > $after WITH n ORDER BY n.uuid LIMIT $page
RETURN n.uuid, coalesce(n.group_id, ''), coalesce(n.name, ''), coalesce(n.content, ''),
       coalesce(n.source, ''), coalesce(n.source_description, ''),
       coalesce(toString(n.created_at), ''), coalesce(toString(n.valid_at), ''),
       COLLECT { MATCH (n)-[:MENTIONS]->(e:Entity) RETURN DISTINCT e.uuid AS u ORDER BY u }
"""
_EDGES = """
MATCH (a:Entity)-[e:RELATES_TO]->(b:Entity) WHERE e.uuid > $after
WITH a, e, b ORDER BY e.uuid LIMIT $page
RETURN e.uuid, coalesce(e.group_id, ''), a.uuid, b.uuid, coalesce(e.name, ''),
       coalesce(e.fact, ''), coalesce(e.episodes, []), coalesce(toString(e.created_at), ''),
       coalesce(toString(e.valid_at), ''), coalesce(toString(e.invalid_at), ''),
       coalesce(toString(e.expired_at), '')
"""


def _rows(link: "Connection", cypher: str) -> list[Sequence[Any]]:
    """All rows of a statement that gives pages by uuid, lists as tuples."""
    rows: list[Sequence[Any]] = []
    after = ""
    while page := link.run(cypher, after=after, page=_PAGE):
        after = page[-1][0]
        rows += ([_plain(value) for value in row] for row in page if kind_of(row[0]) is None)
    return rows


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(cast("list[str]", value))
    return value.partition("[")[0] if _zoned(value) else value


def _zoned(value: Any) -> bool:
    """Whether a text is an instant with the name of its zone behind it."""
    return isinstance(value, str) and value.endswith("]") and value[:4].isdigit() and "T" in value

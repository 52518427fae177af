"""The graph as one looks at it: search for things, inspect one, find the way between two."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec

from quipu.errors import InvalidInput
from quipu.handle.filters import entity_types, relation_types
from quipu.handle.lookup import end_of_relation
from quipu.limits import AROUND, NAMED, SCANNED
from quipu.ports import every
from quipu.records.ids import name_key as key_of_name_id
from quipu.records.record import Entity, Episode, Fact, Relation
from quipu.text import name_key

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = [
    "Edge",
    "Inspected",
    "Neighborhood",
    "Node",
    "Path",
    "find_nodes",
    "find_path",
    "inspect",
    "neighborhood",
    "sample",
]

_CONSIDERED = 20
_FAN_OUT = 50


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A thing in the graph."""

    id: Annotated[str, "its id"]
    name: Annotated[str, "its name"]
    type: Annotated[str, "its type"]
    description: Annotated[str, "what the sources say of it"] = ""
    aliases: Annotated[tuple[str, ...], "its other names"] = ()
    mention_count: Annotated[int, "how often it is asserted"] = 0
    first_seen: Annotated[str, "when it was first observed"] = ""
    last_seen: Annotated[str, "when it was last observed"] = ""
    path: Annotated[str, "what `memory_get` reads"] = ""
    match: Annotated[Literal["name", "passage", "id"], "how it was found"] = "id"


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """A relation between two nodes."""

    source_id: Annotated[str, "where it begins"] = msgspec.field(name="from")
    type: Annotated[str, "its type"]
    target_id: Annotated[str, "where it ends"] = msgspec.field(name="to")
    rel_id: Annotated[str, "its id"]
    source_name: Annotated[str, "the name there"] = ""
    target_name: Annotated[str, "the name there"] = ""
    confidence: Annotated[float, "how sure it is, in [0, 1]"] = 1.0
    source_refs: Annotated[tuple[str, ...], "the sources that assert it"] = ()


class Inspected(msgspec.Struct, frozen=True, kw_only=True):
    """A node with what is around it."""

    node: Annotated[Node, "the thing"]
    relations: Annotated[tuple[Edge, ...], "how it is tied to others"]
    facts: Annotated[tuple[Fact, ...], "what is said of it"]
    source_refs: Annotated[tuple[str, ...], "the sources that assert it"]
    more: Annotated[dict[str, int], "how many more there are of each"]


class Path(msgspec.Struct, frozen=True, kw_only=True):
    """The shortest way found over typed relations, either direction."""

    found: Annotated[bool, "whether there is a way"]
    nodes: Annotated[tuple[Node, ...], "the things on it"]
    steps: Annotated[tuple[Edge, ...], "the relations on it; none: both ends are one thing"]
    bounded: Annotated[bool, "the search stopped before it had seen all"]


class Neighborhood(msgspec.Struct, frozen=True, kw_only=True):
    """Things and the relations between them."""

    center: Annotated[str | None, "the thing it is around; null: a part of everything"]
    nodes: Annotated[tuple[Node, ...], "the things, the nearest first"]
    edges: Annotated[tuple[Edge, ...], "the relations between them, without sources"]
    bounded: Annotated[bool, "there is more than is given"]


def find_nodes(
    memory: "Memory", query: str, *, types: Sequence[str] = (), limit: int = 10
) -> tuple[Node, ...]:
    """Things called so, then things in the passages that the words lead to, best first."""
    if not query.strip():
        raise InvalidInput("the query is empty: give a name, or words about the thing")
    allowed = entity_types(types)
    named = memory.graph.named([name_key(query)]).get(name_key(query), [])
    found = {entity.entity_id: _node(entity, match="name") for entity in named}
    hits = memory.search(query, limit=_CONSIDERED).hits
    ids = dict.fromkeys(
        record_id for hit in hits for record_id in (hit.document_id, *hit.graph_ids)
    )
    records = memory.graph.get([record_id for record_id in ids if record_id not in found])
    for record_id in ids:
        record = records.get(record_id)
        if isinstance(record, Entity):
            found.setdefault(record_id, _node(record, match="passage"))
    kept = [node for node in found.values() if not allowed or node.type in allowed]
    return tuple(kept[:limit])


def inspect(memory: "Memory", ref: str, *, limit: int = 25) -> Inspected:
    """The thing that `ref` (an id, a path or a unique name) names, and what is around it."""
    entity = end_of_relation(memory.graph, ref)
    relations = memory.relations(entity.entity_id, limit=1000)
    facts = [
        fact
        for name in dict.fromkeys((entity.name, entity.entity_id))
        for fact in memory.facts(name)
    ]
    refs = _sources(memory, [entity.entity_id])[entity.entity_id]
    return Inspected(
        node=_node(entity),
        relations=_edges(memory, relations[:limit]),
        facts=tuple(facts[:limit]),
        source_refs=refs[:limit],
        more={
            "relations": max(len(relations) - limit, 0),
            "facts": max(len(facts) - limit, 0),
            "source_refs": max(len(refs) - limit, 0),
        },
    )


def find_path(
    memory: "Memory", source: str, target: str, *, max_hops: int = 4, types: Sequence[str] = ()
) -> Path:
    """The shortest way from one thing to another, at most `max_hops` relations long."""
    if not 1 <= max_hops <= 6:
        raise InvalidInput(f"max_hops {max_hops!r} is out of range: give 1 to 6")
    start, end = (end_of_relation(memory.graph, ref).entity_id for ref in (source, target))
    spread = _spread(memory, start, max_hops, types, fan_out=_FAN_OUT, most=SCANNED, end=end)
    if end not in spread.came:
        return Path(found=False, nodes=(), steps=(), bounded=spread.bounded)
    ids, relations = [end], list[Relation]()
    while (relation := spread.came[ids[-1]]) is not None:
        relations.append(relation)
        ids.append(_other_end(relation, ids[-1]))
    ids.reverse()
    relations.reverse()
    return Path(
        found=True,
        nodes=tuple(_nodes(memory, ids)),
        steps=_edges(memory, relations),
        bounded=spread.bounded,
    )


class _Spread(NamedTuple):
    """What was reached from a thing: each with the relation that led to it first, all relations
    met between them, and whether there is more."""

    came: dict[str, Relation | None]
    relations: dict[str, Relation]
    bounded: bool


def _spread(
    memory: "Memory",
    start: str,
    hops: int,
    types: Sequence[str],
    *,
    fan_out: int,
    most: int,
    end: str = "",
) -> _Spread:
    """What lies within so many hops, `fan_out` relations a thing and `most` things at most; no
    further than `end`."""
    kinds = relation_types(types, memory.graph)
    came: dict[str, Relation | None] = {start: None}
    met: dict[str, Relation] = {}
    frontier, bounded = [start], False
    for _ in range(hops):
        if end in came or not frontier:
            break
        around = memory.graph.neighbors(
            frontier, direction="both", types=kinds, limit_per_id=fan_out
        )
        bounded |= any(len(around[here]) >= fan_out for here in frontier)
        steps = [(_other_end(step, here), step) for here in frontier for step in around[here]]
        frontier = list[str]()
        for other, relation in steps:
            if other not in came:
                if len(came) >= most:
                    bounded = True
                    continue
                came[other] = relation
                frontier.append(other)
            met[relation.rel_id] = relation
    return _Spread(came, met, bounded or bool(end and end not in came and frontier))


def _other_end(relation: Relation, here: str) -> str:
    source, target = relation.source_entity_id, relation.target_entity_id
    return target if source == here else source


def _nodes(memory: "Memory", ids: Sequence[str]) -> list[Node]:
    records = memory.graph.get(ids)
    return [_node(record) for i in ids if isinstance(record := records.get(i), Entity)]


def _node(entity: Entity, *, match: Literal["name", "passage", "id"] = "id") -> Node:
    path = entity.properties.get("path") or entity.properties.get("file_path")
    return Node(
        id=entity.entity_id,
        name=entity.name,
        type=entity.type,
        description=entity.description[:500],
        aliases=entity.aliases[:10],
        mention_count=entity.mention_count,
        first_seen=entity.first_seen,
        last_seen=entity.last_seen,
        path=path if isinstance(path, str) else "",
        match=match,
    )


def _edges(memory: "Memory", relations: Sequence[Relation]) -> tuple[Edge, ...]:
    ends = {i for r in relations for i in (r.source_entity_id, r.target_entity_id)}
    records = memory.graph.get(sorted(ends))
    names = {i: r.name for i, r in records.items() if isinstance(r, Entity)}
    refs = _sources(memory, [relation.rel_id for relation in relations])
    return tuple(_edge(relation, names, refs[relation.rel_id]) for relation in relations)


def _edge(relation: Relation, names: Mapping[str, str], refs: tuple[str, ...] = ()) -> Edge:
    return Edge(
        source_id=relation.source_entity_id,
        type=relation.type,
        target_id=relation.target_entity_id,
        rel_id=relation.rel_id,
        source_name=names.get(relation.source_entity_id, ""),
        target_name=names.get(relation.target_entity_id, ""),
        confidence=relation.confidence,
        source_refs=refs[:NAMED],
    )


def _sources(memory: "Memory", ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The sources of the live support of each record."""
    rows = memory.graph.support([i for i in ids if key_of_name_id(i) is None])
    live = {
        record_id: [row.episode_id for row in support if row.known_until is None]
        for record_id, support in rows.items()
    }
    episodes = memory.graph.get(sorted({e for episode_ids in live.values() for e in episode_ids}))
    refs = {e: r.source_ref for e, r in episodes.items() if isinstance(r, Episode)}
    return {i: tuple(dict.fromkeys(refs[e] for e in live.get(i, ()) if e in refs)) for i in ids}


def neighborhood(
    memory: "Memory", ref: str, *, hops: int = 1, limit: int = 200, types: Sequence[str] = ()
) -> Neighborhood:
    """What is at most `hops` relations (1 to 3) from the thing that `ref` names; at most `limit`
    things, the nearest first, and every relation between two of them that led there."""
    if not 1 <= hops <= 3:
        raise InvalidInput(f"hops {hops!r} is out of range: give 1 to 3")
    start = end_of_relation(memory.graph, ref).entity_id
    spread = _spread(memory, start, hops, types, fan_out=AROUND, most=limit)
    relations = list(spread.relations.values())
    return _drawn(memory, start, list(spread.came), relations, bounded=spread.bounded)


def sample(memory: "Memory", *, limit: int = 1000, types: Sequence[str] = ()) -> Neighborhood:
    """A part of the whole graph: relations by id until they tie `limit` things."""
    kinds = relation_types(types, memory.graph)
    nodes: dict[str, None] = {}
    relations: list[Relation] = []
    bounded = False
    for relation in every(memory.graph, Relation):
        if kinds and relation.type not in kinds:
            continue
        ends = (relation.source_entity_id, relation.target_entity_id)
        if len(nodes) + sum(end not in nodes for end in ends) > limit:
            bounded = True
            break
        nodes |= dict.fromkeys(ends)
        relations.append(relation)
    return _drawn(memory, None, list(nodes), relations, bounded=bounded)


def _drawn(
    memory: "Memory",
    center: str | None,
    ids: Sequence[str],
    relations: Sequence[Relation],
    *,
    bounded: bool,
) -> Neighborhood:
    nodes = {node.id: node for node in _nodes(memory, ids)}
    names = {i: node.name for i, node in nodes.items()}
    edges = tuple(
        _edge(relation, names)
        for relation in relations
        if {relation.source_entity_id, relation.target_entity_id} <= nodes.keys()
    )
    return Neighborhood(center=center, nodes=tuple(nodes.values()), edges=edges, bounded=bounded)

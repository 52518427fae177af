"""What is live of a graph as plain nodes and edges, for programs that know nothing of Quipu."""

import json
from collections.abc import Iterator
from typing import TypeAlias, TypeVar

import msgspec

from quipu.ports import Store
from quipu.records.ids import Kind
from quipu.records.record import Entity, Fact, Properties, Relation, record_id
from quipu.text import name_key

__all__ = ["EDGE_KEYS", "NODE_KEYS", "PlainEdge", "PlainGraph", "PlainNode", "Value", "graph_of"]

Value: TypeAlias = str | float | int
R = TypeVar("R", Entity, Relation, Fact)

NODE_KEYS = (
    "name", "description", "aliases", "subject", "predicate", "object", "valid_from", "valid_to",
    "confidence", "first_seen", "last_seen", "updated_at", "properties",
)  # fmt: skip
"""What a node may have, in this order. `aliases` and `properties` are JSON."""

EDGE_KEYS = ("id", "description", "confidence", "weight", "created_at", "updated_at", "properties")
"""What an edge may have, in this order."""

_PAGE = 2_000
_FACT, _HAS_FACT, _STUB = "Fact", "HAS_FACT", "Name"
_OWN = frozenset({"vectors"})


class PlainNode(msgspec.Struct, frozen=True, kw_only=True):
    """A thing or a dated statement. `values` lacks the keys that say nothing."""

    id: str
    type: str
    values: dict[str, Value]


class PlainEdge(msgspec.Struct, frozen=True, kw_only=True):
    """How the node `source` is related to the node `target`."""

    source: str
    target: str
    type: str
    values: dict[str, Value]


class PlainGraph(msgspec.Struct, frozen=True, kw_only=True):
    """Every node and every edge, each by id; both ends of an edge are there."""

    namespace: str
    nodes: tuple[PlainNode, ...]
    edges: tuple[PlainEdge, ...]


def graph_of(store: Store) -> PlainGraph:
    """The live things, statements and relations of a store. A statement hangs on the one thing that
    is called as its subject; a name that only a relation knows is a node of type `Name`."""
    with store.moment():
        nodes = {e.entity_id: _entity_node(e) for e in _all(store, "entity", Entity)}
        relations = list(_all(store, "relation", Relation))
        facts = list(_all(store, "fact", Fact))
        ends = {end for r in relations for end in (r.source_entity_id, r.target_entity_id)}
        for record in store.get(sorted(ends - nodes.keys())).values():
            if isinstance(record, Entity):
                nodes[record.entity_id] = _entity_node(record)
        for end in ends - nodes.keys():
            nodes[end] = PlainNode(
                id=end, type=_STUB, values={"name": end.partition(":")[2] or end}
            )
        edges = [_relation_edge(each) for each in relations]
        named = store.named(sorted({name_key(fact.subject) for fact in facts}))
        for fact in facts:
            nodes[fact.fact_id] = _fact_node(fact)
            held = [e for e in named.get(name_key(fact.subject), ()) if e.entity_id in nodes]
            if len(held) == 1:
                values: dict[str, Value] = {"id": f"{held[0].entity_id}>{fact.fact_id}"}
                edges.append(
                    PlainEdge(
                        source=held[0].entity_id, target=fact.fact_id, type=_HAS_FACT, values=values
                    )
                )
    return PlainGraph(
        namespace=store.namespace,
        nodes=tuple(nodes[i] for i in sorted(nodes)),
        edges=tuple(sorted(edges, key=lambda edge: str(edge.values["id"]))),
    )


def _all(store: Store, kind: Kind, of: type[R]) -> Iterator[R]:
    after = ""
    while page := store.scan(kind, after=after, limit=_PAGE):
        yield from (record for record in page if isinstance(record, of))
        after = record_id(page[-1])


def _entity_node(entity: Entity) -> PlainNode:
    values: dict[str, Value | None] = {
        "name": entity.name,
        "description": entity.description,
        "aliases": _json([*entity.aliases]),
        "first_seen": entity.first_seen,
        "last_seen": entity.last_seen,
        "updated_at": entity.updated_at,
        "properties": _json(_shown(entity.properties)),
    }
    return PlainNode(id=entity.entity_id, type=entity.type, values=_said(values))


def _fact_node(fact: Fact) -> PlainNode:
    values: dict[str, Value | None] = {
        "name": f"{fact.subject} {fact.predicate} {fact.object}",
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "confidence": fact.confidence,
        "updated_at": fact.updated_at,
        "properties": _json(_shown(fact.provenance)),
    }
    return PlainNode(id=fact.fact_id, type=_FACT, values=_said(values))


def _relation_edge(relation: Relation) -> PlainEdge:
    values: dict[str, Value | None] = {
        "id": relation.rel_id,
        "description": relation.description,
        "confidence": relation.confidence,
        "weight": relation.weight,
        "created_at": relation.created_at,
        "updated_at": relation.updated_at,
        "properties": _json(_shown(relation.properties)),
    }
    return PlainEdge(
        source=relation.source_entity_id,
        target=relation.target_entity_id,
        type=relation.type,
        values=_said(values),
    )


def _shown(properties: Properties) -> Properties:
    return {key: value for key, value in sorted(properties.items()) if key not in _OWN}


def _json(value: list[str] | Properties) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""


def _said(values: dict[str, Value | None]) -> dict[str, Value]:
    return {key: value for key, value in values.items() if value not in (None, "")}

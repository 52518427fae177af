"""The graph in formats that other programs open: GraphML and CSV.

What is live of it is made into plain nodes and edges first, for programs that know nothing of
Quipu. Every writer gives text of a fixed order; none holds a secret that the store does not hold.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, cast, get_args
from xml.sax.saxutils import escape, quoteattr

import msgspec

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.files.target import replacing, require_target
from quipu.ports import Store, every
from quipu.records.record import Entity, Fact, Record, Relation
from quipu.text import name_key

__all__ = ["FORMATS", "GraphFormat", "GraphWritten", "export_graph", "replace_files"]

Value: TypeAlias = str | float | int

_NODE_KEYS = (
    "name",
    "description",
    "aliases",
    "subject",
    "predicate",
    "object",
    "valid_from",
    "valid_to",
    "confidence",
    "first_seen",
    "last_seen",
    "updated_at",
    "properties",
)
"""What a node may have, in this order. `aliases` and `properties` are JSON."""

_EDGE_KEYS = ("id", "description", "confidence", "weight", "created_at", "updated_at", "properties")
"""What an edge may have, in this order."""

_OWN = frozenset({"vectors"})
GraphFormat: TypeAlias = Literal["graphml", "csv"]
FORMATS: tuple[GraphFormat, ...] = get_args(GraphFormat)

_NUMBERS = frozenset({"confidence", "weight"})
_NOT_XML = {c: None for c in (*range(0x20), 0xFFFE, 0xFFFF) if c not in (0x9, 0xA, 0xD)}


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


class GraphWritten(msgspec.Struct, frozen=True, kw_only=True):
    """What of the graph was written, and where."""

    format: Annotated[str, "the format"]
    nodes: Annotated[int, "things and dated statements"]
    edges: Annotated[int, "relations between them"]
    files: Annotated[tuple[str, ...], "the files that were written"]


def export_graph(
    store: Store, path: Path, *, to: GraphFormat, overwrite: bool = False
) -> GraphWritten:
    """Write what is live of the graph to `path`, whole or not at all. CSV is two files, of nodes
    and of relations, beside each other: `graph.csv` becomes `graph.nodes.csv` and
    `graph.relations.csv`. Raises as `export` does."""
    if to != "csv" and to not in _WRITERS:
        known = ", ".join(("csv", *_WRITERS))
        raise InvalidInput(f"there is no format {to!r}: use one of {known}")
    graph = _graph_of(store)
    if to == "csv":
        texts = {
            path.with_suffix(f".nodes{path.suffix or '.csv'}"): _csv_nodes(graph),
            path.with_suffix(f".relations{path.suffix or '.csv'}"): _csv_relations(graph),
        }
    else:
        texts = {path: _WRITERS[to](graph)}
    replace_files(texts, overwrite=overwrite)
    return GraphWritten(
        format=to,
        nodes=len(graph.nodes),
        edges=len(graph.edges),
        files=tuple(str(file) for file in texts),
    )


def replace_files(texts: Mapping[Path, Iterable[str]], *, overwrite: bool) -> None:
    """Write each text beside its file, then put all of them in their places. Raises InvalidInput
    for a file that is there when it is not to be overwritten, StoreUnavailable when one cannot be
    written."""
    for path in texts:
        require_target(path, overwrite=overwrite)
    try:
        with ExitStack() as stack:
            for path, text in texts.items():
                stack.enter_context(replacing(path)).writelines(map(str.encode, text))
    except OSError as error:
        raise StoreUnavailable(
            f"{str(next(iter(texts)))!r} cannot be written: {error.strerror or error}; choose "
            "another place"
        ) from error


# --- GraphML -------------------------------------------------------------------------------


def _graphml(graph: PlainGraph) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for domain, keys in (("node", ("type", *_NODE_KEYS)), ("edge", ("type", *_EDGE_KEYS))):
        for key in keys:
            kind = "double" if key in _NUMBERS else "string"
            yield (
                f'<key id="{domain}_{key}" for="{domain}" attr.name="{key}" attr.type="{kind}"/>\n'
            )
    yield f'<graph id={_attribute(graph.namespace)} edgedefault="directed">\n'
    for node in graph.nodes:
        yield f"<node id={_attribute(node.id)}>"
        yield from _data("node", {"type": node.type, **node.values})
        yield "</node>\n"
    for edge in graph.edges:
        ends = f"source={_attribute(edge.source)} target={_attribute(edge.target)}"
        yield f"<edge id={_attribute(str(edge.values['id']))} {ends}>"
        yield from _data("edge", {"type": edge.type, **edge.values})
        yield "</edge>\n"
    yield "</graph>\n</graphml>\n"


def _data(domain: str, values: Mapping[str, Value]) -> Iterator[str]:
    for key, value in values.items():
        text = escape(str(value).translate(_NOT_XML))
        yield f'<data key="{domain}_{key}">{text}</data>'


def _attribute(text: str) -> str:
    return quoteattr(text.translate(_NOT_XML))


# --- CSV, with the headers that `neo4j-admin database import` reads --------------------------


def _csv_nodes(graph: PlainGraph) -> Iterator[str]:
    yield _row(["id:ID", ":LABEL", *map(_typed, _NODE_KEYS)])
    for node in graph.nodes:
        yield _row([node.id, node.type, *(node.values.get(key, "") for key in _NODE_KEYS)])


def _csv_relations(graph: PlainGraph) -> Iterator[str]:
    yield _row([":START_ID", ":END_ID", ":TYPE", *map(_typed, _EDGE_KEYS)])
    for edge in graph.edges:
        row = [edge.source, edge.target, edge.type]
        yield _row([*row, *(edge.values.get(key, "") for key in _EDGE_KEYS)])


def _typed(key: str) -> str:
    return f"{key}:double" if key in _NUMBERS else key


def _row(values: Iterable[Value]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()


_WRITERS: dict[str, Callable[[PlainGraph], Iterator[str]]] = {
    "graphml": _graphml,
}


def _graph_of(store: Store) -> PlainGraph:
    """The live things, statements and relations of a store. A statement hangs on the one thing that
    is called as its subject; a name that only a relation knows is a node of type `Name`."""
    with store.moment():
        nodes = {e.entity_id: _entity_node(e) for e in every(store, Entity)}
        relations = list(every(store, Relation))
        facts = list(every(store, Fact))
        ends = {end for r in relations for end in (r.source_entity_id, r.target_entity_id)}
        for record in store.get(sorted(ends - nodes.keys())).values():
            if isinstance(record, Entity):
                nodes[record.entity_id] = _entity_node(record)
        for end in ends - nodes.keys():
            nodes[end] = PlainNode(
                id=end, type="Name", values={"name": end.partition(":")[2] or end}
            )
        edges = [_relation_edge(each) for each in relations]
        named = store.named(sorted({name_key(fact.subject) for fact in facts}))
        for fact in facts:
            nodes[fact.fact_id] = _fact_node(fact)
            entities = [e for e in named.get(name_key(fact.subject), ()) if e.entity_id in nodes]
            if len(entities) == 1:
                values: dict[str, Value] = {"id": f"{entities[0].entity_id}>{fact.fact_id}"}
                edges.append(
                    PlainEdge(
                        source=entities[0].entity_id,
                        target=fact.fact_id,
                        type="HAS_FACT",
                        values=values,
                    )
                )
    return PlainGraph(
        namespace=store.namespace,
        nodes=tuple(nodes[i] for i in sorted(nodes)),
        edges=tuple(sorted(edges, key=lambda edge: str(edge.values["id"]))),
    )


def _entity_node(entity: Entity) -> PlainNode:
    return PlainNode(id=entity.entity_id, type=entity.type, values=_values(entity, _NODE_KEYS))


def _fact_node(fact: Fact) -> PlainNode:
    name = f"{fact.subject} {fact.predicate} {fact.object}"
    values = _values(fact, _NODE_KEYS, name=name, properties=fact.provenance)
    return PlainNode(id=fact.fact_id, type="Fact", values=values)


def _relation_edge(relation: Relation) -> PlainEdge:
    return PlainEdge(
        source=relation.source_entity_id,
        target=relation.target_entity_id,
        type=relation.type,
        values=_values(relation, _EDGE_KEYS, id=relation.rel_id),
    )


def _values(record: Record, keys: Iterable[str], **computed: object) -> dict[str, Value]:
    """What a record says under these keys: as it is computed, else the field of that name."""
    said = ((key, _plain(computed.get(key, getattr(record, key, "")))) for key in keys)
    return {key: value for key, value in said if value != ""}


def _plain(value: Any) -> Value:
    """A text or a number as it is, anything else as JSON; "" for what is empty."""
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        value = {key: each for key, each in table.items() if key not in _OWN}
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""

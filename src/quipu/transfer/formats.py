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
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, cast, get_args
from xml.sax.saxutils import escape, quoteattr

import msgspec

from quipu.errors import InvalidInput
from quipu.files.target import replacing, require_target
from quipu.ports import Store, every
from quipu.records.record import Entity, Fact, Record, Relation
from quipu.text import name_key

__all__ = ["FORMATS", "GraphFormat", "GraphWritten", "export_graph", "replace_files"]

Row: TypeAlias = dict[str, str | float | int]
"""A node or an edge, without the keys that say nothing."""

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

GraphFormat: TypeAlias = Literal["graphml", "csv"]
FORMATS: tuple[GraphFormat, ...] = get_args(GraphFormat)

_NUMBERS = frozenset({"confidence", "weight"})
_NOT_XML = {c: None for c in (*range(0x20), 0xFFFE, 0xFFFF) if c not in (0x9, 0xA, 0xD)}


class PlainGraph(NamedTuple):
    """Every node and every edge, each by id; both ends of an edge are there."""

    namespace: str
    nodes: list[Row]
    edges: list[Row]


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
        end = path.suffix or ".csv"
        texts = {
            path.with_suffix(f".nodes{end}"): _csv(graph.nodes, _NODE_COLUMNS),
            path.with_suffix(f".relations{end}"): _csv(graph.edges, _EDGE_COLUMNS),
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
    with ExitStack() as stack:
        for path, text in texts.items():
            stack.enter_context(replacing(path)).writelines(map(str.encode, text))


# --- GraphML -------------------------------------------------------------------------------


def _graphml(graph: PlainGraph) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for domain, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for key in ("type", *keys):
            kind = "double" if key in _NUMBERS else "string"
            yield (
                f'<key id="{domain}_{key}" for="{domain}" attr.name="{key}" attr.type="{kind}"/>\n'
            )
    yield f'<graph id={_attribute(graph.namespace)} edgedefault="directed">\n'
    for node in graph.nodes:
        data = _data("node", ("type", *_NODE_KEYS), node)
        yield f"<node id={_attribute(node['id'])}>{data}</node>\n"
    for edge in graph.edges:
        ends = f"source={_attribute(edge['source'])} target={_attribute(edge['target'])}"
        data = _data("edge", ("type", *_EDGE_KEYS), edge)
        yield f"<edge id={_attribute(edge['id'])} {ends}>{data}</edge>\n"
    yield "</graph>\n</graphml>\n"


def _data(domain: str, keys: Iterable[str], row: Row) -> str:
    said = ((key, escape(str(row[key]).translate(_NOT_XML))) for key in keys if key in row)
    return "".join(f'<data key="{domain}_{key}">{text}</data>' for key, text in said)


def _attribute(text: object) -> str:
    return quoteattr(str(text).translate(_NOT_XML))


_WRITERS: dict[str, Callable[[PlainGraph], Iterator[str]]] = {
    "graphml": _graphml,
}


# --- CSV, with the headers that `neo4j-admin database import` reads --------------------------


def _typed(keys: Iterable[str]) -> dict[str, str]:
    return {key: f"{key}:double" if key in _NUMBERS else key for key in keys}


_NODE_COLUMNS = {"id": "id:ID", "type": ":LABEL", **_typed(_NODE_KEYS)}
_EDGE_COLUMNS = {
    "source": ":START_ID",
    "target": ":END_ID",
    "type": ":TYPE",
    **_typed(_EDGE_KEYS),
}
"""The column of each key."""


def _csv(rows: Iterable[Row], columns: Mapping[str, str]) -> Iterator[str]:
    for row in (columns, *rows):
        line = io.StringIO()
        csv.DictWriter(line, columns, lineterminator="\n").writerow(row)
        yield line.getvalue()


def _graph_of(store: Store) -> PlainGraph:
    """The live things, statements and relations of a store. A statement hangs on the one thing that
    is called as its subject; a name that only a relation knows is a node of type `Name`."""
    with store.moment():
        nodes = {e.entity_id: _node(e) for e in every(store, Entity)}
        relations = list(every(store, Relation))
        facts = list(every(store, Fact))
        ends = {end for r in relations for end in (r.source_entity_id, r.target_entity_id)}
        for record in store.get(sorted(ends - nodes.keys())).values():
            if isinstance(record, Entity):
                nodes[record.entity_id] = _node(record)
        for end in ends - nodes.keys():
            nodes[end] = {"id": end, "type": "Name", "name": end.partition(":")[2] or end}
        edges = [_edge(each) for each in relations]
        named = store.named(sorted({name_key(fact.subject) for fact in facts}))
    for fact in facts:
        nodes[fact.fact_id] = _statement(fact)
        entities = [e for e in named.get(name_key(fact.subject), ()) if e.entity_id in nodes]
        if len(entities) == 1:
            ends_at: Row = {"source": entities[0].entity_id, "target": fact.fact_id}
            tie = f"{entities[0].entity_id}>{fact.fact_id}"
            edges.append({**ends_at, "type": "HAS_FACT", "id": tie})
    edges.sort(key=lambda edge: str(edge["id"]))
    return PlainGraph(store.namespace, [nodes[i] for i in sorted(nodes)], edges)


def _node(entity: Entity) -> Row:
    return {"id": entity.entity_id, "type": entity.type, **_values(entity, _NODE_KEYS)}


def _statement(fact: Fact) -> Row:
    name = f"{fact.subject} {fact.predicate} {fact.object}"
    values = _values(fact, _NODE_KEYS, name=name, properties=fact.provenance)
    return {"id": fact.fact_id, "type": "Fact", **values}


def _edge(relation: Relation) -> Row:
    ends: Row = {"source": relation.source_entity_id, "target": relation.target_entity_id}
    values = _values(relation, _EDGE_KEYS, id=relation.rel_id)
    return {**ends, "type": relation.type, **values}


def _values(record: Record, keys: Iterable[str], **computed: object) -> Row:
    """What a record says under these keys: as it is computed, else the field of that name."""
    said = ((key, _plain(computed.get(key, getattr(record, key, "")))) for key in keys)
    return {key: value for key, value in said if value != ""}


def _plain(value: Any) -> str | float | int:
    """A text or a number as it is, anything else as JSON; "" for what is empty."""
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        value = {key: each for key, each in table.items() if key != "vectors"}
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""

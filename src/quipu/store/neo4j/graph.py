"""The graph beside the tables, as Cypher and Graphiti read it: what is live, kept in step.

Things are `:Entity` with their type as a second label, episodes `:Episodic`, dated facts
`RELATES_TO` between the `:Name`s of what they are about, relations typed relationships. Each has
the id of its record as `uuid` and the namespace as `group_id`. A `:Document` also has the text of
its passages and the mean direction of their vectors. It is written in the transaction of the
tables, from what the change log says.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from quipu.errors import InvalidInput
from quipu.records.ids import name_id
from quipu.records.record import Chunk, Entity, Episode, Fact, Record, Relation
from quipu.records.schema import EntityType, RelationType
from quipu.store import rules
from quipu.store.backend import CHUNK, SPACE, SUPPORT, VECTOR, Above, Row
from quipu.store.neo4j import group_of
from quipu.store.neo4j.cypher import LONGEST
from quipu.store.neo4j.tables import Neo4jBackend
from quipu.text import name_key
from quipu.when.instants import parse_instant

__all__ = ["LABELS", "RELATIONSHIPS", "MirroredGraph"]

Get: TypeAlias = Callable[[Sequence[str]], dict[str, Record]]

LABELS = frozenset(map(str, EntityType))
RELATIONSHIPS = frozenset(map(str, RelationType)) - {"RELATES_TO", "MENTIONS"}
"""What is a relationship of its own; others are `RELATION {type}`, Graphiti's own two included."""

_ENTITY, _CHUNK, _RELATION, _FACT = (
    rules.KINDS.index(kind) for kind in ("entity", "chunk", "relation", "fact")
)
_PASSAGES = 256  # the first of a document that its node has

_KNOWN = "MATCH (n:Entity) WHERE n.group_id = $group AND n.uuid IN $ids RETURN n.uuid"
_PUT_THINGS = """
UNWIND $rows AS r MERGE (n:Entity {{group_id: $group, uuid: r.uuid}}) SET n:`{}`, n += r
"""
_END_THINGS = "MATCH (n:Entity) WHERE n.group_id = $group AND n.uuid IN $ids DETACH DELETE n"
_PUT_RELATIONS = """
UNWIND $rows AS r
MATCH (a:Entity {{group_id: $group, uuid: r.source}})
MATCH (b:Entity {{group_id: $group, uuid: r.target}})
MERGE (a)-[e:`{}` {{uuid: r.given.uuid}}]->(b) SET e += r.given
"""
_END_EDGES = """
UNWIND $rows AS r
MATCH (:Entity {group_id: $group, uuid: r[0]})-[e {uuid: r[1]}]->() DELETE e
"""
_PUT_FACTS = """
UNWIND $rows AS r
MERGE (a:Entity {group_id: $group, uuid: r.source.uuid}) ON CREATE SET a:Name, a += r.source
MERGE (b:Entity {group_id: $group, uuid: r.target.uuid}) ON CREATE SET b:Name, b += r.target
MERGE (a)-[e:RELATES_TO {uuid: r.given.uuid}]->(b) SET e = r.given
"""
_PUT_EPISODES = """
UNWIND $rows AS r MERGE (n:Episodic {group_id: $group, uuid: r.uuid}) SET n += r
"""
_END_EPISODES = "MATCH (n:Episodic) WHERE n.group_id = $group AND n.uuid IN $ids DETACH DELETE n"
_PUT_MENTIONS = """
UNWIND $rows AS r
MATCH (e:Episodic {group_id: $group, uuid: r[0]})
MATCH (n:Entity {group_id: $group, uuid: r[1]})
MERGE (e)-[m:MENTIONS {uuid: r[2]}]->(n) SET m.group_id = $group, m.created_at = r[3]
"""
_END_MENTIONS = """
UNWIND $rows AS r
MATCH (:Episodic {group_id: $group, uuid: r[0]})-[m:MENTIONS {uuid: r[2]}]->() DELETE m
"""
_PUT_DOCUMENTS = """
UNWIND $rows AS r MATCH (n:Entity {group_id: $group, uuid: r.uuid}) SET n += r
"""
_END_NAMES = "MATCH (n:Name) WHERE n.group_id = $group AND NOT EXISTS {(n)--()} DELETE n"
_EVER = {  # of whatever version: what is forgotten is still there until the transaction ends
    "support": "MATCH (n:QuipuSupport) WHERE n.ns = $ns AND n.kind = $kind"
    " AND n.record_id IN $ids RETURN DISTINCT n.near, n.record_id",
    "chunk": "MATCH (n:QuipuChunk) WHERE n.ns = $ns AND n.chunk_id IN $ids"
    " RETURN DISTINCT n.document_id",
}


class MirroredGraph:
    """Follows the tables of one namespace."""

    def __init__(self, backend: Neo4jBackend, get: Get) -> None:
        """`get` reads live records by id."""
        self._backend, self._get = backend, get
        self._group = group_of(backend.namespace)

    def follow(self, changes: Sequence[Row], since: int, ended: Sequence[int]) -> None:
        """Bring the graph to what the tables are: after these changes, support rows above `since`
        and those that `ended`."""
        put: defaultdict[str, list[str]] = defaultdict(list)
        gone: defaultdict[str, list[str]] = defaultdict(list)
        for _, kind, record_id, operation in changes:
            (put if operation == "put" else gone)[kind].append(record_id)
        for kind, ids in self._asserted(put["episode"]).items():
            put[kind] = list(dict.fromkeys((*put[kind], *ids)))
        self._run(_END_EPISODES, ids=gone["episode"])
        self._run(_END_THINGS, ids=gone["entity"])
        self._run(_END_EDGES, rows=self._ever(_RELATION, gone["relation"]))
        self._things(put["entity"], put["relation"])
        new = {"row": Above(since), "known_until": None}
        facts = [*put["fact"], *gone["fact"]]
        self._facts(facts)
        asserting = self._backend.select(SUPPORT, ("episode_id",), {**new, "kind": _FACT})
        self._episodes({*put["episode"], *(episode_id for (episode_id,) in asserting)})
        self._mentions({**new, "kind": _ENTITY}, ended)
        passages = chain(put["chunk"], gone["chunk"], put["vector"])
        self._documents([*passages], put["entity"])
        if any(operation == "forget" for *_, operation in changes):
            self._run(_END_NAMES, ids=("names",))

    def _asserted(self, episode_ids: Sequence[str]) -> dict[str, list[str]]:
        """What these episodes assert, by kind: when one is observed counts for all of it."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        where = {"episode_id": episode_ids, "known_until": None}
        for kind, record_id in self._backend.select(SUPPORT, ("kind", "record_id"), where):
            if kind in (_ENTITY, _RELATION, _FACT):
                found[rules.KINDS[kind]].append(record_id)
        return found

    def _run(self, cypher: str, **values: Any) -> list[list[Any]]:
        """A statement over rows or ids; nothing where there are none."""
        (given,) = values.values()
        return self._backend.values(cypher, group=self._group, **values) if given else []

    def _ever(self, kind: int, ids: Collection[str]) -> list[list[Any]]:
        """Where edges begin, and their ids."""
        return self._backend.values(_EVER["support"], kind=kind, ids=ids) if ids else []

    def _things(self, entity_ids: Sequence[str], relation_ids: Sequence[str]) -> None:
        known = {i for (i,) in self._run(_KNOWN, ids=entity_ids)}
        by_label: defaultdict[str, list[Any]] = defaultdict(list)
        for record in self._get(entity_ids).values():
            assert isinstance(record, Entity)
            label = record.type if record.type in LABELS else "custom"
            by_label[label].append(self._thing(record))
        for label, rows in by_label.items():
            self._run(_PUT_THINGS.format(label), rows=rows)
        back = [i for i in entity_ids if i not in known]
        live = {"kind": _RELATION, "known_until": None}
        ends = [
            self._backend.select(SUPPORT, ("record_id",), {**live, end: back}, distinct=True)
            for end in ("near", "far")
        ]
        self._relations({*relation_ids, *(i for (i,) in chain(*ends))})

    def _thing(self, record: Entity) -> dict[str, Any]:
        return {
            "uuid": record.entity_id,
            "id": record.entity_id,
            "name": record.name[:LONGEST],
            "type": record.type,
            "summary": record.description,
            "aliases": list(record.aliases),
            "created_at": _moment(record.first_seen or record.updated_at),
            "updated_at": _moment(record.updated_at),
        }

    def _relations(self, ids: Collection[str]) -> None:
        by_type: defaultdict[str, list[Any]] = defaultdict(list)
        names: dict[str, dict[str, Any]] = {}
        for record in self._get(sorted(ids)).values():
            assert isinstance(record, Relation)
            for end in (record.source_entity_id, record.target_entity_id):
                if end.startswith("name:"):
                    names[end] = self._name(end.removeprefix("name:"), record.created_at, uuid=end)
            given = {
                "uuid": record.rel_id,
                "group_id": self._group,
                "type": record.type,
                "description": record.description,
                "confidence": record.confidence,
                "weight": record.weight,
                "created_at": _moment(record.created_at),
                "updated_at": _moment(record.updated_at),
            }
            kind = record.type if record.type in RELATIONSHIPS else "RELATION"
            ends = {"source": record.source_entity_id, "target": record.target_entity_id}
            by_type[kind].append({**ends, "given": given})
        self._run(_PUT_THINGS.format("Name"), rows=list(names.values()))
        for kind, rows in by_type.items():
            self._run(_PUT_RELATIONS.format(kind), rows=rows)

    def _name(self, text: str, at: str, *, uuid: str = "") -> dict[str, Any]:
        """The node of a name that has no record of its own."""
        key = name_key(text)
        if len(key) > LONGEST:
            key = hashlib.sha256(key.encode()).hexdigest()
        given = {"uuid": uuid or name_id(key), "name": text[:LONGEST], "type": "Name"}
        return {**given, "group_id": self._group, "summary": "", "created_at": _moment(at)}

    def _facts(self, ids: Collection[str]) -> None:
        columns = ("record_id", "episode_id", "recorded_at", "known_until", "body")
        where = {"kind": _FACT, "record_id": ids}
        by_fact: defaultdict[str, list[Row]] = defaultdict(list)
        for fact_id, *row in self._backend.select(SUPPORT, columns, where, order=("row",)):
            by_fact[fact_id].append(tuple(row))
        forgotten = [row for row in self._ever(_FACT, ids) if row[1] not in by_fact]
        self._run(_END_EDGES, rows=[[self._name(n, "")["uuid"], i] for n, i in forgotten])
        live = self._get(list(by_fact))
        rows = [self._fact(rows, live.get(fact_id)) for fact_id, rows in by_fact.items()]
        self._run(_PUT_FACTS, rows=rows)

    def _fact(self, rows: Sequence[Row], live: Record | None) -> dict[str, Any]:
        """An edge of Graphiti's: `invalid_at` is when it ceased to be true, `expired_at` when it
        ceased to be asserted."""
        fact = live or rules.decode("fact", max(rows, key=lambda row: row[2] or "")[3])
        assert isinstance(fact, Fact)
        begun = min(recorded_at for _, recorded_at, _, _ in rows)
        standing = [episode_id for episode_id, _, until, _ in rows if live is None or until is None]
        ends = self._name(fact.subject, begun), self._name(fact.object, begun)
        given = {
            "uuid": fact.fact_id,
            "group_id": self._group,
            "name": fact.predicate[:LONGEST],
            "fact": f"{fact.subject} {fact.predicate} {fact.object}",
            "source_node_uuid": ends[0]["uuid"],
            "target_node_uuid": ends[1]["uuid"],
            "episodes": list(dict.fromkeys(standing)),
            "confidence": fact.confidence,
            "created_at": _moment(begun),
            "valid_at": _moment(fact.valid_from),
            "invalid_at": _moment(fact.valid_to),
            "expired_at": None if live else _moment(max(until or "" for _, _, until, _ in rows)),
        }
        return {"source": ends[0], "target": ends[1], "given": given}

    def _episodes(self, ids: Collection[str]) -> None:
        live = {"episode_id": sorted(ids), "known_until": None}
        texts: defaultdict[str, list[Chunk]] = defaultdict(list)
        for (body,) in self._backend.select(SUPPORT, ("body",), {**live, "kind": _CHUNK}):
            chunk = rules.decode("chunk", body)
            assert isinstance(chunk, Chunk)
            texts[chunk.episode_id].append(chunk)
        facts: defaultdict[str, list[str]] = defaultdict(list)
        columns = ("episode_id", "record_id")
        for episode_id, fact_id in self._backend.select(SUPPORT, columns, {**live, "kind": _FACT}):
            facts[episode_id].append(fact_id)
        rows: list[dict[str, Any]] = []
        for episode in self._get(sorted(ids)).values():
            assert isinstance(episode, Episode)
            passages = texts[episode.episode_id]
            rows.append(
                {
                    "uuid": episode.episode_id,
                    "name": episode.source_ref,
                    "content": _joined(passages) if passages else episode.preview_text,
                    "source": "message" if episode.source_type == "session" else "text",
                    "source_description": episode.source_type,
                    "content_hash": episode.content_hash,
                    "entity_edges": sorted(facts[episode.episode_id]),
                    "created_at": _moment(episode.ingested_at),
                    "valid_at": _moment(episode.observed_at),
                }
            )
        self._run(_PUT_EPISODES, rows=rows)

    def _mentions(self, new: dict[str, Any], ended: Sequence[int]) -> None:
        columns = ("episode_id", "record_id", "recorded_at")
        over = self._backend.select(SUPPORT, columns, {"row": ended, "kind": _ENTITY})
        self._run(_END_MENTIONS, rows=list(map(_mention, over)))
        begun = self._backend.select(SUPPORT, columns, new)
        self._run(_PUT_MENTIONS, rows=list(map(_mention, begun)))

    def _documents(self, chunk_ids: Sequence[str], entity_ids: Sequence[str]) -> None:
        of_passages = self._backend.values(_EVER["chunk"], ids=chunk_ids) if chunk_ids else []
        ids = sorted({*entity_ids, *(i for (i,) in of_passages)})
        columns = ("document_id", "number", "position", "support", "episode_id")
        rows = self._backend.select(CHUNK, columns, {"live": 1, "document_id": ids})
        passages: defaultdict[str, list[Row]] = defaultdict(list)
        for document_id, *row in sorted(rows, key=lambda row: (row[0], row[2], row[1])):
            if len(passages[document_id]) < _PASSAGES:
                passages[document_id].append(tuple(row))
        every = [*chain.from_iterable(passages.values())]
        bodies = dict(
            self._backend.select(SUPPORT, ("row", "body"), {"row": [row[2] for row in every]})
        )
        vectors = self._vectors([row[0] for row in every])
        episodes = self._get(sorted({row[3] for row in every}))
        empty = {"path": None, "content": None, "embedding": None, "embedding_version": None}
        emptied = [{"uuid": i, **empty} for (i,) in of_passages if i not in passages]
        self._run(
            _PUT_DOCUMENTS,
            rows=[
                *emptied,
                *(_document(i, passages[i], bodies, vectors, episodes) for i in sorted(passages)),
            ],
        )

    def _vectors(self, numbers: Sequence[int]) -> dict[int, tuple[str, bytes]]:
        """The space (the first by name that has one) and the vector of each passage."""
        found: dict[int, tuple[str, bytes]] = {}
        spaces = self._backend.select(SPACE, ("name", "space"), {}, order=("name",))
        for name, space in reversed(spaces):
            where = {"space": space, "number": numbers}
            for number, vector in self._backend.select(VECTOR, ("number", "vector"), where):
                found[number] = (name, vector)
        return found


def _mention(row: Row) -> list[Any]:
    """Episode, thing, id and moment of a mention."""
    episode_id, entity_id, recorded_at = row
    digest = hashlib.sha256(f"{episode_id} {entity_id}".encode()).hexdigest()[:24]
    return [episode_id, entity_id, f"me_{digest}", _moment(recorded_at)]


def _document(
    document_id: str,
    rows: Sequence[Row],
    bodies: dict[int, bytes],
    vectors: dict[int, tuple[str, bytes]],
    episodes: dict[str, Record],
) -> dict[str, Any]:
    """What a document's node has beside what every thing has, as founding document 5 names it."""
    passages = [rules.decode("chunk", bodies[row[2]]) for row in rows]
    latest = max((episodes[row[3]] for row in rows), key=_observed)
    assert isinstance(latest, Episode)
    own_vectors = [vectors[row[0]] for row in rows if row[0] in vectors]
    space = min((name for name, _ in own_vectors), default=None)
    return {
        "uuid": document_id,
        "path": latest.source_ref,
        "content": _joined(each for each in passages if isinstance(each, Chunk)),
        "content_hash": latest.content_hash,
        "embedding": _mean(vector for name, vector in own_vectors if name == space),
        "embedding_version": space,
    }


def _observed(record: Record) -> tuple[str, str]:
    assert isinstance(record, Episode)
    return record.observed_at, record.episode_id


def _joined(passages: Iterable[Chunk]) -> str:
    return "\n\n".join(p.text for p in sorted(passages, key=lambda p: (p.position, p.chunk_id)))


def _mean(vectors: Iterable[bytes]) -> list[float] | None:
    """The direction of the mean of unit vectors (float16[d] each); None of none or of zero."""
    rows = [np.frombuffer(vector, dtype=np.float16).astype(np.float64) for vector in vectors]
    mean = np.sum(rows, axis=0) if rows else np.zeros(1)
    length = float(np.linalg.norm(mean))
    return (mean / length).tolist() if length > 0 else None


def _moment(text: str | None) -> datetime | None:
    """A date or an instant as Neo4j keeps it; None where there is none."""
    if not text:
        return None
    try:
        return datetime.fromisoformat(parse_instant(text)).astimezone(UTC)
    except InvalidInput:
        return None

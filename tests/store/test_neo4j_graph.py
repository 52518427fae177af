"""The graph beside the tables: it is what the records are, and founding document 5 reads it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.contract.store_compare import apply
from tests.contract.store_sample import (
    SPACES,
    VERSION_A,
    claimed,
    embedding,
    fact,
    moment,
    one_source,
    operations,
)
from tests.servers.neo4j.server import Neo4jServer

from quipu.errors import SpaceMismatch
from quipu.memory import Memory
from quipu.ports import Store
from quipu.records.batch import Batch
from quipu.records.ids import Kind
from quipu.records.record import Chunk, Entity, Fact, Relation
from quipu.store import open_store
from quipu.store.neo4j.graph import RELATIONSHIPS

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]
Address = Callable[[str], str]


def scanned(store: Store, kind: Kind) -> Iterator[Any]:
    after = ""
    while page := store.scan(kind, after=after):
        yield from page
        after = getattr(page[-1], page[-1].__struct_fields__[0])


def things(store: Store) -> set[tuple[Any, ...]]:
    return {(e.entity_id, e.type, e.name, e.description) for e in scanned(store, "entity")}


def relations(store: Store) -> set[tuple[Any, ...]]:
    return {
        (r.rel_id, r.type if r.type in RELATIONSHIPS else "RELATION", *ends(r), r.weight)
        for r in scanned(store, "relation")
    }


def ends(relation: Relation) -> tuple[str, str]:
    return relation.source_entity_id, relation.target_entity_id


def mentions(store: Store) -> set[tuple[str, str]]:
    ids = [e.entity_id for e in scanned(store, "entity")]
    found = store.support(ids)
    return {(s.episode_id, i) for i in ids for s in found[i] if s.known_until is None}


def passages(store: Store) -> dict[str, list[Chunk]]:
    held: dict[str, list[Chunk]] = {}
    for chunk in scanned(store, "chunk"):
        held.setdefault(chunk.document_id, []).append(chunk)
    return held


def assert_in_step(server: Neo4jServer, store: Store) -> None:
    found = server.run(
        "MATCH (n:Entity) WHERE n.id IS NOT NULL"
        " RETURN n.uuid, [l IN labels(n) WHERE l <> 'Entity'][0], n.name, n.summary"
    )
    assert {tuple(record) for record in found} == things(store)
    found = server.run(
        "MATCH (a:Entity)-[r]->(b:Entity) WHERE type(r) <> 'RELATES_TO'"
        " RETURN r.uuid, type(r), a.uuid, b.uuid, r.weight"
    )
    assert {tuple(record) for record in found} == relations(store)
    found = server.run("MATCH (e:Episodic)-[:MENTIONS]->(n:Entity) RETURN e.uuid, n.uuid")
    assert {tuple(record) for record in found} == mentions(store)
    found = server.run("MATCH (e:Episodic) RETURN e.uuid, e.name")
    episodes = {(e.episode_id, e.source_ref) for e in scanned(store, "episode")}
    assert {tuple(record) for record in found} == episodes
    found = server.run("MATCH ()-[r:RELATES_TO]->() WHERE r.expired_at IS NULL RETURN r.uuid")
    assert {record[0] for record in found} == {f.fact_id for f in scanned(store, "fact")}
    held = passages(store)
    found = server.run("MATCH (d:Document) RETURN d.uuid, d.content")
    for document_id, content in map(tuple, found):
        texts = sorted(chunk.text for chunk in held.get(document_id, ()))
        assert sorted((content or "").split("\n\n")) == (texts or [""])


@pytest.mark.parametrize("seed", [3, 8])
def test_after_any_operations_the_graph_is_what_the_records_are(
    neo4j_server: Neo4jServer, neo4j_address: Address, seed: int
) -> None:
    with open_store(neo4j_address("step")) as store:
        for operation in operations(seed, 24):
            apply(store, operation)
            assert_in_step(neo4j_server, store)


def test_a_fact_that_is_asserted_no_more_has_expired_and_one_that_is_forgotten_is_gone(
    neo4j_server: Neo4jServer, neo4j_address: Address
) -> None:
    said = fact("Ada", "lives in", "Cuzco", at=moment(1), valid_from="2020-01-01")
    later = fact("Ada", "lives in", "Lima", at=moment(3), valid_from="2024-05-01")
    claims = claimed(VERSION_A, said)
    with open_store(neo4j_address("facts"), namespace="llama/road") as store:
        store.write(one_source(VERSION_A, "Ada lives", at=1, claims=claims))
        moved = claimed(VERSION_A, later)
        store.write(Batch(recorded_at=moment(3), claims=moved, ends=(said.fact_id,)))
        asked = (
            "MATCH (a:Name)-[r:RELATES_TO]->(b:Name) RETURN r.uuid, a.name, r.name, b.name, r.fact,"
            " toString(r.valid_at), toString(r.created_at), toString(r.expired_at), r.episodes,"
            " r.group_id ORDER BY b.name"
        )
        (one, two) = [list(record) for record in neo4j_server.run(asked)]
        store.forget([VERSION_A.source_ref])
    group = one.pop()
    assert re.fullmatch("llama_road_[0-9a-f]{12}", group)
    assert one == [
        said.fact_id,
        "Ada",
        "lives in",
        "Cuzco",
        "Ada lives in Cuzco",
        "2020-01-01T00:00:00Z",
        "2026-01-01T00:01:00Z",
        "2026-01-01T00:03:00Z",
        [VERSION_A.episode_id],
    ]
    assert two == [
        later.fact_id,
        "Ada",
        "lives in",
        "Lima",
        "Ada lives in Lima",
        "2024-05-01T00:00:00Z",
        "2026-01-01T00:03:00Z",
        None,
        [VERSION_A.episode_id],
        group,
    ]
    assert neo4j_server.run("MATCH (n) WHERE n:Entity OR n:Episodic RETURN n") == []


TREE = {
    "docs/knots.md": "# Knots\n\nSee `tie_knot` and <https://example.org/knots>.\n",
    "src/knots.py": 'def tie_knot(cord):\n    """Tie a knot into a cord."""\n    return cord + 1\n',
}


def test_the_cypher_of_founding_document_5_runs_word_for_word(
    tmp_path: Path,
    neo4j_server: Neo4jServer,
    neo4j_address: Address,
    write_files: Callable[..., None],
    open_memory: Callable[..., Memory],
) -> None:
    write_files(tmp_path, TREE)
    with open_memory(neo4j_address("seed"), tmp_path) as memory:
        memory.index(tmp_path)
        model = memory.embedder
        assert model is not None
        (query,) = model.embed(["how is a knot tied?"]).tolist()
        dimension = model.dimension
    run = neo4j_server.run
    index = f"""
CREATE VECTOR INDEX document_embedding IF NOT EXISTS
FOR (d:Document)
ON d.embedding
OPTIONS {{indexConfig: {{
   `vector.dimensions`: {dimension},
   `vector.similarity_function`: 'cosine'
}}}}
"""
    run(index)
    (made,) = run("SHOW VECTOR INDEXES YIELD name, options RETURN name, options.indexConfig AS c")
    assert (made["name"], made["c"]["vector.dimensions"]) == ("document_embedding", dimension)
    assert run("MATCH (:Document)-[:REFERS_TO]->(:Symbol) RETURN count(*) AS n")[0]["n"] > 0
    assert run("MATCH (:Document)-[:LINKS_TO]->(:URL) RETURN count(*) AS n")[0]["n"] == 1
    assert [r["n"] for r in run("RETURN 1 as n")] == [1]
    keys = "id path content embedding content_hash embedding_version updated_at".split()
    held = run("MATCH (d:Document) RETURN properties(d) AS d, valueType(d.updated_at) AS t")
    assert {r["d"]["path"] for r in held} == set(TREE)
    assert all(set(keys) <= r["d"].keys() and "ZONED DATETIME" in r["t"] for r in held)
    assert all(len(r["d"]["embedding"]) == dimension for r in held)
    run("CALL db.awaitIndexes(60)")
    ranked = run(
        "CALL db.index.vector.queryNodes('document_embedding', 10, $queryEmb) YIELD node AS d"
        " OPTIONAL CALL db.index.fulltext.queryNodes('document_content', 'knot')"
        " YIELD node, score WITH d, [s IN collect({n: node, s: score}) WHERE s.n = d | s.s] AS s"
        " WITH d, coalesce(s[0], 0.0) AS tfidfScore"
        " ORDER BY vector.similarity.cosine(d.embedding, $queryEmb) DESC, tfidfScore DESC"
        " RETURN d.path",
        queryEmb=query,
    )
    assert {r[0] for r in ranked} == set(TREE)


def test_an_index_of_another_dimension_is_named_and_nothing_is_written(
    neo4j_server: Neo4jServer, neo4j_address: Address
) -> None:
    url = neo4j_address("dimension")
    neo4j_server.run(
        "CREATE VECTOR INDEX document_embedding FOR (d:Document) ON d.embedding OPTIONS"
        " {indexConfig: {`vector.dimensions`: 1536, `vector.similarity_function`: 'cosine'}}"
    )
    with open_store(url) as store:
        store.write(one_source(VERSION_A, "red cord", at=1))
        (chunk,) = scanned(store, "chunk")
        batch = Batch(recorded_at=moment(2), embeddings=(embedding(chunk.chunk_id, "small", 1),))
        with pytest.raises(SpaceMismatch, match=r"1536 .* 8: run DROP INDEX document_embedding"):
            store.write(batch)
        assert store.spaces() == {}
        neo4j_server.run("DROP INDEX document_embedding")
        store.write(batch)
        assert store.spaces() == {"small": 1}
        dimensions = "SHOW VECTOR INDEXES YIELD options RETURN options.indexConfig AS c"
        made = neo4j_server.run(dimensions)
        assert [r["c"]["vector.dimensions"] for r in made] == [SPACES["small"]]
        store.drop_space("small")
        assert neo4j_server.run(dimensions) == []
        assert {r[0] for r in neo4j_server.run("MATCH (d:Document) RETURN d.embedding")} <= {None}


def test_what_lives_is_told_by_type(neo4j_server: Neo4jServer, neo4j_address: Address) -> None:
    odd = Entity(
        entity_id="en_odd", type="Odd`Type", name="odd", updated_at=moment(1), source_sha="s"
    )
    said = Fact(
        fact_id="fa_long",
        subject="x" * 9_000,
        predicate="is",
        object="y" * 9_000,
        updated_at=moment(1),
        source_sha="s",
    )
    claims = claimed(VERSION_A, odd, said)
    with open_store(neo4j_address("odd")) as store:
        store.write(one_source(VERSION_A, "red cord", at=1, claims=claims))
    (found,) = neo4j_server.run("MATCH (n:Entity {uuid: 'en_odd'}) RETURN labels(n), n.type")
    assert (sorted(found[0]), found[1]) == (["Entity", "custom"], "Odd`Type")
    (found,) = neo4j_server.run("MATCH (n)-[r:RELATES_TO]->() RETURN size(r.fact), size(n.name)")
    assert tuple(found) == (18_004, 1_000)
    with open_store(neo4j_server.url, read_only=True) as store:
        assert [f.subject for f in store.facts(subject="x" * 9_000)] == ["x" * 9_000]
        assert store.facts(subject="x" * 9_001) == []

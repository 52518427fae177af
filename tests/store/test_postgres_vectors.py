"""Vectors on a PostgreSQL server: compared there, ranked as everywhere, indexed where they are
many, and brought over from a deployment of 0.1.0, which kept them as bytes."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray
from tests.contract.store_sample import chunk, episode, moment
from tests.servers.postgres_server import PostgresServer

from quipu.errors import CorruptStore, InvalidInput, StoreUnavailable
from quipu.ports import Ranking, Store
from quipu.records.batch import Batch, Embedding
from quipu.records.scope import EVERYTHING, Scope
from quipu.store.inmemory import InMemoryStore, Shelf
from quipu.store.postgres import schema
from quipu.store.postgres.address import read_address
from quipu.store.postgres.store import PostgresStore
from quipu.store.postgres.tables import PostgresBackend
from quipu.store.postgres.vectors import index_name

SPACE, WIDTH = "model/1/64", 64


def rows(seed: int, count: int) -> NDArray[np.float32]:
    """Vectors near 20 centres; two alike, and one of nothing but zeros."""
    draw = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((20, WIDTH))
    found = centres[draw.integers(0, 20, count)] + 0.8 * draw.standard_normal((count, WIDTH))
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    found[1], found[2] = found[0], 0
    return found.astype(np.float32)


def source(n: int, count: int) -> Batch:
    of = episode(f"docs/a{n}.md", str(n), at=moment(n + 1))
    chunks = tuple(chunk(of, m, f"passage {n} {m}") for m in range(count))
    vectors = tuple(
        Embedding(c.chunk.chunk_id, SPACE, row, row[None])
        for c, row in zip(chunks, rows(n, count), strict=True)
    )
    return Batch(
        recorded_at=moment(n + 1),
        episodes=(of,),
        chunks=chunks,
        embeddings=vectors,
        replaces=(of.source_ref,),
    )


def opened(
    url: str, namespace: str = "default", *, read_only: bool = False, exact_up_to: int = 20_000
) -> PostgresStore:
    database = PostgresBackend(read_address(url), namespace=namespace, read_only=read_only)
    return PostgresStore(database, exact_up_to=exact_up_to)


def document(n: int) -> Scope:
    chunk_of = source(n, 3).chunks[0].chunk
    return Scope(document_ids=frozenset({chunk_of.document_id}))


def found(store: Store, query: NDArray[np.float32], scope: Scope, limit: int) -> Ranking:
    return store.match_vector(query, space=SPACE, scope=scope, limit=limit)


def assert_alike(store: Store, oracle: Store) -> None:
    for query in (rows(0, 3)[0], *rows(99, 3)):
        for scope in (EVERYTHING, document(1)):
            for limit in (1, 10, 500):
                ours, theirs = (found(each, query, scope, limit) for each in (store, oracle))
                assert ours.found == "exact"
                assert store.chunk_ids(ours.numbers) == oracle.chunk_ids(theirs.numbers)
                assert ours.scores.tolist() == theirs.scores.tolist()
    ids = [each.chunk.chunk_id for each in source(0, 40).chunks]
    ours, theirs = (each.vectors(each.numbers(ids), SPACE) for each in (store, oracle))
    assert ours.tobytes() == theirs.tobytes()


def filled(store: Store) -> InMemoryStore:
    """An oracle that holds what `store` is given."""
    oracle = InMemoryStore(Shelf(), namespace="default")
    for n in range(3):
        for each in (store, oracle):
            each.write(source(n, 100))
    return oracle


@pytest.fixture
def url(postgres_address: Callable[[str], str]) -> str:
    return postgres_address("store")


def test_the_server_compares_and_the_ranking_is_that_of_every_store(url: str) -> None:
    with opened(url, namespace="default") as store:
        oracle = filled(store)
        assert_alike(store, oracle)
        for each in (store, oracle):
            each.write(source(1, 50))  # others leave, and one that stays has another vector
        assert_alike(store, oracle)
        with opened(url, namespace="another") as other:
            assert not len(found(other, rows(0, 3)[0], EVERYTHING, 5).numbers)


def test_a_large_space_is_indexed_and_says_so(url: str) -> None:
    with opened(url, namespace="large", exact_up_to=300) as store:
        oracle = InMemoryStore(Shelf(), namespace="large")
        for n in range(8):
            for each in (store, oracle):
                each.write(source(n, 250))
        assert found(store, rows(0, 3)[0], EVERYTHING, 10).found == "exact"
    with (
        opened(url, namespace="large", exact_up_to=300) as store,
        psycopg.connect(url) as connection,
    ):
        for way in ("seqscan", "bitmapscan", "sort"):
            connection.execute(f"SET enable_{way} = off".encode())
        same = 0
        queries = rows(77, 43)[3:]
        for query in queries:
            ours, theirs = (found(each, query, EVERYTHING, 10) for each in (store, oracle))
            assert ours.found == "ann"
            both = zip((store, oracle), (ours, theirs), strict=True)
            ours_ids, their_ids = (set(each.chunk_ids(r.numbers)) for each, r in both)
            same += len(ours_ids & their_ids)
        assert same >= 0.95 * 10 * len(queries)
        few = found(store, queries[0], document(1), 10)  # what a scope leaves is compared
        assert few.found == "exact"
        assert len(few.numbers) == 10
        ns, asked = store._db.ns, "vector::halfvec(64) <=> '[" + ",".join(["1"] * 64) + "]'"
        plan = connection.execute(
            f"EXPLAIN SELECT number FROM quipu.vector WHERE ns = {ns} AND space = 1"
            f" ORDER BY {asked} LIMIT 5".encode()
        ).fetchall()
        assert any(index_name(ns, 1) in line for (line,) in plan)
        store.drop_space(SPACE)
        assert store.spaces() == {}


def partition(url: str, *tables: str) -> None:
    """Make of tables what 0.1.0 made: eight partitions by namespace."""
    with psycopg.connect(url, autocommit=True) as connection:
        for table in (f"quipu.{name}" for name in tables):
            parts = (
                f"CREATE TABLE {table}_{n} PARTITION OF {table}"
                f" FOR VALUES WITH (MODULUS 8, REMAINDER {n})"
                for n in range(8)
            )
            for said in (
                f"ALTER TABLE {table} RENAME TO whole",
                f"CREATE TABLE {table} (LIKE quipu.whole INCLUDING ALL) PARTITION BY HASH (ns)",
                *parts,
                f"INSERT INTO {table} SELECT * FROM quipu.whole",
                "DROP TABLE quipu.whole",
            ):
                connection.execute(said.encode())


def as_0_1_0_made_it(url: str) -> None:
    """Keep vectors as bytes, know no jobs, and part two tables by namespace."""
    with psycopg.connect(url, autocommit=True) as connection:
        read = "SELECT ns, space, number, halfvec_send(vector) FROM quipu.vector"
        kept = connection.cursor(binary=True).execute(read).fetchall()
        connection.execute(
            "DROP TABLE quipu.vector, quipu.job, quipu.job_payload;"
            " UPDATE quipu.deployment SET version = 2;"
            " CREATE TABLE quipu.vector (ns integer NOT NULL, space bigint NOT NULL,"
            " number bigint NOT NULL, vector bytea NOT NULL, PRIMARY KEY (ns, space, number))"
        )
        connection.cursor().executemany(
            "INSERT INTO quipu.vector VALUES (%s, %s, %s, %s)",
            [(*key, schema.of_halfvec(vector)) for *key, vector in kept],
        )
    partition(url, "vector", "support")


def test_vectors_of_the_first_release_are_brought_over_and_told(
    postgres_server: PostgresServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database = postgres_server.new_database()
    url = postgres_server.url(database)
    with opened(url) as store:
        oracle = filled(store)
    as_0_1_0_made_it(url)
    with pytest.raises(StoreUnavailable, match="version 2 of 5"):
        opened(url, read_only=True)
    postgres_server.execute(
        "CREATE ROLE earlier LOGIN PASSWORD 'one'; GRANT USAGE ON SCHEMA quipu TO earlier;"
        " GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA quipu TO earlier",
        database,
    )
    with pytest.raises(StoreUnavailable, match=r"version 2 of 5.*owner"):
        opened(postgres_server.tcp(database, user="earlier", password="one"))
    monkeypatch.setattr(schema, "_PATIENCE", "100ms")
    with psycopg.connect(url) as holder:
        holder.execute("SELECT 1 FROM quipu.vector LIMIT 1")
        with pytest.raises(StoreUnavailable, match="wait for it to finish"):
            opened(url)
    with caplog.at_level(logging.WARNING), opened(url) as store:
        assert "300 vectors were brought into pgvector" in caplog.text
        assert_alike(store, oracle)
        for each in (store, oracle):
            each.write(source(4, 30))
        assert_alike(store, oracle)


def test_an_extension_that_is_missing_or_out_of_reach_is_told(
    postgres_server: PostgresServer,
) -> None:
    database = postgres_server.new_database()
    url = postgres_server.url(database)
    postgres_server.execute("CREATE SCHEMA aside; CREATE EXTENSION vector SCHEMA aside", database)
    with pytest.raises(StoreUnavailable, match="search_path"):
        opened(url)
    postgres_server.execute("ALTER EXTENSION vector SET SCHEMA public", database)
    opened(url).close()
    postgres_server.execute("ALTER EXTENSION vector SET SCHEMA aside", database)
    with pytest.raises(StoreUnavailable, match="search_path"):
        opened(url, read_only=True)
    postgres_server.execute("DROP EXTENSION vector CASCADE", database)
    with pytest.raises(CorruptStore, match="has lost its vectors"):
        opened(url)


def test_indexes_are_made_in_turn_and_leave_with_their_space(
    postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    url = postgres_server.url(postgres_server.new_database())
    named = b"SELECT count(*) FROM pg_class WHERE relname LIKE 'vector_ann_%'"
    stores = [opened(url, f"n{n}", exact_up_to=100) for n in range(8)]
    for n, store in enumerate(stores):
        store.write(source(n, 150))
    with caplog.at_level(logging.WARNING), ThreadPoolExecutor(8) as threads:
        list(threads.map(PostgresStore.close, stores))
    assert caplog.text == ""
    with psycopg.connect(url, autocommit=True) as connection:
        assert connection.execute(named).fetchall() == [(8,)]
        with opened(url, "n0") as store:
            store.drop_space(SPACE)
        assert connection.execute(named).fetchall() == [(7,)]


def test_a_vector_that_is_too_wide_is_refused(url: str) -> None:
    wide = np.eye(1, 40_000, dtype=np.float32)
    with opened(url) as store:
        store.write(source(0, 3))
        chunk_id = source(0, 3).chunks[0].chunk.chunk_id
        vectors = (Embedding(chunk_id, "wide", wide[0], wide),)
        with pytest.raises(InvalidInput, match="room for 16000"):
            store.write(Batch(recorded_at=moment(2), embeddings=vectors))

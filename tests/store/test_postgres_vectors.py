"""Vectors on a PostgreSQL server: compared there, ranked as everywhere, indexed where they are
many, and brought over from a deployment that kept them as bytes."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

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
from quipu.store.postgres.database import Database
from quipu.store.postgres.store import PostgresStore
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
    database = Database(read_address(url), namespace=namespace, read_only=read_only)
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
        assert store._db.has_halves
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


def test_vectors_kept_as_bytes_are_brought_over_and_told(
    postgres_server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    url = postgres_server.url(postgres_server.new_database())
    with monkeypatch.context() as patch:
        patch.setattr(schema, "_OLDEST_PGVECTOR", (99, 0))  # as on a server without the extension
        with opened(url, namespace="default") as store:
            assert not store._db.has_halves
            oracle = filled(store)
            assert_alike(store, oracle)
    partition(url, "vector", "support")
    with opened(url, namespace="default", read_only=True) as store:
        assert_alike(store, oracle)
    with caplog.at_level(logging.WARNING), opened(url, namespace="default") as store:
        assert store._db.has_halves
        assert "300 vectors were brought into pgvector" in caplog.text
        assert_alike(store, oracle)
        for each in (store, oracle):
            each.write(source(4, 30))
        assert_alike(store, oracle)


# others meanwhile


@pytest.fixture
def kept_as_bytes(postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """A deployment of a server that had no extension when it was filled."""
    url = postgres_server.url(postgres_server.new_database())
    with monkeypatch.context() as patch:
        patch.setattr(schema, "_OLDEST_PGVECTOR", (99, 0))
        with opened(url) as store:
            filled(store)
    return url


def without_extension(url: str, monkeypatch: pytest.MonkeyPatch) -> PostgresStore:
    """A handle that was opened before the extension was there."""
    with monkeypatch.context() as patch:
        patch.setattr(schema, "_OLDEST_PGVECTOR", (99, 0))
        return opened(url)


def test_vectors_written_while_others_are_brought_over_are_not_lost(
    kept_as_bytes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with without_extension(kept_as_bytes, monkeypatch) as store, ThreadPoolExecutor(1) as threads:
        writing: list[Future[object]] = []
        move = schema._move_vectors

        def moved(*given: Any) -> int:
            count = move(*given)
            writing.append(threads.submit(store.write, source(4, 30)))
            wait(writing, timeout=0.5)
            return count

        monkeypatch.setattr(schema, "_move_vectors", moved)
        opened(kept_as_bytes).close()
        writing[0].result()
        assert store.spaces() == {SPACE: 330}
        assert store.unembedded(SPACE) == []


def test_vectors_that_others_hold_stay_bytes_for_now(
    kept_as_bytes: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_PATIENCE", "100ms")
    with psycopg.connect(kept_as_bytes) as holder, caplog.at_level(logging.WARNING):
        holder.execute("SELECT 1 FROM quipu.vector LIMIT 1")
        with opened(kept_as_bytes) as store:
            assert "stay bytes for now" in caplog.text
            store.write(source(4, 30))
    with opened(kept_as_bytes) as store:
        assert store._db.has_halves
        assert store.spaces() == {SPACE: 330}


def test_a_handle_that_was_open_goes_on_with_vectors_that_were_brought_over(
    kept_as_bytes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = filled(InMemoryStore(Shelf(), namespace="other"))
    with (
        without_extension(kept_as_bytes, monkeypatch) as warm,
        without_extension(kept_as_bytes, monkeypatch) as fresh,
    ):
        assert_alike(warm, oracle)
        opened(kept_as_bytes).close()
        for each in (warm, fresh):
            assert_alike(each, oracle)
            assert each._db.has_halves
        for each in (warm, oracle):
            each.write(source(1, 40))
        assert_alike(fresh, oracle)


def test_a_writer_that_owns_nothing_writes_bytes_and_keeps_its_rights(
    postgres_server: PostgresServer, kept_as_bytes: str
) -> None:
    database = kept_as_bytes.partition("///")[2].partition("?")[0]
    postgres_server.execute(
        "CREATE EXTENSION vector; CREATE ROLE vector_writer LOGIN PASSWORD 'a';"
        " GRANT USAGE ON SCHEMA quipu TO vector_writer;"
        " GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA quipu TO vector_writer",
        database,
    )
    address = postgres_server.tcp(database, user="vector_writer", password="a")
    for n, has_halves in ((4, False), (5, True)):
        with opened(address) as store:
            assert store._db.has_halves is has_halves
            store.write(source(n, 10))
            assert found(store, rows(n, 3)[0], EVERYTHING, 1).found == "exact"
        opened(kept_as_bytes).close()


def test_an_extension_that_is_lost_or_out_of_reach_is_told(
    postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    database = postgres_server.new_database()
    url = postgres_server.url(database)
    postgres_server.execute("CREATE SCHEMA aside; CREATE EXTENSION vector SCHEMA aside", database)
    with caplog.at_level(logging.WARNING), opened(url) as store:
        assert not store._db.has_halves
        assert "search_path" in caplog.text
        oracle = filled(store)
    postgres_server.execute("ALTER EXTENSION vector SET SCHEMA public", database)
    with opened(url) as store:
        assert store._db.has_halves
        assert_alike(store, oracle)
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

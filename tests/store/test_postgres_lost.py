"""Writers that meet on a PostgreSQL server, servers that are lost or stopped, writers that are
killed: nothing is lost and nothing is doubled."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from tests.contract.store_compare import assert_same
from tests.contract.store_sample import chunk, embedding, episode, moment, texts
from tests.servers.postgres_server import PostgresServer

from quipu.errors import StoreUnavailable
from quipu.records.batch import Batch
from quipu.store import open_store
from quipu.store.backend import CHUNK
from quipu.store.inmemory import InMemoryStore, Shelf
from quipu.store.postgres import database
from quipu.store.postgres.address import read_address
from quipu.store.postgres.store import PostgresStore
from quipu.store.postgres.tables import PostgresBackend

END_OTHERS = b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"


@pytest.fixture
def url(postgres_address: Callable[[str], str]) -> str:
    return postgres_address("store")


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that this test may stop; what it has written is on its disk."""
    with PostgresServer(fsync="on") as server:
        yield server


def source(n: int, words: str = "red") -> Batch:
    """A source of two passages with vectors."""
    at = moment(n)
    version = episode(f"docs/{n}.md", "1", at=at)
    chunks = tuple(chunk(version, m, f"{words} {n} {m}") for m in range(2))
    vectors = tuple(embedding(each.chunk.chunk_id, "small", n) for each in chunks)
    return Batch(recorded_at=at, episodes=(version,), chunks=chunks, embeddings=vectors)


def assert_whole(url: str, count: int) -> None:
    """That the store holds just the first `count` sources, as one that nothing happened to."""
    oracle = InMemoryStore(Shelf(), namespace="default")
    for n in range(count):
        oracle.write(source(n))
    with open_store(url) as store:
        assert_same(store, oracle)


def end_others(url: str) -> None:
    """End every other session, as an administrator or a broken network does."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(END_OTHERS + b" AND datname = current_database()")


def opened(url: str) -> PostgresStore:
    return PostgresStore(PostgresBackend(read_address(url), namespace="default", read_only=False))


def lose_and_count(store: PostgresStore) -> None:
    with store.moment():
        end_others(store._db.address.conninfo)
        store.counts()


def test_writers_of_a_namespace_take_turns(url: str) -> None:
    def write(mine: range) -> None:
        with open_store(url) as store:
            for n in mine:
                store.write(source(n))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, (range(n, 20, 4) for n in range(4))))
    with opened(url) as store:
        with store._session.reading():
            numbers = store._session.select(CHUNK, ("number",), {}, order=("number",))
        assert [n for (n,) in numbers] == list(range(40))
        assert [c.sequence for c in store.changes(0)] == list(range(1, store.sequence() + 1))
        assert (store.counts()["episode"], store.spaces()) == (20, {"small": 40})


def test_a_writer_that_waits_too_long_says_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(url) as store:
        store.write(source(0))
        monkeypatch.setattr(database, "_WRITE", b"BEGIN; SET LOCAL lock_timeout = '50ms'")
        with psycopg.connect(url) as holder:
            holder.execute("SELECT * FROM quipu.counter FOR UPDATE")
            with pytest.raises(StoreUnavailable, match="written by somebody else"):
                store.write(source(1))
            assert texts(store, red=1) == ["red 0 0", "red 0 1"]
        store.write(source(1))
    assert_whole(url, 2)


@pytest.mark.parametrize("statement", range(1, 16))
def test_a_connection_lost_at_any_statement_loses_and_doubles_nothing(
    url: str, monkeypatch: pytest.MonkeyPatch, statement: int
) -> None:
    said = 0
    execute = PostgresBackend._execute

    def lose(self: PostgresBackend, text: bytes, values: object = ()) -> object:
        nonlocal said
        said += 1
        if said == statement:
            end_others(url)
        return execute(self, text, values)  # type: ignore[arg-type]

    with open_store(url) as store:
        store.write(source(0))
        with monkeypatch.context() as patch:
            patch.setattr(PostgresBackend, "_execute", lose)
            store.write(source(1))
        assert said > statement
        assert store.write(source(1)).changes == 0
    assert_whole(url, 2)


def test_a_commit_whose_answer_is_lost_is_not_made_twice(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = PostgresBackend._execute
    lost: list[bytes] = []

    def lose(self: PostgresBackend, text: bytes, values: object = ()) -> object:
        done = execute(self, text, values)  # type: ignore[arg-type]
        if text == b"COMMIT" and not lost:
            lost.append(text)
            end_others(url)
            raise psycopg.OperationalError("the connection is lost")
        return done

    with open_store(url) as store:
        monkeypatch.setattr(PostgresBackend, "_execute", lose)
        store.write(source(0))
    assert lost
    assert_whole(url, 1)


def test_a_reader_that_lost_its_server_reads_again(url: str) -> None:
    with opened(url) as store:
        store.write(source(0))
        with pytest.raises(StoreUnavailable, match=r"not reached|stopping"):
            lose_and_count(store)
        assert texts(store, red=1) == ["red 0 0", "red 0 1"]
        end_others(url)
        assert store.counts()["episode"] == 1


@pytest.mark.parametrize("statement", range(1, 4))
def test_a_reader_that_lost_its_server_half_way_finds_nothing_that_left(
    url: str, monkeypatch: pytest.MonkeyPatch, statement: int
) -> None:
    def version(n: int, passages: int) -> Batch:
        of = episode("docs/a.md", str(n), at=moment(n))
        chunks = tuple(chunk(of, m, f"red {m}") for m in range(passages))
        return Batch(
            recorded_at=moment(n), episodes=(of,), chunks=chunks, replaces=(of.source_ref,)
        )

    execute, said = PostgresBackend._execute, 0

    def lose(self: PostgresBackend, text: bytes, values: object = ()) -> object:
        nonlocal said
        said += 1
        if said == statement:
            raise psycopg.OperationalError("the connection is lost")
        return execute(self, text, values)  # type: ignore[arg-type]

    with opened(url) as store, opened(url) as other:
        store.write(version(1, 20))
        assert len(other.match_text("prose", {"red": 1.0}).numbers) == 20
        store.write(version(2, 18))
        with monkeypatch.context() as patch:
            patch.setattr(PostgresBackend, "_execute", lose)
            with pytest.raises(StoreUnavailable, match="not reached"):
                other.match_text("prose", {"red": 1.0})
        assert len(other.match_text("prose", {"red": 1.0}).numbers) == 18


def test_a_server_that_stays_away_is_told(
    own_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_WAIT_S", 0.5)
    url = own_server.url(own_server.new_database())
    with open_store(url) as store:
        store.write(source(0))
        own_server.stop()
        for ask in (store.counts, lambda: store.write(source(1))):
            with pytest.raises(StoreUnavailable, match="not reached"):
                ask()
        own_server.start()
        store.write(source(1))
    assert_whole(url, 2)

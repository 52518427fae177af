"""What only the PostgreSQL store has: addresses, servers and schemas that are refused, roles, and
statements that name the namespace."""

import logging
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import psycopg
import pytest
from tests.contract.store_sample import OTHER, VERSION_A, keep_words_as_0_1_0, one_source, texts
from tests.servers.postgres_server import PostgresServer

from quipu.errors import (
    CorruptStore,
    InvalidInput,
    MissingExtra,
    NewerStore,
    QuipuError,
    StoreUnavailable,
)
from quipu.memory import Memory
from quipu.store import open_store
from quipu.store.backend import SUPPORT, Above, Beginning
from quipu.store.postgres import database, schema
from quipu.store.postgres.address import read_address
from quipu.store.postgres.tables import PostgresBackend

SECRET = "s3cret-Password"
NewStore = Callable[[str], str]


@pytest.fixture
def url(postgres_address: NewStore) -> str:
    return postgres_address("store")


def refusal(url: str, error: type[QuipuError], *, read_only: bool = False) -> str:
    """What is said when the store is opened; never a password."""
    with pytest.raises(error) as refused:
        open_store(url, read_only=read_only).close()
    assert SECRET not in repr(refused.value)
    cause: BaseException | None = refused.value
    while cause is not None:
        assert SECRET not in str(cause)
        cause = cause.__cause__
    return str(refused.value)


# addresses


@pytest.mark.parametrize(
    "login",
    [
        f"ann:{SECRET}@@127.0.0.1:1/notes",
        f"ann:{SECRET}/x@127.0.0.1:1/notes",
        f"ann:{SECRET}?x@127.0.0.1:1/notes",
        f"ann:{SECRET}%ZZ@127.0.0.1:1/notes",
        f"ann:{SECRET}@127.0.0.1:port/notes",
        f"ann:{SECRET}@127.0.0.1:1/notes?nonsense={1}",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_its_password(login: str) -> None:
    assert "no address" in refusal(f"postgresql://{login}", InvalidInput)


def test_a_library_that_is_missing_names_the_command() -> None:
    run = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from quipu.store import open_store\n"
        f"open_store('postgresql://ann:{SECRET}@db/notes')"
    )
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=False)
    assert f"{MissingExtra.__name__}: 'postgresql://ann@db/notes' needs" in done.stderr
    assert "pip install 'quipu-memory[postgres]'" in done.stderr
    assert SECRET not in done.stderr.replace(run, "")


# servers that refuse


def test_a_server_that_refuses_is_told_apart(postgres_server: PostgresServer, url: str) -> None:
    database = url.partition("///")[2].partition("?")[0]
    assert "check the user and the password" in refusal(
        postgres_server.tcp(database, password=SECRET), StoreUnavailable
    )
    assert "check the user" in refusal(
        postgres_server.tcp(database, user="nobody_here", password=SECRET), StoreUnavailable
    )
    assert "make the database" in refusal(postgres_server.tcp("nowhere"), StoreUnavailable)
    assert "is not reached" in refusal(
        f"postgresql://ann:{SECRET}@127.0.0.1:1/{database}", StoreUnavailable
    )
    with open_store(postgres_server.tcp(database)) as store:
        assert store.sequence() == 0


def test_a_database_that_is_not_unicode_is_refused(postgres_server: PostgresServer) -> None:
    postgres_server.execute(
        "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    )
    assert "'LATIN1'" in refusal(postgres_server.url("latin"), StoreUnavailable)


# schemas


def test_nothing_is_made_to_be_read(postgres_server: PostgresServer) -> None:
    url = postgres_server.url(postgres_server.new_database())
    assert "there is no deployment" in refusal(url, StoreUnavailable, read_only=True)
    assert "there is no deployment" in refusal(url, StoreUnavailable, read_only=True)
    open_store(url).close()
    with open_store(url, namespace="never written", read_only=True) as store:
        assert store.sequence() == 0
        assert set(store.counts().values()) == {0}


def test_a_migration_that_fails_leaves_nothing(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres_server.url(postgres_server.new_database())
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "SELECT no_such_function()"))
        patch.setattr(schema, "LATEST", schema.LATEST + 1)
        assert "no_such_function" in refusal(url, CorruptStore)
    assert "there is no deployment" in refusal(url, StoreUnavailable, read_only=True)
    with open_store(url) as store:
        assert store.sequence() == 0


def test_an_older_schema_is_brought_further(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(url) as store:
        store.write(one_source(VERSION_A, "red", at=1))
    latest = schema.LATEST
    try:
        more = "COMMENT ON TABLE {schema}.deployment IS 'of two'"
        monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, more))
        monkeypatch.setattr(schema, "LATEST", latest + 1)
        assert f"version {latest} of {latest + 1}" in refusal(url, StoreUnavailable, read_only=True)
        with open_store(url) as store:
            assert texts(store, red=1) == ["red"]
        monkeypatch.undo()
        assert "update Quipu" in refusal(url, NewerStore)
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("UPDATE quipu.deployment SET version = %s", (latest,))


def test_many_make_a_schema_at_once(postgres_server: PostgresServer) -> None:
    url = postgres_server.url(postgres_server.new_database())
    with ThreadPoolExecutor(6) as threads:
        stores = list(threads.map(lambda n: open_store(url, namespace=f"n{n % 2}"), range(6)))
    assert [store.sequence() for store in stores] == [0] * 6
    for store in stores:
        store.close()


def test_an_index_of_words_with_directories_is_written_anew_once(
    postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    url = postgres_server.url(postgres_server.new_database())
    with open_store(url) as store:
        store.write(one_source(VERSION_A, "red tax", "red llama", at=1))
        store.write(one_source(OTHER, "blue tax", at=2))
        keep_words_as_0_1_0(store)
    with open_store(url, read_only=True) as store:
        before = [texts(store, **{word: 1.0}) for word in ("red", "tax", "blue", "none")]
    assert [len(each) for each in before] == [2, 2, 1, 0]
    together = Barrier(4, timeout=30)

    def go_on(_: int) -> list[list[str]]:
        together.wait()
        with open_store(url) as store:
            return [texts(store, **{word: 1.0}) for word in ("red", "tax", "blue", "none")]

    with caplog.at_level(logging.WARNING), ThreadPoolExecutor(4) as threads:
        assert list(threads.map(go_on, range(4))) == [before] * 4
    assert caplog.text.count("written anew") == 1


# roles


def test_a_role_that_only_reads_reads(postgres_server: PostgresServer, url: str) -> None:
    database = url.partition("///")[2].partition("?")[0]
    with open_store(url) as store:
        store.write(one_source(VERSION_A, "red", at=1))
    postgres_server.execute(
        f"CREATE ROLE reader LOGIN PASSWORD '{SECRET}'; GRANT USAGE ON SCHEMA quipu TO reader;"
        " GRANT SELECT ON ALL TABLES IN SCHEMA quipu TO reader",
        database,
    )
    address = postgres_server.tcp(database, user="reader", password=SECRET)
    with open_store(address, read_only=True) as store:
        assert texts(store, red=1) == ["red"]
        with pytest.raises(StoreUnavailable, match="read-only"):
            store.write(one_source(OTHER, "blue", at=2))
    with (
        open_store(address) as store,
        pytest.raises(StoreUnavailable, match="may not do this") as refused,
    ):
        store.write(one_source(OTHER, "blue", at=2))
    assert SECRET not in str(refused.value)
    assert "may not" in refusal(f"{address}?schema=another", StoreUnavailable)


# connections


def test_a_closed_handle_is_told_and_opens_nothing(url: str) -> None:
    store = open_store(url)
    store.close()
    with pytest.raises(InvalidInput, match="was closed"):
        store.counts()
    assert read_address(url).conninfo not in database._pools


def test_readings_that_cannot_begin_give_their_connections_back(url: str) -> None:
    with open_store(url) as store, psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER TABLE quipu.counter RENAME TO away")
        try:
            for _ in range(database._MOST + 2):
                with pytest.raises(CorruptStore, match="lacks what its version has"):
                    store.counts()
        finally:
            connection.execute("ALTER TABLE quipu.away RENAME TO counter")
        assert store.counts()["episode"] == 0


def test_a_timeout_of_the_server_is_told(postgres_server: PostgresServer) -> None:
    name = postgres_server.new_database()
    url = postgres_server.url(name)
    open_store(url).close()
    for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
        postgres_server.execute(f"ALTER DATABASE {name} SET {setting} = '200ms'")
        reading = PostgresBackend(read_address(url), namespace="default", read_only=True)

        def slow(
            reading: PostgresBackend = reading, *, at_server: bool = setting[0] == "s"
        ) -> None:
            with reading.reading():
                if at_server:
                    reading.rows(b"SELECT pg_sleep(2)")
                time.sleep(1)
                reading.rows(b"SELECT 1")

        with pytest.raises(StoreUnavailable, match="raise that timeout"):
            slow()
        reading.close()
        postgres_server.execute(f"ALTER DATABASE {name} RESET {setting}")


# text


def test_any_text_can_be_asked_for(url: str) -> None:
    names = ["a", "a\U0001f600", "a\ue000", "a\uffff", "ab", "b", "ä", "Z"]
    backend = PostgresBackend(read_address(url), namespace="default", read_only=False)
    row = (0, "", "", None, "", None, None, None, b"")
    with backend.writing():
        backend.insert(SUPPORT, [(n, 2, name, *row[1:]) for n, name in enumerate(names)])
    with backend.reading():

        def found(value: object) -> list[str]:
            rows = backend.select(
                SUPPORT, ("record_id",), {"record_id": value}, order=("record_id",)
            )
            return [name for (name,) in rows]

        ordered = sorted(names)
        assert found(Above("")) == ordered
        for asked in ("a", "a\0", "a\0z", "a\ud800", "a\udfff", "\ud800", "b", "zz", "\U0010ffff"):
            assert found(Above(asked)) == [name for name in ordered if name > asked], asked
            assert found(Beginning(asked)) == [n for n in ordered if n.startswith(asked)], asked
            assert found(asked) == [name for name in ordered if name == asked], asked
        assert found(["a", "b\0", "\ud800", "ä"]) == ["a", "ä"]
        assert found([]) == []
        for number in (2**63, -(2**70)):
            assert backend.select(SUPPORT, ("row",), {"row": number}) == []
            assert backend.select(SUPPORT, ("row",), {"row": [1, number]}) == [(1,)]
    backend.close()


# round trips


def test_a_search_is_one_transaction_and_the_look_at_its_files_another(
    url: str,
    open_memory: Callable[..., Memory],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[bytes] = []
    begin = PostgresBackend._begin

    def counted(database: PostgresBackend, pool: Any, said: bytes) -> Any:
        begun.append(said)
        return begin(database, pool, said)

    with open_memory(url, tmp_path) as memory:
        memory.add("Ann Lee owns the payment service.", source_ref="manual:owner")
        monkeypatch.setattr(PostgresBackend, "_begin", counted)
        for _ in range(2):
            begun.clear()
            assert memory.search("who owns the payment service").hits
            assert len(begun) == 2


# threads


def test_threads_read_at_once_and_none_waits_for_a_writer(url: str) -> None:
    with open_store(url) as store, ThreadPoolExecutor(12) as threads:
        store.write(one_source(VERSION_A, "red", at=1))
        together = Barrier(4, timeout=30)

        def read() -> tuple[list[str], int]:
            with store.moment():
                together.wait()  # all four are inside at once
                before = texts(store, red=1)
                together.wait()
                assert store.jobs.rows() == []
                together.wait()
                return before, store.sequence()

        def write() -> list[str]:
            store.write(one_source(OTHER, "blue", at=2))
            together.wait()  # not committed, and nobody waits for it
            together.wait()
            together.wait()
            return texts(store, blue=1)

        readers = [threads.submit(read) for _ in range(3)]
        writer = threads.submit(store.atomically, write)
        assert writer.result() == ["blue"]
        assert {str(reader.result()) for reader in readers} == {str((["red"], 2))}
        assert texts(store, blue=1) == ["blue"]
        assert list(threads.map(lambda _: texts(store, red=1), range(40))) == [["red"]] * 40


def test_a_schema_of_others_is_left_alone(postgres_server: PostgresServer) -> None:
    name = postgres_server.new_database()
    postgres_server.execute("CREATE SCHEMA quipu; CREATE TABLE quipu.bills (sum integer)", name)
    said = refusal(postgres_server.url(name), StoreUnavailable)
    assert "holds the table 'bills'" in said
    assert "?schema=" in said

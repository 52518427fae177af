"""A server that can write no more says so, loses nothing, and goes on when it has room again."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.contract.store_compare import assert_same
from tests.contract.store_sample import chunk, episode, moment
from tests.servers.neo4j.server import PASSWORD, USER, Neo4jServer
from tests.servers.postgres_server import PostgresServer

from quipu.errors import StoreUnavailable
from quipu.ports import Store
from quipu.records.batch import Batch
from quipu.store import open_store
from quipu.store.inmemory import InMemoryStore, Shelf

pytestmark = pytest.mark.large
MOST = 200


@contextmanager
def small_files(most_bytes: int) -> Iterator[None]:
    """Programs that are started inside cannot make a file larger: it needs no rights, and what
    they meet is what a quota or a full disk is to them."""
    kept, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (kept, hard))


def large(n: int) -> Batch:
    """A source of long passages whose text does not get smaller when it is packed."""
    of = episode(f"docs/large{n}.md", "A", at=moment(n))
    chunks = tuple(chunk(of, m, f"red {os.urandom(20_000).hex()}") for m in range(12))
    return Batch(recorded_at=moment(n), episodes=(of,), chunks=chunks)


def fill(store: Store, oracle: Store) -> tuple[Batch, str]:
    """Write until the server refuses; the batch that it refused, and what is said."""
    for n in range(MOST):
        batch = large(n)
        try:
            store.write(batch)
        except StoreUnavailable as error:
            return batch, str(error)
        oracle.write(batch)
    raise AssertionError("the server refused nothing")


def test_a_postgres_that_cannot_write_its_files_loses_nothing() -> None:
    oracle = InMemoryStore(Shelf(), namespace="default")
    # The log's files are of 16 MiB, which it must be able to make.
    with PostgresServer() as server:
        url = server.url(server.new_database())
        open_store(url).close()
        server.stop()
        with small_files(17_000_000):
            server.start()
        with open_store(url) as store:
            refused, said = fill(store, oracle)
            assert "look at its disk, quota and limits" in said
            assert "nothing was changed" in said
            assert_same(store, oracle)
        server.stop()
        server.start()
        with open_store(url) as store:
            assert_same(store, oracle)
            store.write(refused)
            oracle.write(refused)
            assert_same(store, oracle)


@pytest.mark.enable_socket
def test_a_neo4j_that_cannot_write_its_files_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_USER", USER)
    monkeypatch.setenv("NEO4J_PASSWORD", PASSWORD)
    oracle = InMemoryStore(Shelf(), namespace="default")
    server = Neo4jServer(tmp_path / "home", {"db.tx_log.rotation.size": "1m"})
    try:
        with small_files(2_000_000):
            server.start()
        with open_store(server.url) as store:
            refused, said = fill(store, oracle)
            assert "has stopped this database, most often for a full disk" in said
            assert "there whole or not at all" in said
            with pytest.raises(StoreUnavailable, match="make room"):
                store.counts()
        server.kill()
        server.start()
        with open_store(server.url) as store:
            store.write(refused)
            oracle.write(refused)
            assert_same(store, oracle)
    finally:
        server.kill()

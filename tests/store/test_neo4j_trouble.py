"""What goes wrong with a Neo4j server is said clearly, and loses nothing."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from neo4j import Transaction
from neo4j.exceptions import IncompleteCommit
from tests.contract.store_compare import assert_same
from tests.contract.store_sample import OTHER, VERSION_A, one_source
from tests.servers.neo4j.server import PASSWORD, USER, Neo4jServer

from quipu.errors import InvalidInput, MissingExtra, NewerStore, StoreUnavailable
from quipu.memory import Memory
from quipu.serve.http.routes import StoreHealth, neo4j_health
from quipu.store import open_store
from quipu.store.inmemory import InMemoryStore, Shelf
from quipu.store.neo4j import health
from quipu.store.neo4j.connection import Address, require_version

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]
Addresses = Callable[[str], str]


@pytest.mark.parametrize(
    ("url", "environment", "meant"),
    [
        ("neo4j://", {}, ("neo4j://localhost:7687", "neo4j", "", None)),
        (
            "neo4j://",
            {"NEO4J_URI": "bolt+s://db:7000", "NEO4J_USERNAME": "ann", "NEO4J_PASSWORD": "p"},
            ("bolt+s://db:7000", "ann", "p", None),
        ),
        (
            "neo4j://ben:p%40ss@db/graphs",
            {"NEO4J_URI": "bolt://else", "NEO4J_USER": "ann", "NEO4J_DATABASE": "other"},
            ("neo4j://db", "ben", "p@ss", "graphs"),
        ),
        (
            "bolt://[::1]:7687",
            {"NEO4J_USER": "ann", "NEO4J_USERNAME": "no"},
            ("bolt://[::1]:7687", "ann", "", None),
        ),
    ],
)
def test_an_address_and_what_the_environment_adds(
    url: str, environment: dict[str, str], meant: tuple[str, str, str, str | None]
) -> None:
    found = Address.of(url, environment)
    assert (found.uri, found.user, found.password, found.database) == meant
    assert "p@ss" not in repr(found)


def test_an_address_that_is_none_is_refused_without_its_password() -> None:
    with pytest.raises(InvalidInput, match="is no address") as told:
        open_store("neo4j://ann:s3cret@[db")
    assert "s3cret" not in str(told.value)


def test_a_server_that_is_too_old_or_another_is_named() -> None:
    for agent in ("Neo4j/5.15.0", "Neo4j/5.26.30", "Neo4j/2025.10.1"):
        require_version(agent, "bolt://db")
    for agent in ("Neo4j/4.4.40", "Neo4j/5.11.0", "Memgraph/3.1", ""):
        with pytest.raises(StoreUnavailable, match=r"needs Neo4j 5\.15 or newer: upgrade"):
            require_version(agent, "bolt://db")


def test_a_wrong_password_database_or_port_is_told_apart(
    neo4j_address: Addresses, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = neo4j_address("wrong")
    with pytest.raises(StoreUnavailable, match=r"there is no database 'nowhere' at bolt://"):
        open_store(f"{url}/nowhere")
    monkeypatch.setenv("NEO4J_PASSWORD", "wr0ng-Password")
    with pytest.raises(StoreUnavailable, match="refused the user 'neo4j' or the pass") as told:
        open_store(url)
    assert "wr0ng" not in str(told.value)
    begun = time.monotonic()
    with pytest.raises(StoreUnavailable, match=r"bolt://127\.0\.0\.1:1 cannot be reached"):
        open_store("bolt://127.0.0.1:1")
    assert time.monotonic() - begun < 20


def test_the_health_of_a_server_is_as_founding_document_5_says(neo4j_address: Addresses) -> None:
    good = {"status": "healthy", "message": "Neo4j connection successful"}
    assert health(neo4j_address("health")) == (200, good)
    with Memory.open(neo4j_address("health"), embedder=None) as memory:
        assert neo4j_health(memory) == (200, StoreHealth(**good))
    status, body = health("bolt://127.0.0.1:1")
    assert (status, body["status"]) == (503, "unhealthy")
    assert "cannot be reached" in body["message"]
    assert set(body) == {"status", "message"}


def test_without_the_driver_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in [n for n in sys.modules if n.startswith(("quipu.store.neo4j.", "neo4j"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "neo4j", None)
    with pytest.raises(MissingExtra, match=r"pip install 'quipu-memory\[neo4j\]'"):
        open_store("neo4j://localhost")


def test_a_newer_layout_is_left_alone(neo4j_server: Neo4jServer, neo4j_address: Addresses) -> None:
    url = neo4j_address("newer")
    open_store(url).close()
    neo4j_server.run("MATCH (s:QuipuStore) SET s.version = 99")
    try:
        with pytest.raises(NewerStore, match="layout 99"):
            open_store(url)
    finally:
        neo4j_server.run("MATCH (s:QuipuStore) SET s.version = 1")


def test_what_was_committed_and_not_published_is_published_by_who_comes(
    neo4j_server: Neo4jServer, neo4j_address: Addresses
) -> None:
    url = neo4j_address("published")
    with open_store(url) as store:
        store.write(one_source(VERSION_A, "red cord", at=1))
    neo4j_server.run("MATCH (m:QuipuMoment) SET m.version = 0, m.sequence = 0, m.row = 0")
    with open_store(url, read_only=True) as reader:
        assert reader.counts()["chunk"] == 0
        open_store(url).close()
        assert reader.counts()["chunk"] == 1


def test_a_commit_whose_answer_is_lost_is_not_made_twice(
    neo4j_address: Addresses, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Transaction.commit
    lost: list[Transaction] = []

    def lose(self: Transaction) -> None:
        commit(self)
        if len(lost) < 2:
            lost.append(self)
            raise IncompleteCommit("the connection is lost")

    batches = [one_source(VERSION_A, "red cord", at=1), one_source(OTHER, "blue knot", at=2)]
    oracle = InMemoryStore(Shelf(), namespace="default")
    with open_store(neo4j_address("commit")) as store:
        monkeypatch.setattr(Transaction, "commit", lose)
        for batch in batches:
            store.write(batch)
            oracle.write(batch)
        assert len(lost) == 2
        assert_same(store, oracle)


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    """A server that a test may kill."""
    server = Neo4jServer(tmp_path_factory.mktemp("own") / "home")
    server.start()
    yield server
    server.kill()


@pytest.mark.large
def test_a_dump_is_restored_and_a_database_that_is_read_only_is_only_read(
    own_server: Neo4jServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_USER", USER)
    monkeypatch.setenv("NEO4J_PASSWORD", PASSWORD)
    with open_store(own_server.url, namespace="kept") as store:
        store.write(one_source(VERSION_A, "red cord", "blue knot", at=1))
        held = store.counts(), store.changes(0)
    own_server.stop()
    own_server.admin("database", "dump", "neo4j", f"--to-path={tmp_path}")
    own_server.start()
    with open_store(own_server.url, namespace="kept") as store:
        store.forget([VERSION_A.source_ref])
    own_server.stop()
    own_server.admin(
        "database", "load", "neo4j", f"--from-path={tmp_path}", "--overwrite-destination=true"
    )
    own_server.configure(server__databases__read_only="neo4j")
    own_server.start()
    with open_store(own_server.url, namespace="kept", read_only=True) as store:
        assert (store.counts(), store.changes(0)) == held
    with pytest.raises(StoreUnavailable, match=r"may not write to .* open it read-only"):
        open_store(own_server.url, namespace="kept")

"""A memory on Neo4j is the memory it would be in a file."""

from collections.abc import Callable

import pytest
from tests.contract.store_sample import VERSION_A, one_source
from tests.servers.neo4j.server import Neo4jServer

from quipu.errors import StoreUnavailable
from quipu.store import open_store

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]


def test_what_is_forgotten_is_in_no_node(
    neo4j_server: Neo4jServer, neo4j_address: Callable[[str], str]
) -> None:
    with open_store(neo4j_address("forget")) as store:
        store.write(one_source(VERSION_A, "the secret cord", at=1))
        store.write(one_source(VERSION_A, "another cord", at=2))
        store.forget([VERSION_A.source_ref])
    left = neo4j_server.run("MATCH (n) WHERE NOT n:QuipuChange RETURN n")
    assert "secret" not in str([dict(record["n"]) for record in left])
    assert neo4j_server.run("MATCH (n:QuipuSupport) RETURN n") == []


def test_a_handle_that_reads_writes_nothing(neo4j_address: Callable[[str], str]) -> None:
    url = neo4j_address("reads")
    with open_store(url, namespace="nobody", read_only=True) as store:
        assert store.counts()["episode"] == 0
        with pytest.raises(StoreUnavailable, match="read-only"):
            store.write(one_source(VERSION_A, "red cord", at=1))

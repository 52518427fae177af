"""Neo4j under the contract: exact vectors, and again with the graph index from three vectors."""

from collections.abc import Callable, Iterator

import pytest
from tests.contract.store_contract import OpenHandle, StoreContract, VectorContract

from quipu.store.neo4j.store import Neo4jStore

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]


@pytest.fixture
def opened() -> Iterator[list[Neo4jStore]]:
    """The handles of a test, closed after it."""
    stores: list[Neo4jStore] = []
    yield stores
    for store in stores:
        store.close()


@pytest.fixture
def exact_up_to() -> int:
    return 10_000


@pytest.fixture
def open_handle(
    neo4j_address: Callable[[str], str], opened: list[Neo4jStore], exact_up_to: int
) -> OpenHandle:
    url = neo4j_address("contract")

    def open_one(namespace: str) -> Neo4jStore:
        opened.append(Neo4jStore(url, namespace=namespace, exact_up_to=exact_up_to))
        return opened[-1]

    return open_one


class TestNeo4j(StoreContract):
    random_operations, random_streams = 40, 1  # one takes as long as a hundred on a file


class TestNeo4jWithGraphIndex(VectorContract):
    random_operations, random_streams = 40, 1

    @pytest.fixture
    def exact_up_to(self) -> int:
        return 3

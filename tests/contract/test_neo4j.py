"""Neo4j under the contract: exact vectors, and again with the graph index from three vectors."""

from collections.abc import Callable, Iterator

import pytest
from tests.contract.store_contract import OpenHandle, StoreContract

from quipu.store.neo4j.store import Neo4jStore

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]


@pytest.fixture
def opened() -> Iterator[list[Neo4jStore]]:
    """The handles of a test, closed after it."""
    stores: list[Neo4jStore] = []
    yield stores
    for store in stores:
        store.close()


class TestNeo4j(StoreContract):
    exact_up_to = 10_000
    random_operations = 40  # one takes as long as a hundred on a file

    @pytest.fixture
    def open_handle(
        self, neo4j_address: Callable[[str], str], opened: list[Neo4jStore]
    ) -> OpenHandle:
        url = neo4j_address("contract")

        def open_one(namespace: str) -> Neo4jStore:
            opened.append(Neo4jStore(url, namespace=namespace, exact_up_to=self.exact_up_to))
            return opened[-1]

        return open_one


class TestNeo4jWithGraphIndex(TestNeo4j):
    exact_up_to = 3

"""Neo4j under the contract: exact vectors, and again with the graph index from three vectors."""

from collections.abc import Callable, Iterator

import pytest

from quipu.store.inmemory import InMemoryStore, Shelf
from quipu.store.neo4j.store import Neo4jStore
from quipu.testing.store_compare import apply, assert_same
from quipu.testing.store_contract import OpenHandle, StoreContract
from quipu.testing.store_sample import operations

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]


@pytest.fixture
def opened() -> Iterator[list[Neo4jStore]]:
    """The handles of a test, closed after it."""
    stores: list[Neo4jStore] = []
    yield stores
    for store in stores:
        store.close()


class TestNeo4j(StoreContract):
    @pytest.fixture
    def open_handle(
        self, neo4j_address: Callable[[str], str], opened: list[Neo4jStore]
    ) -> OpenHandle:
        url = neo4j_address("contract")

        def open_one(namespace: str) -> Neo4jStore:
            opened.append(Neo4jStore(url, namespace=namespace, exact_up_to=self.exact_up_to))
            return opened[-1]

        return open_one

    exact_up_to = 10_000


class TestNeo4jWithGraphIndex(TestNeo4j):
    exact_up_to = 3


@pytest.mark.parametrize("seed", [7, 11, 13])
def test_any_stream_of_operations_matches_the_reference(
    neo4j_address: Callable[[str], str], seed: int
) -> None:
    oracle = InMemoryStore(Shelf(), namespace="default")
    with Neo4jStore(neo4j_address("any"), namespace="default") as store:
        for operation in operations(seed, 15):
            assert apply(store, operation) == apply(oracle, operation)
        assert_same(store, oracle, seed=seed)

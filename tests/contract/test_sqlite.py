"""SQLite under the contract: exact vectors, and again with the graph index from three vectors."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contract.store_compare import apply, assert_same
from tests.contract.store_contract import OpenHandle, StoreContract
from tests.contract.store_sample import operations

from quipu.store.inmemory import InMemoryStore, Shelf
from quipu.store.sqlite import SQLiteStore


class TestSQLite(StoreContract):
    @pytest.fixture
    def open_handle(self, tmp_path: Path) -> OpenHandle:
        return lambda namespace: SQLiteStore(tmp_path / "quipu.db", namespace=namespace)


class TestSQLiteWithGraphIndex(StoreContract):
    @pytest.fixture
    def open_handle(self, tmp_path: Path) -> OpenHandle:
        path = tmp_path / "quipu.db"
        return lambda namespace: SQLiteStore(path, namespace=namespace, exact_up_to=3)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 25))
def test_any_stream_of_operations_matches_the_reference(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int
) -> None:
    path = tmp_path_factory.mktemp("any") / "quipu.db"
    oracle = InMemoryStore(Shelf(), namespace="default")
    with SQLiteStore(path, namespace="default") as store:
        for operation in operations(seed, count):
            assert apply(store, operation) == apply(oracle, operation)
        assert_same(store, oracle, seed=seed)

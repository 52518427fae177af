"""SQLite under the contract: exact vectors, and again with the graph index from three vectors."""

from pathlib import Path

import pytest
from tests.contract.store_contract import OpenHandle, StoreContract, VectorContract

from quipu.store.sqlite import SQLiteStore


class TestSQLite(StoreContract):
    @pytest.fixture
    def open_handle(self, tmp_path: Path) -> OpenHandle:
        return lambda namespace: SQLiteStore(tmp_path / "quipu.db", namespace=namespace)


class TestSQLiteWithGraphIndex(VectorContract):
    random_streams = 1

    @pytest.fixture
    def open_handle(self, tmp_path: Path) -> OpenHandle:
        path = tmp_path / "quipu.db"
        return lambda namespace: SQLiteStore(path, namespace=namespace, exact_up_to=3)

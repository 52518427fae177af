"""The reference store under its own contract."""

import pytest

from quipu.store.inmemory import InMemoryStore, Shelf
from quipu.testing.store_contract import OpenHandle, StoreContract


class TestInMemory(StoreContract):
    @pytest.fixture
    def open_handle(self) -> OpenHandle:
        shelf = Shelf()
        return lambda namespace: InMemoryStore(shelf, namespace=namespace)

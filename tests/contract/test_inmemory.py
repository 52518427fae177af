"""The reference store under its own contract."""

import pytest
from tests.contract.store_contract import OpenHandle, StoreContract

from quipu.store.inmemory import InMemoryStore, Shelf


class TestInMemory(StoreContract):
    random_streams = 0  # it is what they are compared with

    @pytest.fixture
    def open_handle(self) -> OpenHandle:
        shelf = Shelf()
        return lambda namespace: InMemoryStore(shelf, namespace=namespace)

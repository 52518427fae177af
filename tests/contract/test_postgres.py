"""PostgreSQL under the contract."""

from collections.abc import Callable

import pytest
from tests.contract.store_contract import OpenHandle, StoreContract

from quipu.store import open_store


class TestPostgres(StoreContract):
    random_streams = 1

    @pytest.fixture
    def open_handle(self, postgres_address: Callable[[str], str]) -> OpenHandle:
        url = postgres_address("contract")
        return lambda namespace: open_store(url, namespace=namespace)

"""PostgreSQL under the contract."""

from collections.abc import Callable

import pytest

from quipu.store.postgres.store import PostgresStore
from quipu.testing.store_contract import OpenHandle, StoreContract


class TestPostgres(StoreContract):
    @pytest.fixture
    def open_handle(self, postgres_address: Callable[[str], str]) -> OpenHandle:
        url = postgres_address("contract")
        return lambda namespace: PostgresStore(url, namespace=namespace)

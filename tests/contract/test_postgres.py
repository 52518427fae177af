"""PostgreSQL under the contract."""

from collections.abc import Callable

import pytest
from tests.contract.store_contract import OpenHandle, StoreContract

from quipu.store.postgres.store import PostgresStore


class TestPostgres(StoreContract):
    random_streams = 1

    @pytest.fixture
    def open_handle(self, postgres_address: Callable[[str], str]) -> OpenHandle:
        url = postgres_address("contract")
        return lambda namespace: PostgresStore(url, namespace=namespace)

"""The store for many: one schema of a PostgreSQL database, shared by machines."""

from typing import cast

from quipu.ports import Store
from quipu.store.addresses import library_needed

__all__ = ["open_postgres"]


def open_postgres(url: str, *, namespace: str = "default", read_only: bool = False) -> Store:
    """A handle on the deployment at `url`, `postgresql://user:password@host:port/database`.

    `?schema=NAME` is the schema of the deployment, by default `quipu`; all else is libpq's, its
    environment and password file too. Tables are made when they are not there, unless `read_only`.
    Raises MissingExtra, InvalidInput, StoreUnavailable, NewerStore, CorruptStore.
    """
    with library_needed(url, "psycopg", extra="postgres"):
        from quipu.store.postgres.address import read_address
        from quipu.store.postgres.store import PostgresLanes, PostgresStore
        from quipu.store.postgres.tables import PostgresBackend
    database = PostgresBackend(read_address(url), namespace=namespace, read_only=read_only)
    return cast("Store", PostgresLanes(PostgresStore(database)))  # it has what a lane has

"""The connections of this process: one pool an address, shared by the handles on it."""

import logging
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import Connection
from psycopg_pool import ConnectionPool, PoolTimeout

from quipu.errors import StoreUnavailable
from quipu.store.backend import Row
from quipu.store.postgres.address import Address

__all__ = ["Pool", "borrow", "give_back"]

MOST = 32
"""Connections of a pool; a handle holds one while it reads or writes, and none between."""

_ATTEMPT_S = 1.0
_GIVEN: dict[str, Any] = {"autocommit": True, "prepare_threshold": 3}
# What the pool has to say of a server that is away is said by whoever asked for a connection.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())
_guard = threading.Lock()
_pools: "dict[str, Pool]" = {}


class Pool:
    """The connections to one server, and how many handles share them."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.handles = 0
        # That there is a server is asked here, where its answer is heard: the pool connects in
        # the background, and of a server that refuses it only says that there was no connection.
        with psycopg.connect(address.conninfo, **_GIVEN):
            self._pool = ConnectionPool[Connection[Row]](
                address.conninfo,
                kwargs=_GIVEN,
                min_size=0,
                max_size=MOST,
                open=True,
                reconnect_timeout=_ATTEMPT_S,
            )

    def get(self, timeout_s: float) -> Connection[Row]:
        """A connection, waited for while the server is away. Raises psycopg.OperationalError with
        the server's own reason, and StoreUnavailable while all connections are in use."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                return self._pool.getconn(min(timeout_s, _ATTEMPT_S))
            except PoolTimeout as error:
                late = time.monotonic() >= deadline
                self._ask(late)
                if late and self._pool.get_stats().get("pool_size", 0) >= MOST:
                    raise StoreUnavailable(
                        f"all {MOST} connections of this process to {self.address.shown!r} are in "
                        "use: try again, or let fewer threads ask at once"
                    ) from error
                if time.monotonic() >= deadline + _ATTEMPT_S:
                    raise

    def _ask(self, late: bool) -> None:
        """Raise what the server says, once it is too `late` to wait for it."""
        try:
            psycopg.connect(self.address.conninfo).close()
        except psycopg.OperationalError:
            if late:
                raise

    def put(self, connection: Connection[Row]) -> None:
        """Give a connection back; one that was lost is left out."""
        self._pool.putconn(connection)

    @contextmanager
    def connection(self, timeout_s: float) -> Generator[Connection[Row]]:
        """A connection for a block."""
        connection = self.get(timeout_s)
        try:
            yield connection
        finally:
            self.put(connection)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def borrow(address: Address) -> Pool:
    """The pool of an address; made when this is the first handle on it."""
    with _guard:
        pool = _pools.get(address.conninfo)
        if pool is None:
            from quipu.store.postgres import trouble

            with trouble.mapped(address):
                pool = _pools[address.conninfo] = Pool(address)
        pool.handles += 1
        return pool


def give_back(pool: Pool) -> None:
    """One handle less; the last one closes the pool."""
    with _guard:
        pool.handles -= 1
        if pool.handles:
            return
        del _pools[pool.address.conninfo]
    pool.close()

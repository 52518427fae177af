"""A deployment as one handle sees it: transactions on connections of a pool, one an address, which
the handles of this process share; and errors mapped in one place."""

import logging
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, Self, TypeVar

import psycopg
from psycopg import Connection, Cursor
from psycopg_pool import ConnectionPool, PoolTimeout

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.store import rules
from quipu.store.backend import Row
from quipu.store.postgres import schema, trouble
from quipu.store.postgres.address import Address
from quipu.store.retry import again

__all__ = ["Database", "patiently"]

T = TypeVar("T")

_WAIT_S = 15.0
"""How long a lost server is waited for: one that is restarted is back sooner."""

_LOCK_WAIT = "60s"
_READ = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = f"BEGIN; SET LOCAL lock_timeout = '{_LOCK_WAIT}'".encode()
_NEW = (0, 0, -1, 0, 0, 0)
_NAMED = ", ".join(f'"{each}"' for each in schema.COUNTED)
_COUNT = f"SELECT {_NAMED} FROM {{schema}}.counter WHERE ns = {{ns}}"

_MOST = 32
"""Connections of a pool; a handle holds one while it reads or writes, and none between."""

_ATTEMPT_S = 1.0
_CONNECTED_WITH: dict[str, Any] = {"autocommit": True, "prepare_threshold": 3}
# What the pool has to say of a server that is away is said by whoever asked for a connection.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())
_guard = threading.Lock()
_pools: "dict[str, _Pool]" = {}


class _Pool:
    """The connections to one server, and how many handles share them."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.handles = 0
        # That there is a server is asked here, where its answer is heard: the pool connects in
        # the background, and of a server that refuses it only says that there was no connection.
        with psycopg.connect(address.conninfo, **_CONNECTED_WITH):
            self._pool = ConnectionPool[Connection[Row]](
                address.conninfo,
                kwargs=_CONNECTED_WITH,
                min_size=0,
                max_size=_MOST,
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
                if late and self._pool.get_stats().get("pool_size", 0) >= _MOST:
                    raise StoreUnavailable(
                        f"all {_MOST} connections of this process to {self.address.shown!r} are in "
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


class Database:
    """Transactions of one namespace. Every public call of a store runs inside `reading` or
    `writing`: one thread at a time, in one snapshot."""

    def __init__(self, address: Address, *, namespace: str, read_only: bool) -> None:
        rules.require_namespace(namespace)
        self.address = address
        self.namespace = namespace
        self.read_only = read_only
        self.lock = threading.RLock()
        self.schema = f'"{address.schema}"'
        self._depth = 0
        self._ns = -1
        self._connection: Connection[Row] | None = None
        self._cursor: Cursor[Row] | None = None
        self._counters: dict[str, int] | None = None
        self._taken: Mapping[str, int] = {}
        self.identity = ""
        self.brought = 0
        """How many vectors this handle has brought into pgvector."""
        self._pool: _Pool | None = _borrow(address)
        try:
            with trouble.mapped(address):
                self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        with self._require_pool().connection(_WAIT_S) as connection:
            schema.require_server(connection, self.address)
            found = schema.version(connection, self.address)
            schema.require_known(found, self.address)
            if not self.read_only and found < schema.LATEST:
                self.brought = schema.migrate(connection, self.address)
            elif found < schema.LATEST:
                raise StoreUnavailable(
                    f"there is no deployment in the schema {self.address.schema!r} of "
                    f"{self.address.shown!r}: write something to it first"
                    if not found
                    else f"{self.address.shown!r} is a deployment of version {found} of "
                    f"{schema.LATEST}: open it once to be written, and it is brought further"
                )
            schema.require_vectors(connection, self.address)
            said = f"SELECT id FROM {self.schema}.deployment"
            self.identity = connection.execute(said.encode()).fetchall()[0][0]
            if not self.read_only:
                self._make_namespace(connection)

    def _make_namespace(self, connection: Connection[Row]) -> None:
        find = f"SELECT ns FROM {self.schema}.namespace WHERE name = %s".encode()
        found = connection.execute(find, (self.namespace,)).fetchall()
        if not found:
            with connection.transaction():
                connection.execute(
                    f"INSERT INTO {self.schema}.namespace (name) VALUES (%s)"
                    " ON CONFLICT DO NOTHING".encode(),
                    (self.namespace,),
                )
                found = connection.execute(find, (self.namespace,)).fetchall()
                self._ns = found[0][0]
                connection.execute(
                    self.said(
                        f"INSERT INTO {{schema}}.counter (ns, {_NAMED})"
                        " VALUES ({ns}, 0, 0, -1, 0, 0, 0) ON CONFLICT DO NOTHING"
                    )
                )
        self._ns = found[0][0]

    def reader(self) -> Self:
        """The same namespace for one thread more, to be read; the server is not asked again."""
        self._require_pool()
        other = copy(self)
        other.read_only, other.brought = True, 0
        other.lock = threading.RLock()
        other._depth = 0
        other._connection = other._cursor = other._counters = None
        other._pool = _borrow(self.address)
        return other

    @property
    def ns(self) -> int:
        """The namespace's number in this deployment; -1 while it is not there."""
        if self._ns < 0:
            find = f"SELECT ns FROM {self.schema}.namespace WHERE name = %s"
            found = self._execute(find.encode(), (self.namespace,)).fetchall()
            self._ns = found[0][0] if found else -1
        return self._ns

    def said(self, text: str) -> bytes:
        """A statement on the tables of this schema and the rows of this namespace, for which
        `{schema}` and `{ns}` stand. The number is written out: where tables are partitioned by it,
        a plan is made for one partition."""
        return text.replace("{schema}", self.schema).replace("{ns}", str(self.ns)).encode()

    @contextmanager
    def reading(self) -> Generator[None]:
        """One snapshot for as long as the block runs."""
        with self.lock, trouble.mapped(self.address):
            if self._depth:
                yield
                return
            # Nearly every reading begins with the counters: they come along, in one round trip.
            with self._transaction(_READ, b"" if self._ns < 0 else self.said(_COUNT)):
                yield

    @contextmanager
    def writing(self) -> Generator[None]:
        """All of the block's changes, or none; another writer of the namespace waits."""
        if self.read_only:
            raise StoreUnavailable(
                f"{self.address.shown!r} was opened read-only: open it without read_only to write"
            )
        with self.lock, trouble.mapped(self.address), self._transaction(_WRITE):
            self._counters = self._read_counters("FOR UPDATE")
            self._taken = dict(self._counters)
            yield
            self._keep_counters()

    @contextmanager
    def _transaction(self, begin: bytes, first: bytes = b"") -> Generator[None]:
        """A block between `begin` and its end, in whose first round trip `first` is asked too."""
        pool = self._require_pool()
        connection, begun = self._begin(pool, begin + b"; " + first if first else begin)
        self._connection, self._depth = connection, 1
        self._cursor = connection.cursor(binary=True)
        if begun.description is not None:
            self._counters = _counted(begun.fetchall())
        try:
            yield
            self._execute(b"COMMIT")
        except BaseException:
            self._roll_back(connection)
            raise
        finally:
            self._connection = self._cursor = self._counters = None
            self._depth = 0
            pool.put(connection)

    def _begin(self, pool: _Pool, begin: bytes) -> tuple[Connection[Row], Cursor[Row]]:
        """A connection on which the transaction has begun, and what its last statement gave; those
        that were lost are put away."""
        deadline = time.monotonic() + _WAIT_S
        while True:
            connection = pool.get(max(deadline - time.monotonic(), 0.1))
            try:
                begun = connection.execute(begin, prepare=False)
                while begun.nextset():
                    pass
            except psycopg.OperationalError:
                lost = connection.closed
                pool.put(connection)
                if not lost or time.monotonic() > deadline:
                    raise
            except BaseException:
                pool.put(connection)
                raise
            else:
                return connection, begun

    def _roll_back(self, connection: Connection[Row]) -> None:
        try:
            connection.execute(b"ROLLBACK")
        except psycopg.Error:
            connection.close()  # the server ends what is not committed

    def counters(self) -> dict[str, int]:
        """The last number given of each counter, and how much has ended."""
        if self._counters is None:
            self._counters = self._read_counters("")
        return self._counters

    def _read_counters(self, tail: str) -> dict[str, int]:
        rows = self._execute(self.said(f"{_COUNT} {tail}")).fetchall()
        if not rows and tail:
            raise InvalidInput(
                f"the namespace {self.namespace!r} of {self.address.shown!r} is not there any "
                "more: open the store again"
            )
        return _counted(rows)

    def _keep_counters(self) -> None:
        if self._counters is not None and self._counters != self._taken:
            given = ", ".join(f'"{each}" = %s' for each in schema.COUNTED)
            update = self.said(f"UPDATE {{schema}}.counter SET {given} WHERE ns = {{ns}}")
            self._execute(update, [self._counters[each] for each in schema.COUNTED])

    def rows(
        self, statement: bytes, values: Sequence[Any] = (), *, prepare: bool | None = None
    ) -> list[Row]:
        """All rows. What is not to be prepared is a statement that hardly comes again."""
        if prepare is None:
            return self._execute(statement, values).fetchall()
        cursor = self._require_cursor()
        return cursor.execute(statement, values or None, prepare=prepare).fetchall()

    def run(self, statement: bytes, values: Sequence[Any] = ()) -> None:
        """Execute a statement that returns nothing."""
        self._execute(statement, values)

    def copy(self, statement: bytes, types: Sequence[str], rows: Sequence[Row]) -> None:
        """Send rows to a COPY statement, in binary."""
        with self._require_cursor().copy(statement) as copying:
            copying.set_types(types)
            for row in rows:
                copying.write_row(row)

    def close(self) -> None:
        """Give back what the handle holds."""
        with self.lock:
            pool, self._pool = self._pool, None
            if pool is not None:
                _give_back(pool)

    def _execute(self, statement: bytes, values: Sequence[Any] = ()) -> Cursor[Row]:
        return self._require_cursor().execute(statement, values or None)

    def _require_cursor(self) -> Cursor[Row]:
        assert self._cursor is not None, "outside reading and writing"
        return self._cursor

    def _require_pool(self) -> _Pool:
        if self._pool is None:
            raise InvalidInput(
                f"the handle on {self.address.shown!r} was closed: open the store again"
            )
        return self._pool


def patiently(do: Callable[[], T]) -> T:
    """What `do` gives, called again when the server was lost or asks for it."""
    return again(do, within_s=_WAIT_S)


def _counted(rows: Sequence[Row]) -> dict[str, int]:
    """The counters by name; those of a namespace that is not there yet."""
    return dict(zip(schema.COUNTED, rows[0] if rows else _NEW, strict=True))


def _borrow(address: Address) -> _Pool:
    """The pool of an address; made when this is the first handle on it."""
    with _guard:
        pool = _pools.get(address.conninfo)
        if pool is None:
            with trouble.mapped(address):
                pool = _pools[address.conninfo] = _Pool(address)
        pool.handles += 1
        return pool


def _give_back(pool: _Pool) -> None:
    """One handle less; the last one closes the pool."""
    with _guard:
        pool.handles -= 1
        if pool.handles:
            return
        del _pools[pool.address.conninfo]
    pool.close()

"""The tables of `store/backend.py` as labelled nodes of one namespace."""

import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from neo4j import Session, Transaction

from quipu.errors import StoreUnavailable
from quipu.store.backend import CHANGE, COUNTERS, SUPPORT, Counter, Order, Row, Table, Where
from quipu.store.neo4j import cypher
from quipu.store.neo4j.connection import Connection, patiently, statement
from quipu.store.neo4j.schema import NEVER

__all__ = ["Neo4jBackend"]

KEPT_S = 900
"""How long what was taken away is kept for those who still read an earlier version."""

_COUNTERS = ("version", *COUNTERS)
_NOTHING: dict[str, int] = dict.fromkeys(_COUNTERS, 0)
_ROWS, _BYTES = 2_000, 4_000_000  # the most that one statement is given

_MAKE = """
MERGE (s:QuipuStore {one: 1}) SET s.namespaces = coalesce(s.namespaces, 0)
MERGE (n:QuipuNamespace {name: $name})
ON CREATE SET s.namespaces = s.namespaces + 1, n.ns = s.namespaces, n += $nothing
MERGE (m:QuipuMoment {name: $name}) ON CREATE SET m.ns = n.ns, m += $nothing
RETURN n.ns, n.version > m.version
"""
_LOCK = "MATCH (n:QuipuNamespace {ns: $ns, name: $name}) SET n.held = $ns RETURN properties(n)"
_SAVE = "MATCH (n:QuipuNamespace {ns: $ns, name: $name}) SET n += $state"
_PUBLISH = """
MATCH (m:QuipuMoment {ns: $ns, name: $name}) SET m.held = $ns
WITH m WHERE m.version < $state.version SET m += $state
"""
_PURGE = """
MATCH (g:QuipuGone) WHERE g.ns = $ns AND g.gone_at <= timestamp() - $kept_ms
WITH g LIMIT 20000 DETACH DELETE g RETURN count(*)
"""


class Neo4jBackend:
    """Reads at a version of the namespace, and writes the next one.

    What is written is committed first and its version published after, so that nobody reads what
    the server has applied in part.
    """

    def __init__(self, link: Connection, *, namespace: str, read_only: bool) -> None:
        self.link = link
        self._namespace = namespace
        self._read_only = read_only
        self._lock = threading.RLock()
        self._depth = 0
        self._session: Session | None = None
        self._transaction: Transaction | None = None
        self._state = _NOTHING.copy()
        self._since = self._purged = 0.0
        self._since_row = 0
        self._changes: list[Row] = []
        self._ended: list[int] = []
        self.before_commit: Callable[[Sequence[Row], int, Sequence[int]], object] = _nothing
        self.ns = -1
        if not read_only:
            self._make_namespace()

    @property
    def namespace(self) -> str:
        """The namespace this handle is bound to."""
        return self._namespace

    def _make_namespace(self) -> None:
        ((self.ns, unpublished),) = self.link.run(_MAKE, name=self._namespace, nothing=_NOTHING)
        if unpublished:  # whoever wrote it was stopped between the two
            with self.writing():
                pass

    @contextmanager
    def reading(self) -> Generator[None]:
        """The published version, for as long as the block runs."""
        with self._lock, self.link.errors():
            if self._depth:
                yield
                return
            with self.link.session(writes=False) as session:
                self._session = session
                self._since = time.monotonic()
                self._state = self._published()
                self._depth = 1
                try:
                    yield
                finally:
                    self._depth, self._session = 0, None

    def _published(self) -> dict[str, int]:
        asked = "MATCH (m:QuipuMoment {name: $name}) RETURN properties(m)"
        found = self.values(asked, name=self._namespace)
        if not found:
            return _NOTHING.copy()
        self.ns = found[0][0]["ns"]
        return {name: found[0][0][name] for name in _COUNTERS}

    @contextmanager
    def writing(self) -> Generator[None]:
        """The next version, in one transaction; whoever else writes to the namespace waits."""
        with self._lock, self.link.errors():
            if self._read_only:
                raise StoreUnavailable(
                    f"{self.link.address} was opened read-only: open it without read_only to write"
                )
            with (
                self.link.session(writes=True) as session,
                session.begin_transaction() as transaction,
            ):
                self._depth, self._transaction = 1, transaction
                try:
                    self._begin()
                    yield
                    self._finish(transaction)
                finally:
                    self._depth, self._transaction = 0, None
        self.link.run(_PUBLISH, ns=self.ns, name=self._namespace, state=self._state)
        self._purge()

    def _begin(self) -> None:
        ((stored,),) = self.values(_LOCK, name=self._namespace)
        self._state = {name: stored[name] for name in _COUNTERS}
        self._state["version"] += 1
        self._since_row = self._state["row"]
        self._changes, self._ended = [], []

    def _finish(self, transaction: Transaction) -> None:
        if self._changes:
            self.before_commit(self._changes, self._since_row, self._ended)
        self.values(_SAVE, name=self._namespace, state=self._state)
        transaction.commit()

    def _purge(self) -> None:
        """Erase what nobody can read any more, now and then."""
        if time.monotonic() - self._purged > KEPT_S / 10:
            self._purged = time.monotonic()
            while self.link.run(_PURGE, ns=self.ns, kept_ms=KEPT_S * 1000)[0][0]:
                pass

    def erase(self) -> None:
        """Leave nothing of what was taken away, earlier or in this transaction."""
        self.values("MATCH (g:QuipuGone) WHERE g.ns = $ns AND g.gone_at > 0 DETACH DELETE g")

    def last(self, counter: Counter) -> int:
        """The last number taken."""
        return self._state[counter]

    def take(self, counter: Counter, count: int = 1) -> int:
        """New numbers, saved with the transaction."""
        before = self._state[counter]
        self._state[counter] = before + count
        return before + 1

    def select(
        self,
        table: Table,
        columns: Sequence[str],
        where: Where,
        *,
        order: Order = (),
        limit: int | None = None,
        distinct: bool = False,
    ) -> list[Row]:
        """The columns of the rows where all of `where` holds."""
        meant = cypher.matching(table, where)
        if meant is None or self.ns < 0:
            return []
        asked = cypher.returning(table, tuple(columns), tuple(order), distinct, limit is not None)
        return list(map(tuple, self.values(meant.cypher + asked, limit=limit, **meant.values)))

    def count(self, table: Table, where: Where, by: str) -> dict[Any, int]:
        """How many rows there are where all of `where` holds, by the values of a column."""
        meant = cypher.matching(table, where)
        if meant is None or self.ns < 0:
            return {}
        counted = f"{meant.cypher} RETURN n.{by}, count(*) ORDER BY n.{by}"
        return {row[0]: row[1] for row in self.values(counted, **meant.values)}

    def insert(self, table: Table, rows: Iterable[Row]) -> None:
        """New nodes."""
        if table is CHANGE:
            rows = list(rows)
            self._changes += rows
        self._in_batches(cypher.insertion(table), (cypher.given(table, row) for row in rows))

    def update(self, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """New nodes in the places of others."""
        if table is SUPPORT:
            rows = list(rows)
            self._ended += (row[-1] for row in rows)
        self._in_batches(cypher.update(table, tuple(columns)), rows)

    def delete(self, table: Table, where: Where) -> None:
        """Nodes taken away from this version on."""
        meant = cypher.matching(table, where)
        if meant is not None:
            self.values(meant.cypher + cypher.DELETE, **meant.values)

    def values(self, asked: str, **values: Any) -> list[list[Any]]:
        """The rows of a statement about the namespace at its version."""
        given = {"ns": self.ns, "version": self._state["version"], "never": NEVER, **values}
        if self._transaction is not None:
            return self._transaction.run(statement(asked), given).values()
        if time.monotonic() - self._since > KEPT_S:
            raise StoreUnavailable(
                f"{self.link.address} was read for more than {KEPT_S} s in one go, and what was "
                "taken away meanwhile is kept no longer: ask for less at a time"
            )
        return patiently(lambda: self._read(asked, given))

    def _read(self, asked: str, given: dict[str, Any]) -> list[list[Any]]:
        assert self._session is not None, "read inside reading() or writing()"
        with self.link.errors():
            return self._session.run(statement(asked), given).values()

    def _in_batches(self, asked: str, rows: Iterable[Sequence[Any]]) -> None:
        remaining = iter(rows)
        while batch := _batch(remaining):
            self.values(asked, rows=batch)

    def close(self) -> None:
        """Give the connections back."""
        self.link.close()


def _nothing(changes: Sequence[Row], since: int, ended: Sequence[int]) -> None:
    """Nobody follows."""


def _batch(rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """The next rows that one statement is given."""
    batch: list[list[Any]] = []
    size = 0
    for row in islice(rows, _ROWS):
        batch.append(list(row))
        size += sum(len(value) for value in row if isinstance(value, bytes))
        if size > _BYTES:
            break
    return batch

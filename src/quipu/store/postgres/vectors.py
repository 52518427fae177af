"""Vectors where pgvector keeps them: compared on the server, scored again here.

A vector is a `halfvec`: the same float16 numbers that every store keeps. Up to `EXACT_UP_TO`
passages the server compares them all; beyond, its HNSW index (Malkov and Yashunin 2016) of that
namespace and space proposes. Whatever is proposed is scored again by `index/similarity.py`, so
scores and ties are those of every other store.
"""

import logging
import threading
import time
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import Connection, errors

from quipu.index import similarity
from quipu.index.nearest import SpaceInfo
from quipu.index.pieces import ERROR
from quipu.index.postings import Mask, Postings
from quipu.index.ranking import empty, ranked
from quipu.index.rotation import decoded
from quipu.ports import Numbers, Ranking, Vectors
from quipu.store.backend import VECTOR, Row
from quipu.store.derived.session import Session
from quipu.store.postgres import schema
from quipu.store.postgres.database import Database

__all__ = ["EXACT_UP_TO", "IndexBuilder", "ServerVectors", "index_name"]

EXACT_UP_TO = 20_000
"""Passages in a scope up to which every vector is compared."""

_WIDEST_INDEXED = 4_000  # dimensions that HNSW takes of a halfvec
_MORE = 4  # times as many are asked for where twice the limit did not do
_KEPT = 20_000  # vectors that a handle holds
_BUILT_IN = "512MB"  # of the server's memory, where an index is built
_LOOKED_AT = (
    b"SELECT set_config('hnsw.ef_search', '200', true),"
    b" set_config('hnsw.iterative_scan', 'strict_order', true)"
)
"""How much of the index is looked at in this transaction; where a filter leaves too few, more."""

_TRY = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
_TURN_S = 0.2
_WAITED = "SET lock_timeout = '5min'"
"""An index is there once all transactions have ended that began before it: some never do."""

_STANDING = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"
_log = logging.getLogger("quipu")


class _Proposed(NamedTuple):
    """Rows that the server gave, and the least cosine it saw among them."""

    numbers: Numbers
    halves: NDArray[np.float16]
    least: float


class ServerVectors:
    """One embedding space of one namespace: nothing of it is held but vectors asked for of late."""

    def __init__(
        self, db: Database, session: Session, postings: Postings, *, exact_up_to: int
    ) -> None:
        self._db, self._session, self._postings = db, session, postings
        self._exact_up_to = exact_up_to
        self._space: int = -1
        self._sequence = -1
        self._known: dict[int, bytes] = {}
        self._is_indexed: bool = False
        self.dimension = 0

    def follow(self, info: SpaceInfo, sequence: int) -> None:
        """Forget what may have changed."""
        space = int(info.key.rpartition("/")[2])
        if (space, sequence) != (self._space, self._sequence):
            self._known, self._is_indexed = {}, self._is_indexed and space == self._space
        self._space, self._sequence, self.dimension = space, sequence, info.dimension

    def forget(self) -> None:
        """Hold no vector that has left."""
        self._known = {}

    def gather(self, numbers: Numbers) -> Vectors:
        """float32[n, d]: the vectors of live chunks; zero rows for the others."""
        asked: list[int] = numbers.tolist()
        missing = [number for number in asked if number not in self._known]
        if len(self._known) + len(missing) > _KEPT:
            self._known, missing = {}, asked
        if missing:
            where = {"space": self._space, "number": missing}
            rows = self._session.select(VECTOR, ("number", "vector"), where)
            self._known |= dict.fromkeys(missing, b"") | dict(rows)
        zero = bytes(2 * self.dimension)
        codes = b"".join([self._known[number] or zero for number in asked])
        found = np.frombuffer(codes, dtype=np.uint8).reshape(len(asked), 2 * self.dimension)
        return decoded(found)

    def search(self, vector: NDArray[np.float32], mask: Mask | None, limit: int) -> Ranking:
        """The best `limit` live chunks among the rows that `mask` admits (None: all)."""
        query = similarity.unit(vector)
        alive = self._postings.alive
        admitted = int(np.count_nonzero(alive if mask is None else mask))
        if limit <= 0 or not query.any() or not admitted:
            return empty()
        halves = query.astype(np.float16)
        among = "" if mask is None else self._filter(self._postings.numbers[mask])
        if admitted > self._exact_up_to and self.is_indexed():
            found = self._nearest(halves, among, 2 * limit)
            return self._ranked(found, query, limit)._replace(found="ann")
        error = float(np.sqrt(np.square(query - halves).sum())) + ERROR
        wanted = 2 * limit
        while True:
            # By inner product: rows are of length 1 or 0.
            found = self._proposed("vector <#> %s::halfvec", halves, among, wanted)
            best = self._ranked(found, query, limit)
            complete = len(found.numbers) < wanted
            if complete or (len(best.scores) == limit and best.scores[-1] >= found.least + error):
                return best
            wanted *= _MORE

    def _ranked(self, found: _Proposed, query: NDArray[np.float64], limit: int) -> Ranking:
        rows, live = self._postings.rows_of(found.numbers)
        scores = similarity.cosines(found.halves[live], query)
        return ranked(self._postings, rows[live], scores, limit)

    def _filter(self, numbers: Numbers) -> str:
        """A clause for these numbers: as a list where they are few, as bits where they are many."""
        if len(numbers) <= self._exact_up_to < np.count_nonzero(self._postings.alive):
            return f" AND number = ANY('{{{','.join(map(str, numbers.tolist()))}}}'::int8[])"
        bits = np.zeros(self._session.last("number") + 1, dtype=np.bool_)
        bits[numbers] = True
        packed = np.packbits(bits, bitorder="little").tobytes().hex()
        return f" AND get_bit('\\x{packed}'::bytea, number) = 1"

    def _nearest(self, query: NDArray[np.float16], among: str, limit: int) -> _Proposed:
        """What the index proposes."""
        self._db.rows(_LOOKED_AT)
        of = f"halfvec({self.dimension})"
        return self._proposed(f"vector::{of} <=> %s::{of}", query, among, limit)

    def _proposed(
        self, distance: str, query: NDArray[np.float16], among: str, limit: int
    ) -> _Proposed:
        asked = self._db.said(
            f"SELECT number, halfvec_send(vector), {distance} FROM {{schema}}.vector"
            f" WHERE ns = {{ns}} AND space = {self._space:d}{among} ORDER BY 3 LIMIT {limit:d}"
        )
        rows = self._db.rows(asked, [str(query.tolist())], prepare=not among)
        if len(self._known) + len(rows) < _KEPT:  # they are asked for next
            self._known |= {number: schema.of_halfvec(wire) for number, wire, _ in rows}
        halves = np.frombuffer(b"".join([wire[4:] for _, wire, _ in rows]), dtype=">f2")
        return _Proposed(
            np.array([number for number, _, _ in rows], dtype=np.int64),
            halves.astype(np.float16).reshape(len(rows), self.dimension),
            -rows[-1][2] if rows else 0.0,
        )

    def is_indexed(self) -> bool:
        """Whether the server has an index of the space that can be used."""
        if not self._is_indexed:
            name = index_name(self._db.ns, self._space)
            rows = self._db.rows(_STANDING.encode(), [f"{self._db.schema}.{name}"])
            self._is_indexed = rows == [(True,)]
        return self._is_indexed


def index_name(ns: int, space: int) -> str:
    """The name of the index over a namespace's vectors of one space."""
    return f"vector_ann_{ns}_{space}"


class IndexBuilder:
    """Gives spaces of many vectors their index, in the background: half a minute for 100,000, in
    which others read and write. Nothing where another process builds it, or where the role does
    not own the tables: all vectors are compared then."""

    def __init__(self, db: Database, exact_up_to: int) -> None:
        self._db, self._exact_up_to = db, exact_up_to
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Look which spaces are due, unless that is under way."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._build_due, name="quipu-vector-index")
            self._thread.start()

    def wait(self) -> None:
        """Wait for what was begun."""
        if self._thread is not None:
            self._thread.join()

    def _build_due(self) -> None:
        shown = self._db.address.shown
        try:
            with psycopg.connect(self._db.address.conninfo, autocommit=True) as connection:
                connection.execute(_WAITED.encode())
                asked = "SELECT space, dimension FROM {schema}.space WHERE ns = {ns}"
                standing = self._standing(connection)  # each was made after its space
                spaces = connection.execute(self._db.said(asked)).fetchall()
                self._drop(connection, standing - {index_name(self._db.ns, s) for s, _ in spaces})
                for space, dimension in spaces:
                    if dimension <= _WIDEST_INDEXED:
                        self._build(connection, space, dimension)
        except errors.InsufficientPrivilege:
            _log.warning("let the owner of %s run a command that writes: only the owner can", shown)
        except psycopg.Error as error:
            _log.warning("the vectors of %s are compared one by one still (%s)", shown, error)

    def _standing(self, connection: Connection[Row]) -> set[str]:
        """The names of the indexes that there are of this namespace."""
        asked = (
            b"SELECT relname FROM pg_class WHERE relkind = 'i' AND starts_with(relname::text, %s)"
            b" AND relnamespace = to_regnamespace(%s)"
        )
        named = index_name(self._db.ns, 0).removesuffix("0"), self._db.schema
        return {name for (name,) in connection.execute(asked, named).fetchall()}

    def _drop(self, connection: Connection[Row], names: Collection[str]) -> None:
        """Drop the indexes of spaces that are there no more."""
        for name in sorted(names):
            self._take_turn(connection)
            drop = f"DROP INDEX CONCURRENTLY IF EXISTS {{schema}}.{name}"
            connection.execute(self._db.said(drop))

    def _take_turn(self, connection: Connection[Row]) -> None:
        """Wait until nobody else makes or drops an index of the deployment, until the connection
        ends: two at once on one table wait for each other for ever. The lock is asked for again
        and again, for a statement that waits is waited for too."""
        while connection.execute(_TRY.encode(), (self._db.schema,)).fetchall() != [(True,)]:
            time.sleep(_TURN_S)

    def _build(self, connection: Connection[Row], space: int, dimension: int) -> None:
        def run(text: str, *values: str) -> list[Row]:
            done = connection.execute(self._db.said(text), values or None)
            return done.fetchall() if done.description else []

        name = index_name(self._db.ns, space)
        many = run(
            "SELECT tableoid::regclass::text FROM {schema}.vector"
            f" WHERE ns = {{ns}} AND space = {space:d} OFFSET {self._exact_up_to:d} LIMIT 1"
        )
        if not many or run(_TRY, f"{self._db.schema}.{name}") != [(True,)]:
            return
        self._take_turn(connection)
        there = run(_STANDING, f"{self._db.schema}.{name}")
        if there == [(True,)]:
            return
        if there:  # left by a process that was killed
            run(f"DROP INDEX CONCURRENTLY {{schema}}.{name}")
        run(f"SET maintenance_work_mem = '{_BUILT_IN}'")
        run(
            f"CREATE INDEX CONCURRENTLY {name} ON {many[0][0]} USING hnsw"
            f" ((vector::halfvec({dimension:d})) halfvec_cosine_ops)"
            f" WITH (m = 16, ef_construction = 64) WHERE ns = {{ns}} AND space = {space:d}"
        )

"""The store on a server: one deployment, any number of machines.

One handle is for many threads: each reads on a connection, in a snapshot, of its own. A lane is a
store with what it has read. A thread borrows one for a call, or for as long as its `moment` lasts;
another lane is opened when all are in use. Writes have one lane, which waits for nobody but another
write.
"""

import threading
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Self, TypeVar

from quipu.index.blobs import PostingBlobs
from quipu.records.batch import Batch, Written
from quipu.store.backend import Row
from quipu.store.derived import DerivedStore
from quipu.store.derived.neighbors import Hop
from quipu.store.derived.rows import SegmentRows
from quipu.store.derived.session import Session
from quipu.store.derived.state import SpaceIndex
from quipu.store.postgres.database import Database, patiently
from quipu.store.postgres.tables import PostgresBackend, storable_texts
from quipu.store.postgres.vectors import EXACT_UP_TO, IndexBuilder, ServerVectors

__all__ = ["PostgresLanes", "PostgresStore"]

T = TypeVar("T")
_LOOKED_AFTER = 5_000
"""Vectors written, after which it is looked whether their space is due for an index."""


class _BucketRows(SegmentRows):
    """Reads the posting segments, the buckets of several at once."""

    def __init__(self, session: Session, database: Database) -> None:
        super().__init__(session)
        self._db = database

    def buckets(self, field: str, wanted: Sequence[tuple[int, int]]) -> list[tuple[int, bytes]]:
        """The buckets among (segment, bucket) pairs that are not empty, by segment."""
        joined = (
            "SELECT p.segment, p.postings FROM unnest(%s::int8[], %s::int8[])"
            " AS wanted (segment, page) JOIN {schema}.posting_page p ON p.ns = {ns}"
            " AND p.field = %s AND p.segment = wanted.segment AND p.page = wanted.page"
            " ORDER BY p.segment, p.page"
        )
        segments, pages = map(list, zip(*wanted, strict=True))
        return list(self._db.rows(self._db.said(joined), [segments, pages, field]))


class PostgresStore(DerivedStore):
    """A handle on one namespace of a deployment; threads may share it. A write that lost the
    server, or that the server wants again, is made again: written twice it is the same."""

    def __init__(self, database: PostgresBackend, *, exact_up_to: int = EXACT_UP_TO) -> None:
        """Where more than `exact_up_to` passages are in question, an index proposes the nearest."""
        self._db = database
        super().__init__(self._db)
        self._exact_up_to = exact_up_to
        self._builder = IndexBuilder(self._db, exact_up_to)
        self._embedded = 0
        if self._db.brought:
            self._builder.begin()
        if not database.read_only:
            self._write_buckets()

    def _segment_rows(self) -> PostingBlobs:
        """Buckets of all segments in one select."""
        return _BucketRows(self._session, self._db)

    def reader(self) -> "PostgresStore":
        """Another handle on the namespace, that only reads; the server is not asked again."""
        return PostgresStore(self._db.reader(), exact_up_to=self._exact_up_to)

    def write(self, batch: Batch) -> Written:
        """Store a batch, whole or not at all."""
        written = super().write(batch)
        self._embedded += len(batch.embeddings)
        if self._embedded >= _LOOKED_AFTER:
            self._embedded = 0
            self._builder.begin()
        return written

    def drop_space(self, space: str) -> None:
        """Erase one space's vectors, and then its index."""
        super().drop_space(space)
        self._builder.begin()

    def close(self) -> None:
        """Give back what the handle holds, once an index that is being built is there."""
        if self._embedded:
            self._embedded = 0
            self._builder.begin()
        self._builder.wait()
        super().close()

    def _new_nearest(self, space: str) -> SpaceIndex:
        """On the server, which compares vectors."""
        del space
        return ServerVectors(self._db, self._session, self._postings, exact_up_to=self._exact_up_to)

    def visit(self) -> AbstractContextManager[None]:
        """One transaction: each costs two round trips."""
        return self.moment()

    def _commit(self, once: Callable[[], T], *, durable: bool) -> T:
        """Call `once`, again where the server was lost or asks for it."""
        del durable
        return patiently(once)

    def _count_vectors(self, profiles: Collection[str]) -> dict[int, int]:
        """Vectors by space, counted where they are."""
        among = (
            " JOIN {schema}.chunk c ON c.ns = {ns} AND c.number = v.number AND c.live = 1"
            " AND c.profile = ANY(%s::text[])"
        )
        counted = (
            f"SELECT v.space, count(*) FROM {{schema}}.vector v{among if profiles else ''}"
            " WHERE v.ns = {ns} GROUP BY v.space"
        )
        return dict(self._asked(counted, *([storable_texts(profiles)] if profiles else [])))

    def profiles(self) -> dict[str, int]:
        """Chunks by profile, counted where they are."""
        counted = (
            "SELECT profile, count(*) FROM {schema}.chunk WHERE ns = {ns} AND live = 1"
            " GROUP BY profile ORDER BY profile"
        )
        with self._session.reading():
            return dict(self._asked(counted))

    def _bodies(self, numbers: Collection[int]) -> dict[int, bytes]:
        """Of passages and their support at once."""
        joined = (
            "SELECT c.number, s.body FROM {schema}.chunk c JOIN {schema}.support s"
            ' ON s.ns = {ns} AND s."row" = c.support WHERE c.ns = {ns}'
            " AND c.number = ANY(%s::int8[])"
        )
        return dict(self._asked(joined, [n for n in numbers if 0 <= n < 2**63]))

    def _entities_with(self, written: bytes) -> list[str]:
        """The live entities that hold these bytes, found where they are."""
        found = (
            "SELECT DISTINCT record_id FROM {schema}.support WHERE ns = {ns} AND kind = 2"
            " AND known_until IS NULL AND position(%s::bytea IN body) > 0 ORDER BY record_id"
        )
        return [record_id for (record_id,) in self._asked(found, written)]

    def _edges(self, hop: Hop, ids: Sequence[str], size: int) -> list[Row]:
        """The first relations of each record and type, by the index."""
        here, there = ("near", "far") if hop.side == "out" else ("far", "near")
        standing, when = "known_until IS NULL", []
        if hop.known_at is not None:
            standing = "recorded_at <= %s AND (known_until IS NULL OR %s < known_until)"
            when = [hop.known_at, hop.known_at]
        among = "AND label = ANY(%s::text[])" if hop.types else ""
        pages = (
            f"SELECT kinds.id, kinds.label, s.{there}, s.record_id FROM ("
            f"SELECT DISTINCT {here} AS id, label FROM {{schema}}.support"
            f" WHERE ns = {{ns}} AND kind = 3 AND {here} = ANY(%s::text[]) {among}"
            ") AS kinds CROSS JOIN LATERAL ("
            f"SELECT {there}, record_id FROM {{schema}}.support WHERE ns = {{ns}} AND kind = 3"
            f" AND {here} = kinds.id AND label = kinds.label AND {standing}"
            f" ORDER BY {there}, record_id LIMIT %s) AS s"
            f" ORDER BY kinds.label, s.{there}, s.record_id"
        )
        types = [storable_texts(hop.types)] if hop.types else []
        return self._asked(pages, storable_texts(ids), *types, *when, size)

    def _count_ended(self, sequence: int) -> int:
        """How much has ended, which the deployment counts."""
        del sequence
        return self._db.counters()["ended"]

    def _identity(self) -> str:
        """The deployment's own id, and the namespace's number in it."""
        return f"{self._db.identity}/{self._db.ns}"

    def _asked(self, statement: str, *values: Any) -> list[Row]:
        return self._db.rows(self._db.said(statement), values)


_WRITES = frozenset({"atomically", "write", "forget", "drop_space"})
_JOB_READS = frozenset({"last", "rows", "payload"})
_MOST = 8
"""Threads that read at once; more wait for one of them."""


class _LaneJobs:
    """The accepted writes (`quipu.ports.StoredJobs`), read on a lane that is free."""

    def __init__(self, lanes: "PostgresLanes") -> None:
        self._lanes = lanes

    def __getattr__(self, name: str) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            with self._lanes.lane(name not in _JOB_READS) as lane:
                return getattr(lane.jobs, name)(*given, **named)

        return call


class PostgresLanes:
    """Every method of a store (`quipu.ports.Store`), on a lane that is free."""

    def __init__(self, writer: PostgresStore) -> None:
        """`writer` is the lane of writes; the others are opened when they are needed."""
        self._writer = writer
        self._readers: list[PostgresStore] = []
        self._free: list[PostgresStore] = []
        self._write_lock = threading.Lock()
        self._changed = threading.Condition()
        self._here = threading.local()
        self.jobs = _LaneJobs(self)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._writer, name)
        if not callable(value):
            return value

        def call(*given: Any, **named: Any) -> Any:
            with self.lane(name in _WRITES) as lane:
                return getattr(lane, name)(*given, **named)

        return call

    @contextmanager
    def moment(self) -> Generator[None]:
        """One moment for what this thread reads; the others read theirs."""
        with self.lane(writes=False) as lane, lane.moment():
            yield

    visit = moment

    @contextmanager
    def lane(self, writes: bool) -> Generator[PostgresStore]:
        """The lane of this thread; one that is free, for the block, where it has none."""
        here: PostgresStore | None = getattr(self._here, "lane", None)
        if here is not None and (here is self._writer or not writes):
            yield here
            return
        with self._write_lock if writes else nullcontext():
            lane = self._here.lane = self._writer if writes else self._take()
            try:
                yield lane
            finally:
                self._here.lane = here
                if not writes:
                    self._give_back(lane)

    def _take(self) -> PostgresStore:
        """The lane that was free last; a new one where all are in use and there may be more."""
        with self._changed:
            while not self._free:
                if len(self._readers) < _MOST:
                    self._readers.append(self._writer.reader())
                    return self._readers[-1]
                self._changed.wait()
            return self._free.pop()

    def _give_back(self, lane: PostgresStore) -> None:
        with self._changed:
            self._free.append(lane)
            self._changed.notify()

    def close(self) -> None:
        """Give back what the handle holds."""
        self._writer.close()  # from here on it opens no reader
        with self._changed:
            readers = list(self._readers)
        for lane in readers:
            lane.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

"""One handle for many threads: each reads on a connection, in a snapshot, of its own.

A lane is a handle with what it has read. A thread borrows one for a call, or for as long as its
`moment` lasts; another lane is opened when all are in use. Writes have one lane, which waits for
nobody but another write.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Any, Self

from quipu.store.postgres.store import PostgresStore

__all__ = ["PostgresLanes"]

_WRITES = frozenset({"atomically", "write", "forget", "drop_space"})
_JOB_READS = frozenset({"last", "rows", "payload"})


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
                if len(self._readers) < 8:
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

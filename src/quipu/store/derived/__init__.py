"""Every port of a store, made once from what a backend writes itself."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Self, TypeVar

import numpy as np

from quipu.errors import QuipuError
from quipu.index.postings import Postings
from quipu.records.batch import Batch, Written
from quipu.store import rules
from quipu.store.backend import CHUNK, COLUMNS, FIELD, NAME, SUPPORT
from quipu.store.checking import check
from quipu.store.derived.graph import GraphReads
from quipu.store.derived.indexed import (
    drop_space,
    drop_vectors,
    purge_segments,
    retire_chunks,
    rewrite_segments,
)
from quipu.store.derived.known import KnownIds
from quipu.store.derived.search import IndexReads
from quipu.store.derived.session import Session
from quipu.store.derived.writes import BatchWrite, log

__all__ = ["DerivedStore"]

T = TypeVar("T")
_log = logging.getLogger("quipu")


class DerivedStore(GraphReads, IndexReads):
    """A store of one namespace over a backend; threads may share it. A backend that does
    something faster overrides it."""

    @property
    def namespace(self) -> str:
        """The namespace this handle is bound to."""
        return self._session.backend.namespace

    def _write_buckets(self) -> None:
        """Bring an index of words that 0.1.0 wrote over, whole or not at all, and say so. Where it
        cannot be written now it is read as it is, and a later handle does it."""
        with self._session.reading():
            due = self._has_directories()

        def rewrite() -> bool:
            if not self._has_directories():
                return False  # another has done it meanwhile
            rewrite_segments(self._session, self._postings)
            return True

        with suppress(QuipuError):
            if due and self.atomically(rewrite):
                _log.warning("the index of words, as 0.1.0 kept it, was written anew, once")

    def _has_directories(self) -> bool:
        """Whether any field is kept as 0.1.0 did: its directory has more than one byte."""
        rows = self._session.select(FIELD, ("directory",), {})
        return any(len(directory) > 1 for (directory,) in rows)

    def write(self, batch: Batch) -> Written:
        """Store a batch, whole or not at all."""
        checked = check(batch)
        return self.atomically(
            lambda: Written(*BatchWrite(self._session, self._postings, checked).apply())
        )

    def atomically(self, do: Callable[[], T], *, durable: bool = False) -> T:
        """Call `do` in one transaction; within another it is part of that."""
        if self._session.is_writing:
            return self._once(do)
        return self._commit(lambda: self._once(do), durable=durable)

    def _once(self, do: Callable[[], T]) -> T:
        try:
            with self._session.writing():
                return do()
        except BaseException:
            self._forget_read()
            raise

    def _commit(self, once: Callable[[], T], *, durable: bool) -> T:
        """Call `once`, one transaction: a backend that has to, calls it again, or makes sure that
        it is `durable`. Every commit is, by default."""
        del durable
        return once()

    def forget(self, source_refs: Sequence[str]) -> int:
        """Erase sources, history and all."""
        erased = self.atomically(lambda: _erase_sources(self._session, self._postings, source_refs))
        if erased:
            with self._session.reading():
                self._fresh()
                for space in self._vector_spaces():
                    if nearest := self._nearest(space):
                        nearest.forget()
                self._scopes.clear()
        return erased

    def _vector_spaces(self) -> list[str]:
        """The spaces whose vectors are held in memory, or beside the store."""
        return list(self._spaces)

    def drop_space(self, space: str) -> None:
        """Erase one space's vectors."""
        if not rules.storable(space):
            return

        def drop() -> None:
            if drop_space(self._session, space):
                log(self._session, [("vector", space, "forget")])

        self.atomically(drop)

    def _forget_read(self) -> None:
        """After a rollback: what was read inside the transaction never was."""
        with self._session.lock:
            self._postings.clear()
            self._scopes.clear()
            self._ids = KnownIds()
            self._records.known.clear()
            self._seen = self._ended_there = -1
            self._counted_at = (-1, frozenset())

    def close(self) -> None:
        """Give back what the handle holds."""
        self._session.backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _erase_sources(session: Session, postings: Postings, source_refs: Sequence[str]) -> int:
    """Erase every episode of these sources with all that only they supported; how many."""
    named = {"kind": 0, "near": list(source_refs)}
    episodes = {i for (i,) in session.select(SUPPORT, ("record_id",), named)}
    if not episodes:
        return 0
    columns = ("row", "kind", "record_id", "known_until")
    rows = session.select(SUPPORT, columns, {"episode_id": sorted(episodes)})
    live: dict[tuple[int, str], bool] = {}
    for _, kind, record_id, until in rows:
        live[kind, record_id] = live.get((kind, record_id), False) or until is None
    _drop_chunks(session, postings, [row[0] for row in rows if row[1] == 1])
    session.delete(NAME, {"support": [row[0] for row in rows if row[1] == 2]})
    session.delete(SUPPORT, {"row": [row[0] for row in rows]})
    left = _what_is_left(session, live)
    lines: list[tuple[str, str, str]] = []
    for (kind, record_id), was_live in sorted(live.items()):
        operation = left.get((kind, record_id), "forget")
        if operation == "forget" or was_live:
            lines.append((rules.KINDS[kind], record_id, operation))
    log(session, lines)
    return len(episodes)


def _drop_chunks(session: Session, postings: Postings, support: Sequence[int]) -> None:
    rows = session.select(CHUNK, ("number", "live"), {"support": support}, order=("number",))
    live = [number for number, live in rows if live]
    drop_vectors(session, live)
    for table in (COLUMNS, CHUNK):
        session.delete(table, {"number": [number for number, _ in rows]})
    postings.refresh()
    if live:
        retire_chunks(session, postings, np.array(live, dtype=np.int64))
    purge_segments(session, postings)


def _what_is_left(
    session: Session, asserted: dict[tuple[int, str], bool]
) -> dict[tuple[int, str], str]:
    left: dict[tuple[int, str], str] = {}
    for kind in {kind for kind, _ in asserted}:
        ids = [record_id for of, record_id in asserted if of == kind]
        where = {"kind": kind, "record_id": ids}
        for record_id, until in session.select(SUPPORT, ("record_id", "known_until"), where):
            if until is None or (kind, record_id) not in left:
                left[kind, record_id] = "end" if until else "put"
    return left

"""The embedded store: one SQLite file, any number of processes."""

from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

import numpy as np

from quipu.errors import QuipuError
from quipu.records.batch import Batch, Written
from quipu.store import rules
from quipu.store.checking import check
from quipu.store.sqlite.forget import forget
from quipu.store.sqlite.graph import GraphReads
from quipu.store.sqlite.known_ids import KnownIds
from quipu.store.sqlite.log import log
from quipu.store.sqlite.search import IndexReads
from quipu.store.sqlite.writes import Writing


class SQLiteStore(GraphReads, IndexReads):
    """A handle on one namespace of a SQLite file; threads may share it."""

    @property
    def namespace(self) -> str:
        """The namespace this handle is bound to."""
        return self._db.namespace

    def write(self, batch: Batch) -> Written:
        """Store a batch, whole or not at all."""
        checked = check(batch)
        try:
            with self._db.writing():
                written = Written(*Writing(self._db, self._postings, checked).apply())
            self._embedded.update(space for _, space in checked.embeddings)
            return written
        except BaseException:
            self._forget_read()
            raise

    def forget(self, source_refs: Sequence[str]) -> int:
        """Erase sources, history and all, from the file itself."""
        try:
            with self._db.writing():
                erased = forget(self._db, self._postings, source_refs)
        except BaseException:
            self._forget_read()
            raise
        self._erase(erased)
        return erased

    def drop_space(self, space: str) -> None:
        """Erase one space's vectors."""
        if not rules.storable(space):
            return
        try:
            with self._db.writing():
                known = self._rows.drop_space(space)
                if known:
                    log(self._db, [("vector", space, "forget")])
        except BaseException:
            self._forget_read()
            raise
        if known and (file := self._file(space)):
            file.remove()

    def _erase(self, erased: int) -> None:
        """Remove what caches and the log still hold of something forgotten, now or earlier."""
        if erased:
            for file in filter(None, map(self._file, self.spaces())):
                file.remove()
            with self._db.lock:
                self._spaces.clear()
                self._scopes.clear()
        self._db.erase()

    def _forget_read(self) -> None:
        """After a rollback: what was read inside the transaction never was."""
        with self._db.lock:
            self._postings.clear()
            self._scopes.clear()
            self._ids = KnownIds()
            self._records.known.clear()
            self._seen = self._ended_there = -1

    def close(self) -> None:
        """Give the file back; the vectors that were written are left indexed for who comes."""
        with suppress(QuipuError), self._db.lock:  # without an index, the next search builds it
            while self._embedded:
                self.vectors(np.zeros(0, dtype=np.int64), self._embedded.pop())
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

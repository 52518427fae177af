"""The embedded store: one SQLite file, any number of processes."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from quipu.domain.batch import Batch, Written
from quipu.index.nearest import EXACT_UP_TO, Nearest
from quipu.index.postings import Postings
from quipu.index.scopes import ScopeColumns
from quipu.index.vector_file import VectorFile
from quipu.store import rules
from quipu.store.sqlite.blobs import SegmentRows
from quipu.store.sqlite.database import BUSY_TIMEOUT_S, Database
from quipu.store.sqlite.forget import forget
from quipu.store.sqlite.graph import GraphReads
from quipu.store.sqlite.records import Records
from quipu.store.sqlite.search import IndexReads, IndexRows
from quipu.store.sqlite.writes import Writing, log


class SQLiteStore(GraphReads, IndexReads):
    """A handle on one namespace of a SQLite file; threads may share it."""

    def __init__(
        self,
        path: Path,
        *,
        namespace: str,
        read_only: bool = False,
        timeout_s: float = BUSY_TIMEOUT_S,
        exact_up_to: int = EXACT_UP_TO,
    ) -> None:
        self._db = Database(path, namespace=namespace, read_only=read_only, timeout_s=timeout_s)
        self._postings = Postings(SegmentRows(self._db))
        self._records = Records(self._db, self._postings)
        self._rows = IndexRows(self._db, self._records)
        self._scopes = ScopeColumns(self._rows, self._postings)
        self._exact_up_to = exact_up_to
        self._spaces: dict[str, Nearest] = {}
        self._folder = path.with_name(path.name + ".vectors")
        self._seen = -1

    @property
    def namespace(self) -> str:
        """The namespace this handle is bound to."""
        return self._db.namespace

    def _fresh(self) -> None:
        sequence = self._sequence()
        if sequence != self._seen:
            self._postings.refresh()
            self._seen = sequence

    def _nearest(self, space: str) -> Nearest | None:
        info = self._rows.space(space)
        if info is None:
            self._spaces.pop(space, None)
            return None
        nearest = self._spaces.get(space)
        if nearest is None:
            nearest = self._spaces[space] = Nearest(
                self._rows,
                self._postings,
                space,
                file=self._file(space),
                exact_up_to=self._exact_up_to,
            )
        nearest.follow(info, self._sequence())
        return nearest

    def _file(self, space: str) -> VectorFile:
        slug = hashlib.sha256(f"{self.namespace}\0{space}".encode()).hexdigest()[:16]
        return VectorFile(self._folder, slug, writable=not self._db.read_only)

    def write(self, batch: Batch) -> Written:
        """Store a batch, whole or not at all."""
        checked = rules.check(batch)
        try:
            with self._db.writing():
                return Written(*Writing(self._db, self._postings, checked).apply())
        except BaseException:
            self._forget_read()
            raise

    def forget(self, source_refs: Sequence[str]) -> int:
        """Erase sources, history and all, from the file itself."""
        try:
            self._db.pragma("PRAGMA secure_delete = ON")
            with self._db.writing():
                erased = forget(self._db, self._postings, source_refs)
        except BaseException:
            self._forget_read()
            raise
        finally:
            self._db.pragma("PRAGMA secure_delete = OFF")
        if erased:
            self._erase()
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
        if known:
            self._file(space).remove()

    def _erase(self) -> None:
        """Remove what caches and the log still hold of something forgotten."""
        for space in self.spaces():
            self._file(space).remove()
        with self._db.lock:
            self._spaces.clear()
            self._scopes.clear()
        self._db.erase()

    def _forget_read(self) -> None:
        """After a rollback: what was read inside the transaction never was."""
        with self._db.lock:
            self._postings.clear()
            self._scopes.clear()
            self._seen = -1

    def close(self) -> None:
        """Give the file back."""
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

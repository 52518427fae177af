"""The embedded store: one SQLite file, any number of processes."""

import hashlib
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from quipu.errors import QuipuError
from quipu.index.nearest import EXACT_UP_TO
from quipu.index.vector_file import VectorFile
from quipu.records.batch import Batch, Written
from quipu.store.backend import Row
from quipu.store.derived import DerivedStore
from quipu.store.derived.neighbors import Hop
from quipu.store.sqlite import schema
from quipu.store.sqlite.database import BUSY_TIMEOUT_S, Database
from quipu.store.sqlite.neighbors import edges
from quipu.store.sqlite.tables import SQLiteBackend


class SQLiteStore(DerivedStore):
    """A handle on one namespace of a SQLite file; threads may share it."""

    def __init__(
        self,
        path: Path,
        *,
        namespace: str,
        read_only: bool = False,
        timeout_s: float = BUSY_TIMEOUT_S,
        exact_up_to: int = EXACT_UP_TO,
        vector_files: bool = True,
    ) -> None:
        """Without `vector_files` the index files beside the database are neither read nor made."""
        self._db = Database(path, namespace=namespace, read_only=read_only, timeout_s=timeout_s)
        super().__init__(SQLiteBackend(self._db), exact_up_to=exact_up_to)
        self._vector_files = vector_files
        self._folder = path.with_name(path.name + ".vectors")
        self._counts_ends: bool | None = None
        self._embedded: set[str] = set()  # spaces written to, whose file may be behind

    def write(self, batch: Batch) -> Written:
        """Store a batch, whole or not at all."""
        written = super().write(batch)
        self._embedded.update(each.space for each in batch.embeddings)
        return written

    def forget(self, source_refs: Sequence[str]) -> int:
        """Erase sources, history and all, from the file itself; and what the log still holds of
        something forgotten, now or earlier."""
        erased = super().forget(source_refs)
        if erased:
            for file in filter(None, map(self._file, self.spaces())):
                file.remove()
        self._db.erase()
        return erased

    def drop_space(self, space: str) -> None:
        """Erase one space's vectors, and the index of them."""
        known = space in self.spaces()
        super().drop_space(space)
        if known and (file := self._file(space)):
            file.remove()

    def close(self) -> None:
        """Give the file back; the vectors that were written are left indexed for who comes."""
        with suppress(QuipuError), self._session.lock:  # the next search builds it otherwise
            while self._embedded:
                self.vectors(np.zeros(0, dtype=np.int64), self._embedded.pop())
        super().close()

    def spaces(self, profiles: Collection[str] = ()) -> dict[str, int]:
        """The embedding spaces; the file counts their vectors."""
        with self._db.reading():
            if profiles or self._db.value("PRAGMA user_version") < schema.COUNTS_VECTORS:
                return super().spaces(profiles)
            sql = "SELECT name, vectors FROM space WHERE ns = ? ORDER BY name"
            return dict(self._db.rows(sql, self._db.ns))

    def _edges(self, hop: Hop, ids: Sequence[str], size: int) -> list[Row]:
        """The first relations, by the index."""
        return edges(self._db, hop, ids, size)

    def _count_rows(self, kind: int) -> int:
        """How many records have live support, counted where they are."""
        sql = (
            "SELECT count(DISTINCT record_id) FROM support"
            " WHERE ns = ? AND kind = ? AND known_until IS NULL"
        )
        return self._db.value(sql, self._db.ns, kind)

    def _count_ended(self, sequence: int) -> int:
        """How much has ended, which the file counts."""
        if self._counts_ends is None:
            self._counts_ends = self._db.value("PRAGMA user_version") >= schema.COUNTS_ENDS
        if not self._counts_ends:
            return sequence
        # Of all namespaces: SQLite gives the numbers of the last deleted rows to the next ones.
        return self._db.value("SELECT coalesce(sum(count), 0) FROM ending")

    def _identity(self) -> str:
        """The file's own id."""
        return self._db.value("SELECT id FROM file")

    def _file(self, space: str) -> VectorFile | None:
        if not self._vector_files:
            return None
        slug = hashlib.sha256(f"{self._db.namespace}\0{space}".encode()).hexdigest()[:16]
        return VectorFile(self._folder, slug, writable=not self._db.read_only)

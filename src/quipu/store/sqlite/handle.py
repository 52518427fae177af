"""What both reading halves of the store stand on: the connection and this handle's indexes."""

import hashlib
from pathlib import Path

from quipu.index.nearest import EXACT_UP_TO, Nearest
from quipu.index.postings import Postings
from quipu.index.scopes import ScopeColumns
from quipu.index.vector_file import VectorFile
from quipu.store.sqlite import schema
from quipu.store.sqlite.blobs import SegmentRows
from quipu.store.sqlite.database import BUSY_TIMEOUT_S, Database
from quipu.store.sqlite.known_ids import KnownIds
from quipu.store.sqlite.records import Records
from quipu.store.sqlite.rows import IndexRows


class Handle:
    """A connection to one namespace, and the indexes it has read, each as fresh as last asked."""

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
        self._vector_files = vector_files
        self._db = Database(path, namespace=namespace, read_only=read_only, timeout_s=timeout_s)
        self._postings = Postings(SegmentRows(self._db))
        self._records = Records(self._db, self._postings)
        self._rows = IndexRows(self._db, self._records)
        self._scopes = ScopeColumns(self._rows, self._postings)
        self._exact_up_to = exact_up_to
        self._spaces: dict[str, Nearest] = {}
        self._folder = path.with_name(path.name + ".vectors")
        self._seen = -1
        self._embedded: set[str] = set()  # spaces written to, whose file may be behind
        self._sequence_of, self._sequence_there = 0, 0
        self._ended_there = -1
        self._counts_ends: bool | None = None
        self._ids = KnownIds()
        self._embedded_below: dict[tuple[int, frozenset[str]], int] = {}

    def _sequence(self) -> int:
        snapshot = self._db.snapshot
        if snapshot and snapshot == self._sequence_of:
            return self._sequence_there
        sql = "SELECT sequence FROM namespace WHERE ns = ?"
        found: int = self._db.value(sql, self._db.ns) or 0
        if found != self._sequence_there or self._ended_there < 0:
            self._ended_there = self._count_ended(found)
        self._sequence_of, self._sequence_there = snapshot, found
        return found

    def _count_ended(self, sequence: int) -> int:
        if self._counts_ends is None:
            self._counts_ends = self._db.value("PRAGMA user_version") >= schema.COUNTS_ENDS
        if not self._counts_ends:
            return sequence
        # Of all namespaces: SQLite gives the numbers of the last deleted rows to the next ones.
        return self._db.value("SELECT coalesce(sum(count), 0) FROM ending")

    def _ended(self) -> int:
        """Another number when anything has ended that was live at an earlier moment."""
        self._sequence()
        return self._ended_there

    def _fresh(self) -> None:
        """Bring the postings and the known records to the moment of the transaction."""
        sequence = self._sequence()
        if sequence != self._seen:
            self._postings.refresh()
            self._records.known.follow(self._ended(), self._records.observed_at)
            self._seen = sequence

    def _nearest(self, space: str) -> Nearest | None:
        """The space's index at the moment of the transaction; None for an unknown space."""
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

    def _file(self, space: str) -> VectorFile | None:
        if not self._vector_files:
            return None
        slug = hashlib.sha256(f"{self._db.namespace}\0{space}".encode()).hexdigest()[:16]
        return VectorFile(self._folder, slug, writable=not self._db.read_only)

"""The default store: one SQLite file, embedded, shared by processes."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from quipu.errors import QuipuError
from quipu.index.nearest import DEFAULT_SIZES, EXACT_UP_TO, Nearest, VectorSizes
from quipu.index.vector_file import VectorFile
from quipu.records.batch import Batch, Written
from quipu.store.backend import Row
from quipu.store.derived import DerivedStore
from quipu.store.derived.neighbors import Hop
from quipu.store.sqlite import schema
from quipu.store.sqlite.database import BUSY_TIMEOUT_S, Database, as_list
from quipu.store.sqlite.tables import SQLiteBackend

__all__ = ["SQLiteStore", "namespaces"]

T = TypeVar("T")

_OF_PROFILES = (
    "SELECT count(*) FROM chunk c JOIN vector v"
    f" ON v.key = (? << {schema.KEY_BITS}) | (c.key & {schema.NUMBER_MASK})"
    " WHERE c.key BETWEEN ? AND ? AND c.live = 1 AND c.profile IN (SELECT value FROM json_each(?))"
)


def namespaces(path: Path) -> list[str]:
    """The namespaces in the SQLite file at `path`, which is only read."""
    database = Database(path, namespace="default", read_only=True)
    try:
        with database.reading():
            return [name for (name,) in database.rows("SELECT name FROM namespace ORDER BY name")]
    finally:
        database.close()


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
        vector_sizes: VectorSizes = DEFAULT_SIZES,
        vector_files: bool = True,
    ) -> None:
        """Without `vector_files` the index files beside the database are neither read nor made."""
        self._db = SQLiteBackend(
            path, namespace=namespace, read_only=read_only, timeout_s=timeout_s
        )
        super().__init__(self._db, exact_up_to=exact_up_to, vector_sizes=vector_sizes)
        self._keep_each = vector_sizes.piece  # so many are taken into the index beside the file
        self._vector_files = vector_files
        self._folder = path.with_name(path.name + ".vectors")
        self._embedded = Counter[str]()  # vectors written that are not in the space's file yet
        if not read_only:
            self._write_buckets()

    def _has_directories(self) -> bool:
        """What SQLite knows without reading what precedes them."""
        asked = "SELECT 1 FROM segment_field WHERE ns = ? AND length(directory) > 1 LIMIT 1"
        return bool(self._db.rows(asked, self._db.ns))

    def write(self, batch: Batch) -> Written:
        """Store a batch, whole or not at all."""
        written = super().write(batch)
        self._embedded.update(each.space for each in batch.embeddings)
        if not self._session.is_writing:  # what is not committed is not kept in a file
            for space in [s for s, count in self._embedded.items() if count >= self._keep_each]:
                self._keep(space)
        return written

    def _commit(self, once: Callable[[], T], *, durable: bool) -> T:
        """Call `once`; the log is on the disk afterwards if it is `durable`."""
        if not durable:
            return once()
        with self._session.lock, self._db.synced():  # in the order in which a reader takes them
            return once()

    def _keep(self, space: str) -> None:
        """Take into the space's file what was written."""
        del self._embedded[space]
        with suppress(QuipuError), self._session.reading():  # the next search reads it otherwise
            self._fresh()
            if self._vector_files and isinstance(nearest := self._nearest(space), Nearest):
                nearest.keep()

    def forget(self, source_refs: Sequence[str]) -> int:
        """Erase sources, history and all, from the file itself; and what the log still holds of
        something forgotten, now or earlier."""
        try:
            erased = super().forget(source_refs)
        except BaseException:
            for file in filter(None, map(self._file, self.spaces())):
                file.remove()
            raise
        self._db.erase()
        return erased

    def _vector_spaces(self) -> list[str]:
        """The spaces with a file."""
        files = ((space, self._file(space)) for space in self.spaces())
        kept = [space for space, file in files if file and file.is_there()]
        return sorted({*super()._vector_spaces(), *kept})

    def drop_space(self, space: str) -> None:
        """Erase one space's vectors, and the index of them."""
        known = space in self.spaces()
        super().drop_space(space)
        if known and (file := self._file(space)):
            file.remove()

    def close(self) -> None:
        """Give the file back; what it wrote is left indexed for who comes, where that reads no
        more than it wrote."""
        with suppress(QuipuError), self._session.lock:
            for space, count in list(self._embedded.items()):
                file = self._file(space)
                if file and (file.is_there() or 2 * count >= self.spaces().get(space, 0)):
                    self._keep(space)
        super().close()

    def _count_vectors(self, profiles: Collection[str]) -> dict[int, int]:
        """Vectors by space; the file counts them."""
        if profiles:
            numbers = [space for space, _ in self._rows.spaces().values()]
            asked = (*self._bounds(), as_list(profiles))
            return {space: self._db.value(_OF_PROFILES, space, *asked) for space in numbers}
        return dict(self._db.rows("SELECT space, vectors FROM space WHERE ns = ?", self._db.ns))

    def profiles(self) -> dict[str, int]:
        """Chunks by profile, counted where they are."""
        sql = (
            "SELECT profile, count(*) FROM chunk WHERE key BETWEEN ? AND ? AND live = 1"
            " GROUP BY profile ORDER BY profile"
        )
        with self._db.reading():
            return dict(self._db.rows(sql, *self._bounds()))

    def _bounds(self) -> tuple[int, int]:
        """The first and the last key that a chunk of the namespace can have."""
        low = self._db.ns << schema.KEY_BITS
        return low, low | schema.NUMBER_MASK

    def _edges(self, hop: Hop, ids: Sequence[str], size: int) -> list[Row]:
        """The first relations of each record and type, by the index. The types are found by going
        from one to the next in it, so many relations of one type cost no more than few."""
        here, there = ("near", "far") if hop.side == "out" else ("far", "near")
        standing, when = "known_until IS NULL", ()
        if hop.known_at is not None:
            standing = "recorded_at <= ? AND (known_until IS NULL OR ? < known_until)"
            when = (hop.known_at, hop.known_at)
        typed = "AND held.label IN (SELECT value FROM json_each(?))" if hop.types else ""
        least = f"SELECT min(label) FROM support WHERE ns = ? AND kind = 3 AND {here} ="
        return self._db.rows(
            "WITH RECURSIVE held (id, label) AS ("
            f"SELECT value, ({least} value) FROM json_each(?)"
            f" UNION ALL SELECT id, ({least} held.id AND label > held.label) FROM held"
            " WHERE label IS NOT NULL)"
            f" SELECT held.id, s.label, s.{there}, s.record_id FROM held CROSS JOIN support AS s"
            f" WHERE held.label IS NOT NULL {typed}"
            " AND s.row IN (SELECT row FROM support WHERE ns = ? AND kind = 3"
            f" AND {here} = held.id AND label = held.label AND {standing}"
            f" ORDER BY {there}, record_id LIMIT ?)"
            f" ORDER BY s.label, s.{there}, s.record_id",
            self._db.ns,
            as_list(ids),
            self._db.ns,
            *((as_list(hop.types),) if hop.types else ()),
            self._db.ns,
            *when,
            size,
        )

    def _entities_with(self, written: bytes) -> list[str]:
        """The live entities that hold these bytes, found where they are."""
        sql = (
            "SELECT DISTINCT record_id FROM support WHERE ns = ? AND kind = 2"
            " AND known_until IS NULL AND instr(body, ?) ORDER BY record_id"
        )
        return [i for (i,) in self._db.rows(sql, self._db.ns, written)]

    def _count_ended(self, sequence: int) -> int:
        """How much has ended, which the file counts."""
        del sequence
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

"""Embeddings kept by content, so that indexing again after a clear does not embed again.

One small SQLite file for all namespaces and spaces: (space, SHA-256 of text and spans) → float16.
It holds nothing that cannot be made again: a damaged file is put aside and a new one begun, a
file that cannot be written is done without, and neither is ever an error.
"""

import hashlib
import logging
import os
import sys
import threading
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import apsw
import numpy as np

from quipu.embed.remote import RemoteEmbedder
from quipu.errors import StoreUnavailable
from quipu.files import checked, private
from quipu.ports import Embedded, Embedder, ManyEmbedder, Passage, Vectors

__all__ = [
    "CACHE",
    "DEFAULT_MAX_BYTES",
    "CachedEmbedder",
    "VectorCache",
    "content_key",
    "make_passages",
]

T = TypeVar("T")
Made = TypeVar("Made")

CACHE = "embeddings.db"
"""Its name in the local state."""

DEFAULT_MAX_BYTES = 512_000_000
_KEYS_A_QUERY = 500
_NICENESS = 10
_A_REQUEST = 16
# SQLError: a table of that name with other columns.
_DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vector (
    number INTEGER PRIMARY KEY,
    space TEXT NOT NULL,
    key BLOB NOT NULL,
    dimension INTEGER NOT NULL,
    rows BLOB NOT NULL,
    crc INTEGER NOT NULL,
    UNIQUE (space, key)
)
"""

# Each space is looked up behind the one before it: SQLite's DISTINCT would read every key.
_SPACES = """
WITH RECURSIVE each(space) AS (
    SELECT min(space) FROM vector
    UNION ALL
    SELECT (SELECT min(space) FROM vector WHERE space > each.space) FROM each
    WHERE each.space IS NOT NULL
)
SELECT space FROM each WHERE space IS NOT NULL
"""

_log = logging.getLogger(__name__)


def content_key(text: str, spans: Sequence[tuple[int, int]] = ()) -> bytes:
    """32 bytes that stand for a text and the spans it is to be cut into."""
    cuts = ",".join(f"{start}-{end}" for start, end in spans)
    return hashlib.sha256(f"{cuts}\0{text}".encode("utf-8", "surrogatepass")).digest()


class VectorCache:
    """The file. Safe between threads and processes; the oldest entries leave when it is full."""

    def __init__(
        self,
        path: Path,
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
        busy_timeout_ms: int = 5_000,
    ) -> None:
        """Open or begin the file at `path`; its folder is made when missing."""
        self._path = path
        self._max_bytes = max_bytes
        self._busy_timeout_ms = busy_timeout_ms
        self._lock = threading.Lock()
        # Any: apsw declares Buffer, which type checkers know from Python 3.12 on.
        self._connection: Any = None
        self._inode = 0
        with self._lock:
            self._open()

    def get(self, space: str, keys: Sequence[bytes]) -> dict[bytes, Embedded]:
        """What is known of `keys`; the others are absent."""
        found: dict[bytes, Embedded] = {}
        with self._lock:
            for start in range(0, len(keys), _KEYS_A_QUERY):
                found.update(self._select(space, keys[start : start + _KEYS_A_QUERY]))
        return found

    def put(self, space: str, entries: Mapping[bytes, Embedded]) -> None:
        """Keep `entries`, rounded to float16; a key that is there already stays as it is."""
        rows = [_pack(space, key, entries[key]) for key in sorted(entries)]
        with self._lock:
            if self._connection is None or not rows:
                return
            try:
                with self._connection as connection:
                    connection.executemany(
                        "INSERT INTO vector (space, key, dimension, rows, crc) "
                        "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                        rows,
                    )
                    self._evict(connection)
            except apsw.Error as error:
                self._mend(error)

    def erase(self, keys: Collection[bytes] | None = None) -> None:
        """Erase what is kept of `keys` in every space (None: everything), from the file itself.

        Raises StoreUnavailable when it is still there: what was forgotten must not stay in
        silence.
        """
        with self._lock:
            Path(f"{self._path}.damaged").unlink(missing_ok=True)
            if self._connection is None:
                return
            try:
                with self._connection as connection:
                    if keys is None:
                        connection.execute("DELETE FROM vector")
                    else:
                        spaces = [space for (space,) in connection.execute(_SPACES)]
                        rows = ((space, key) for space in spaces for key in sorted(keys))
                        delete = "DELETE FROM vector WHERE space = ? AND key = ?"
                        connection.executemany(delete, rows)
                busy, *_ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except apsw.Error as error:
                raise StoreUnavailable(
                    f"vectors of what was forgotten may still stand in {str(self._path)!r} "
                    f"({error}): delete that file, it is made again"
                ) from error
        if busy:
            raise StoreUnavailable(
                f"another process reads {str(self._path)!r} and keeps vectors of what is "
                "forgotten in its log: let it finish, then run the same command again"
            )

    def close(self) -> None:
        """Close the file; afterwards nothing is found and nothing is kept."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _select(self, space: str, keys: Sequence[bytes]) -> dict[bytes, Embedded]:
        if self._connection is None:
            return {}
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, dimension, rows, crc FROM vector WHERE space = ? AND key IN ({marks})"
        try:
            rows = self._connection.execute(query, (space, *keys)).fetchall()
        except apsw.Error as error:
            self._mend(error)
            return {}
        return {key: _unpack(d, blob) for key, d, blob, crc in rows if zlib.crc32(blob) == crc}

    def _evict(self, connection: Any) -> None:
        """Drop the oldest tenth until the live pages fit; freed pages are used again."""
        while self._used_bytes(connection) > self._max_bytes:
            count = connection.execute("SELECT count(*) FROM vector").get
            if not count:
                return
            connection.execute(
                "DELETE FROM vector WHERE number IN "
                "(SELECT number FROM vector ORDER BY number LIMIT ?)",
                (max(1, count // 10),),
            )

    @staticmethod
    def _used_bytes(connection: Any) -> int:
        pages = connection.pragma("page_count") - connection.pragma("freelist_count")
        return pages * connection.pragma("page_size")

    def _open(self) -> None:
        try:
            self._connect()
        except (apsw.Error, OSError) as error:
            self._mend(error)

    def _connect(self) -> None:
        private.make_folder(self._path.parent)
        private.touch(self._path)
        private.narrow(checked.database_files(self._path))
        self._inode = _inode(self._path)
        connection: Any = apsw.Connection(str(self._path))
        try:
            connection.set_busy_timeout(self._busy_timeout_ms)
            connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", "off")  # a lost entry is made again
            connection.pragma("secure_delete", "on")  # what is erased leaves no bytes
            connection.execute(_SCHEMA)
            connection.execute("SELECT key, dimension, rows, crc FROM vector LIMIT 1").fetchall()
        except apsw.Error:
            connection.close(True)
            raise
        self._connection = connection
        self._inode = _inode(self._path)

    def _mend(self, error: Exception) -> None:
        """Begin a damaged file again; any other trouble (busy, full, read-only) passes by."""
        if not isinstance(error, _DAMAGED):
            _log.warning("the embedding cache %r is not used: %s", str(self._path), error)
            return
        _log.warning("the embedding cache %r is begun again: %s", str(self._path), error)
        if self._connection is not None:
            self._connection.close(True)
            self._connection = None
        try:
            self._put_aside()
            self._connect()
        except (apsw.Error, OSError) as again:
            self._connection = None
            _log.warning("the embedding cache %r is not used: %s", str(self._path), again)

    def _put_aside(self) -> None:
        if _inode(self._path) != self._inode:
            return  # another process has begun a new file already
        for suffix in ("-wal", "-shm"):
            Path(f"{self._path}{suffix}").unlink(missing_ok=True)
        self._path.replace(f"{self._path}.damaged")


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0


def _pack(space: str, key: bytes, entry: Embedded) -> tuple[str, bytes, int, bytes, int]:
    rows = np.vstack([entry.vector, entry.parts]).astype("<f2").tobytes()
    return space, key, len(entry.vector), rows, zlib.crc32(rows)


def _unpack(dimension: int, blob: bytes) -> Embedded:
    rows = np.frombuffer(blob, "<f2").reshape(-1, dimension).astype(np.float32)
    return Embedded(rows[0], rows[1:])


class CachedEmbedder:
    """An Embedder that asks the cache first; the space is the inner embedder's.

    Every vector is rounded to float16, found or new, so an answer never depends on what was
    cached. Questions (`embed_windows`) go past the cache, unrounded.
    """

    def __init__(self, embedder: Embedder, cache: VectorCache, *, threads: int = 1) -> None:
        """`threads` is how many passages `embed_passages` gives the embedder side by side."""
        self._embedder = embedder
        self._cache = cache
        self._threads = threads

    @property
    def space(self) -> str:
        """The inner embedder's."""
        return self._embedder.space

    @property
    def dimension(self) -> int:
        """The inner embedder's."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32[n, d], a row a text; each distinct text is embedded once."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, entry in enumerate(self.embed_passages([(text, ()) for text in texts])):
            rows[row] = entry.vector
        return rows

    def embed_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> Embedded:
        """The text's vector and one for each span, as one passage."""
        return self.embed_passages([(text, spans)])[0]

    def embed_passages(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Each passage's vector and parts, in order: what ingestion calls, a batch at a time."""
        keys = [content_key(text, spans) for text, spans in passages]
        by_key = dict(zip(keys, passages, strict=True))
        found = self._cache.get(self.space, list(by_key))
        known = {key: entry for key, entry in found.items() if self._fits(entry, by_key[key])}
        missing = {key: passage for key, passage in by_key.items() if key not in known}
        if missing:
            made = map(_rounded, self._make(list(missing.values())))
            fresh = dict(zip(missing, made, strict=True))
            self._cache.put(self.space, fresh)
            known |= fresh
        return [known[key] for key in keys]

    def embed_windows(self, text: str, *, size: int = 6, stride: int = 3) -> Embedded:
        """The inner embedder's, not cached."""
        return self._embedder.embed_windows(text, size=size, stride=stride)

    def _fits(self, entry: Embedded, passage: Passage) -> bool:
        return entry.parts.shape == (len(passage[1]), self.dimension)

    def _make(self, passages: Sequence[Passage]) -> list[Embedded]:
        return make_passages(self._embedder, passages, threads=self._threads)


def make_passages(
    embedder: Embedder, passages: Sequence[Passage], *, threads: int = 1
) -> list[Embedded]:
    """Each passage's vector and parts, in order, some side by side; a remote model is given
    several passages in one request."""
    if isinstance(embedder, ManyEmbedder):
        return embedder.embed_passages(passages)
    if not any(spans for _, spans in passages):
        vectors = embedder.embed([text for text, _ in passages])
        return [Embedded(vector, vectors[:0]) for vector in vectors]
    if isinstance(embedder, RemoteEmbedder):
        pages = [passages[i : i + _A_REQUEST] for i in range(0, len(passages), _A_REQUEST)]
        return list(chain.from_iterable(_in_threads(embedder.embed_passages, pages, threads)))
    return _in_threads(lambda passage: embedder.embed_parts(*passage), passages, threads)


def _in_threads(make: Callable[[T], Made], given: Sequence[T], threads: int) -> list[Made]:
    with ThreadPoolExecutor(threads, initializer=_stand_back) as pool:
        return list(pool.map(make, given))


def _stand_back() -> None:
    """Let questions go first, of whatever process: a passage can wait for its vector. Where a
    thread has a priority of its own (Linux), this thread's is lowered for good."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def _rounded(entry: Embedded) -> Embedded:
    vector, parts = (rows.astype(np.float16).astype(np.float32) for rows in entry)
    return Embedded(vector, parts)

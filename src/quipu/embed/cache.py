"""Embeddings kept by content, so that indexing again after a clear does not embed again.

One small SQLite file for all namespaces and spaces: (space, SHA-256 of text and spans) → float16.
It holds nothing that cannot be made again: a damaged file is begun anew, a file that cannot be
written is done without, and neither is ever an error.
"""

import hashlib
import logging
import os
import sys
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
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
from quipu.limits import IDS_AT_ONCE
from quipu.ports import Embedded, Embedder, ManyEmbedder, Passage

__all__ = [
    "CACHE",
    "DEFAULT_MAX_BYTES",
    "VectorCache",
    "content_key",
    "erase_cache",
    "make_passages",
]

T = TypeVar("T")
Made = TypeVar("Made")

CACHE = "embeddings.db"
"""Its name in the local state."""

DEFAULT_MAX_BYTES = 512_000_000
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
        try:
            self._connect()
        except (apsw.Error, OSError) as error:
            self._mend(error)

    def get(self, space: str, keys: Sequence[bytes]) -> dict[bytes, Embedded]:
        """What is known of `keys`; the others are absent."""
        found: dict[bytes, Embedded] = {}
        with self._lock:
            for start in range(0, len(keys), IDS_AT_ONCE):
                found.update(self._select(space, keys[start : start + IDS_AT_ONCE]))
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

    def _connect(self) -> None:
        private.make_folder(self._path.parent)
        private.touch(self._path)
        private.narrow(checked.database_files(self._path))
        connection: Any = apsw.Connection(str(self._path))
        try:
            connection.set_busy_timeout(self._busy_timeout_ms)
            connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", "off")  # a lost entry is made again
            connection.execute(_SCHEMA)
            connection.execute("SELECT key, dimension, rows, crc FROM vector LIMIT 1").fetchall()
        except apsw.Error:
            connection.close(True)
            raise
        self._connection = connection

    def _mend(self, error: Exception) -> None:
        """Begin a damaged file anew; any other trouble (busy, full, read-only) passes by."""
        _log.warning("the embedding cache %r is not used now: %s", str(self._path), error)
        if not isinstance(error, _DAMAGED):
            return
        if self._connection is not None:
            self._connection.close(True)
            self._connection = None
        with suppress(apsw.Error, OSError):
            for file in checked.database_files(self._path):
                file.unlink(missing_ok=True)
            self._connect()


def erase_cache(path: Path) -> None:
    """Delete the file at `path`, whose vectors may be of what is to be forgotten; it is made again.
    Raises StoreUnavailable where that cannot be: what was forgotten must not stay in silence."""
    try:
        for file in (*checked.database_files(path), Path(f"{path}.damaged")):
            file.unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"vectors of what was forgotten may still stand in {str(path)!r} ({error}): delete "
            "that file, it is made again"
        ) from error


def _pack(space: str, key: bytes, entry: Embedded) -> tuple[str, bytes, int, bytes, int]:
    rows = np.vstack([entry.vector, entry.parts]).astype("<f2").tobytes()
    return space, key, len(entry.vector), rows, zlib.crc32(rows)


def _unpack(dimension: int, blob: bytes) -> Embedded:
    rows = np.frombuffer(blob, "<f2").reshape(-1, dimension).astype(np.float32)
    return Embedded(rows[0], rows[1:])


def make_passages(
    embedder: Embedder,
    passages: Sequence[Passage],
    *,
    threads: int = 1,
    cache: VectorCache | None = None,
) -> list[Embedded]:
    """Each passage's vector and parts, in order, `threads` side by side.

    With a `cache` that is asked first, and every vector is rounded to float16, found or new: it
    never depends on what was kept.
    """
    if cache is None:
        return _made(embedder, passages, threads)
    keys = [content_key(text, spans) for text, spans in passages]
    by_key = dict(zip(keys, passages, strict=True))
    found = cache.get(embedder.space, list(by_key))
    shape = embedder.dimension
    known = {k: e for k, e in found.items() if e.parts.shape == (len(by_key[k][1]), shape)}
    missing = {key: passage for key, passage in by_key.items() if key not in known}
    if missing:
        made = map(_rounded, _made(embedder, list(missing.values()), threads))
        fresh = dict(zip(missing, made, strict=True))
        cache.put(embedder.space, fresh)
        known |= fresh
    return [known[key] for key in keys]


def _made(embedder: Embedder, passages: Sequence[Passage], threads: int) -> list[Embedded]:
    """What the embedder gives; a remote model is given several passages in one request."""
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

"""Where runs left off, in the local state: hints that save work, never truth. One that is lost, or
damaged, costs one run the work it would have saved.

Resolutions are what the references of each source came to last: while nothing that others may refer
to has changed, only the sources that are new are resolved again. Stamps are what files looked like
when they were last read: a file whose size, times and inode are those of then holds what it held
then, and need not be read to know its hash. That of a file which had just changed is not kept: it
may change again within what its file system can tell apart.
"""

import hashlib
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from quipu.errors import StoreUnavailable
from quipu.extract import Defined
from quipu.read import FileEntry
from quipu.write.state_files import RESOLVED, STAMPS, replace_file, writing_in

__all__ = ["Mark", "Marks", "Resolutions", "Resolved", "Stamps"]

_MARKS_FILE = "marks.json"

_AT_REST_NS = 2_000_000_000
_TIMES_ARE_SURE = os.name != "nt"
"""Windows has no time that a program cannot set back."""


class Resolved(msgspec.Struct, frozen=True, array_like=True):
    """A source's own episode, of which document, what that defines (None: it keeps no
    references), the episode of its links ("": none), and how many references have no target."""

    ref: str
    episode_id: str
    document_id: str
    defined: Defined | None = None
    links_id: str = ""
    missing: int = 0


_ENCODER = msgspec.msgpack.Encoder()
_RESOLVED = msgspec.msgpack.Decoder(list[Resolved])


class Resolutions:
    """Those of one store and namespace (`key`); without local state nothing is kept."""

    def __init__(self, state: Path | None, key: str) -> None:
        self._path = _file_of(RESOLVED, state, key)

    def get(self) -> list[Resolved]:
        """All that were kept, in the order of their sources."""
        try:
            return _RESOLVED.decode(self._path.read_bytes()) if self._path else []
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return []

    def set(self, rows: Sequence[Resolved]) -> None:
        """Keep these and no others."""
        if self._path is not None:
            replace_file(self._path, _ENCODER.encode(rows))

    def forget(self) -> None:
        """Keep nothing: some of it is to be erased."""
        if self._path is not None:
            with suppress(StoreUnavailable), writing_in(self._path.parent):
                self._path.unlink(missing_ok=True)


class Mark(msgspec.Struct, frozen=True):
    """What the store looked like when all references were last resolved."""

    fingerprint: str
    unresolved: int


class Marks:
    """The mark of one store and namespace; without local state nothing is kept."""

    def __init__(self, state: Path | None, key: str) -> None:
        self._path = state / _MARKS_FILE if state else None
        self._key = key

    def get(self) -> Mark | None:
        """The mark, if there is one."""
        return self._read().get(self._key)

    def set(self, mark: Mark) -> None:
        """Keep `mark`; other stores' marks stay."""
        if self._path is None:
            return
        marks = {**self._read(), self._key: mark}
        replace_file(self._path, msgspec.json.encode(marks, order="deterministic"))

    def _read(self) -> dict[str, Mark]:
        try:
            data = self._path.read_bytes() if self._path else b"{}"
            return msgspec.json.decode(data, type=dict[str, Mark])
        except (OSError, UnicodeDecodeError, msgspec.DecodeError):
            return {}


class _Stamp(NamedTuple):
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    content_hash: str


_STAMPED = msgspec.msgpack.Decoder(dict[str, _Stamp])


class Stamps:
    """Those of one store and namespace (`key`), by reference; without local state none."""

    def __init__(self, state: Path | None, key: str) -> None:
        self._path = _file_of(STAMPS, state, key) if _TIMES_ARE_SURE else None
        self._stored = self._read()
        self._now = dict(self._stored)

    def hash_of(self, entry: FileEntry) -> str | None:
        """The SHA-256 of the file, if it is known without reading it."""
        stamp = self._stored.get(entry.path)
        return stamp.content_hash if stamp and stamp == _stamp(entry, stamp.content_hash) else None

    def saw(self, entry: FileEntry, content_hash: str) -> None:
        """Keep what a file that was just read holds."""
        if time.time_ns() - max(entry.mtime_ns, entry.ctime_ns) > _AT_REST_NS:
            self._now[entry.path] = _stamp(entry, content_hash)

    def gone(self, ref: str) -> None:
        """Keep nothing of a file."""
        self._now.pop(ref, None)

    def keep(self) -> None:
        """Write down what changed."""
        if self._path is not None and self._now != self._stored:
            replace_file(self._path, msgspec.msgpack.encode(self._now))

    def _read(self) -> dict[str, _Stamp]:
        try:
            return _STAMPED.decode(self._path.read_bytes()) if self._path else {}
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}


def _stamp(entry: FileEntry, content_hash: str) -> _Stamp:
    return _Stamp(entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode, content_hash)


def _file_of(name: str, state: Path | None, key: str) -> Path | None:
    """Where the hints of that name are of one store and namespace."""
    return state / name.format(hashlib.sha256(key.encode()).hexdigest()[:16]) if state else None

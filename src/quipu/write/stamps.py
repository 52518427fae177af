"""What files looked like when they were last read, in the local state: a hint that saves work.

A file whose size, times and inode are those of then holds what it held then, and need not be read
to know its hash. That of a file which had just changed is not kept: it may change again within
what its file system can tell apart.
"""

import hashlib
import os
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from quipu.read import FileEntry
from quipu.write.state_files import STAMPS, replace_file

__all__ = ["Stamps"]

_AT_REST_NS = 2_000_000_000
_TOLD_APART = os.name != "nt"
"""Windows has no time that a program cannot set back."""


class _Stamp(NamedTuple):
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    content_hash: str


_DECODER = msgspec.msgpack.Decoder(dict[str, _Stamp])


class Stamps:
    """Those of one store and namespace (`key`), by reference; without local state none."""

    def __init__(self, state: Path | None, key: str) -> None:
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        self._path = state / STAMPS.format(digest) if state and _TOLD_APART else None
        self._held = self._read()
        self._now = dict(self._held)

    def hash_of(self, entry: FileEntry) -> str | None:
        """The SHA-256 of the file, if it is known without reading it."""
        held = self._held.get(entry.path)
        return held.content_hash if held and held == _stamp(entry, held.content_hash) else None

    def saw(self, entry: FileEntry, content_hash: str) -> None:
        """Keep what a file that was just read holds."""
        if time.time_ns() - max(entry.mtime_ns, entry.ctime_ns) > _AT_REST_NS:
            self._now[entry.path] = _stamp(entry, content_hash)

    def gone(self, ref: str) -> None:
        """Keep nothing of a file."""
        self._now.pop(ref, None)

    def keep(self) -> None:
        """Write down what changed."""
        if self._path is not None and self._now != self._held:
            replace_file(self._path, msgspec.msgpack.encode(self._now))

    def _read(self) -> dict[str, _Stamp]:
        try:
            return _DECODER.decode(self._path.read_bytes()) if self._path else {}
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}


def _stamp(entry: FileEntry, content_hash: str) -> _Stamp:
    return _Stamp(entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode, content_hash)

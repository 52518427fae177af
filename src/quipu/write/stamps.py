"""What files looked like when they were last read: a file whose size, times and inode are those of
then holds what it held then, and need not be read to know its hash. That of a file which had just
changed is not kept: it may change again within what its file system can tell apart.

In the local state they are a hint that saves work: one that is lost costs one run that work.
"""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

import msgspec

from quipu.extract import Defined
from quipu.write.state_files import RESOLVED, STAMPS, hint_file, replace_file

__all__ = ["Resolutions", "Resolved", "Stamp", "Stamps"]


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
        self._path = hint_file(RESOLVED, state, key)

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


_AT_REST_NS = 2_000_000_000
_TIMES_ARE_SURE = os.name != "nt"
"""Windows has no time that a program cannot set back."""


class Stamp(NamedTuple):
    """What a file looks like from outside."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Self:
        """That of a file with this status."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


class _Stamped(NamedTuple):
    stamp: Stamp
    content_hash: str
    shape: str | None = None


_STAMPED = msgspec.msgpack.Decoder(dict[str, _Stamped])


class Stamps:
    """Those of one store and namespace (`key`), by reference; without local state they are kept
    here."""

    def __init__(self, state: Path | None, key: str) -> None:
        self._path = hint_file(STAMPS, state, key) if _TIMES_ARE_SURE else None
        self._stored = self._read()
        self._now = dict(self._stored)

    def at(self, ref: str, stamp: Stamp) -> str | None:
        """The SHA-256 of a file that looks so, if it is known without reading it."""
        known = self._now.get(ref)
        return known.content_hash if known and known.stamp == stamp else None

    def shape_at(self, ref: str, stamp: Stamp) -> str | None:
        """What `shape_of` said of a file that looks so; None where it was not asked."""
        known = self._now.get(ref)
        return known.shape if known and known.stamp == stamp else None

    def keep_at(self, ref: str, stamp: Stamp, content_hash: str, shape: str | None = None) -> None:
        """Keep what a file that was just read, and looked so before, holds, and its shape."""
        if _TIMES_ARE_SURE and time.time_ns() - max(stamp.mtime_ns, stamp.ctime_ns) > _AT_REST_NS:
            self._now[ref] = _Stamped(stamp, content_hash, shape)

    def gone(self, ref: str) -> None:
        """Keep nothing of a file."""
        self._now.pop(ref, None)

    def keep(self) -> None:
        """Write down what changed."""
        if self._path is not None and self._now != self._stored:
            replace_file(self._path, msgspec.msgpack.encode(self._now))

    def _read(self) -> dict[str, _Stamped]:
        try:
            return _STAMPED.decode(self._path.read_bytes()) if self._path else {}
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}

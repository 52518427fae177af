"""Where the vectors of a space are kept between runs: a file, to which blocks are appended.

A block holds the vectors that came together: a head, their numbers, the vectors, and the sum of
every mebibyte of both. It is trusted only when each byte is as it was written, and a file only when
it is of this database's space, whose change log has the moment of its last block. What follows a
block that is damaged, or was not written to its end, is as good as not there, and so is a file of
another form: vectors are read from the database then.
"""

import hashlib
import os
import struct
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.index.pieces import Piece

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

__all__ = ["SavedVectors", "VectorFile"]

# Form, dimension, how many vectors, moment, space, what the change log says then, sum of it all.
_HEAD = struct.Struct("<4sIQQ16s16sQ")
_FORM = b"qv07"


class SavedVectors(NamedTuple):
    """Pieces as they were at `sequence`; a number in two of them counts in the later one."""

    pieces: list[Piece]
    sequence: int


class VectorFile:
    """Where one space's index is kept: `<slug>.vectors`."""

    def __init__(self, folder: Path, slug: str, *, writable: bool) -> None:
        self._folder, self._slug, self._writable = folder, slug, writable
        self._path = folder / f"{slug}.vectors"
        self._seen: tuple[int, ...] | None = None  # what the file was when it was read
        self._pieces: list[Piece] = []  # what was in it, up to `_end`
        self._end = 0

    def load(
        self, space: str, dimension: int, mark_at: Callable[[int], str]
    ) -> SavedVectors | None:
        """What is in the file, or None when there is nothing that can be trusted."""
        self._seen, self._pieces, self._end = self._now(), [], 0
        with suppress(OSError, ValueError):  # not there, or empty
            data = np.memmap(self._path, dtype=np.uint8, mode="r").view(np.ndarray)
            sequence, mark = self._read(data, space, dimension)
            if self._pieces and mark == _digest(mark_at(sequence)):
                return SavedVectors(list(self._pieces), sequence)
        self._pieces, self._end = [], 0
        return None

    def _read(self, data: NDArray[np.uint8], space: str, dimension: int) -> tuple[int, bytes]:
        """Take in every block that is whole; the moment and the mark of the last."""
        sequence, mark = 0, b""
        while len(head := data[self._end : self._end + _HEAD.size].tobytes()) == _HEAD.size:
            form, wide, count, when, of, said, _ = _HEAD.unpack(head)
            numbers = self._end + _HEAD.size
            codes, ends = numbers + 8 * count, numbers + (8 + 2 * dimension) * count
            sums = numbers + _padded(ends - numbers)
            end = sums + 8 * -(-(sums - numbers) // _SUMMED)
            if (form, wide, of) != (_FORM, dimension, _digest(space)) or end > len(data):
                break
            given = data[sums:end].tobytes()
            if _sums(data[numbers:sums]) != given or _sealed(head, given) != head:
                break
            vectors = data[codes:ends].reshape(count, -1)
            self._pieces.append(Piece(data[numbers:codes].view("<i8"), vectors, is_kept=True))
            self._end, sequence, mark = end, when, said
        return sequence, mark

    def is_there(self) -> bool:
        """Whether there is a file, be it one of an earlier version."""
        return any(self._folder.glob(f"{self._slug}.*"))

    def is_newer(self) -> bool:
        """Whether somebody has written the file since it was read."""
        return self._now() != self._seen

    def save(
        self, pieces: Sequence[Piece], sequence: int, *, space: str, dimension: int, mark: str
    ) -> list[Piece] | None:
        """Keep `pieces`, and give them back as they lie in the file: appended where all that it
        holds is among them, else in a file that takes its place, since a file that others have
        mapped must not become shorter. None when they are not kept: the folder cannot be written,
        or somebody else has written the file since it was read here. To fail is harmless."""
        if not self._writable:
            return None
        temporary = self._folder / f"{self._slug}.{os.getpid()}.new"
        try:
            self._folder.mkdir(exist_ok=True)
            with self._alone(wait=False) as alone:
                if not alone or self.is_newer():
                    return None
                kept = [piece for piece in pieces if piece.is_kept]
                grows = bool(kept) and kept == self._pieces and self._is_whole()
                with self._path.open("ab") if grows else temporary.open("wb") as stream:
                    for piece in pieces[len(kept) :] if grows else pieces:
                        for part in _block(piece, sequence, space, dimension, mark):
                            stream.write(part)
                if not grows:
                    temporary.replace(self._path)
                    self._sweep()
                saved = self.load(space, dimension, lambda _: mark)
        except (OSError, ValueError):
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            return None
        return saved.pieces if saved else None

    def _is_whole(self) -> bool:
        """Whether nothing follows what was read."""
        return self._path.stat().st_size == self._end

    def remove(self) -> None:
        """Delete what is kept."""
        with suppress(OSError), self._alone(wait=True):
            self._path.unlink(missing_ok=True)
            self._sweep()
        self._seen, self._pieces, self._end = None, [], 0

    def _sweep(self) -> None:
        """Delete what a killed process, or an earlier version, left."""
        for path in self._folder.glob(f"{self._slug}.*"):
            if path != self._path:
                path.unlink(missing_ok=True)

    def _now(self) -> tuple[int, ...] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    @contextmanager
    def _alone(self, *, wait: bool) -> Generator[bool]:
        """Whether nobody else changes the folder while the block runs."""
        if fcntl is None:  # pragma: no cover - Windows
            yield True
            return
        handle = os.open(self._folder, os.O_RDONLY)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True
        finally:
            os.close(handle)


_SUMMED = 1 << 20  # bytes that have a sum of their own


def _block(
    piece: Piece, sequence: int, space: str, dimension: int, mark: str
) -> tuple[bytes, memoryview, bytes]:
    count = len(piece.numbers)
    body = np.zeros(_padded((8 + 2 * dimension) * count), dtype=np.uint8)
    body[: 8 * count] = piece.numbers.astype("<i8").view(np.uint8)
    body[8 * count : (8 + 2 * dimension) * count] = piece.codes.reshape(-1)
    sums = _sums(body)
    of = (_digest(space), _digest(mark))
    return _sealed(_HEAD.pack(_FORM, dimension, count, sequence, *of, 0), sums), body.data, sums


def _sealed(head: bytes, sums: bytes) -> bytes:
    """The head with the sum of it and of the sums of what follows."""
    return head[:-8] + _sum(np.frombuffer(head[:-8] + sums, dtype=np.uint8))


def _sums(data: NDArray[np.uint8]) -> bytes:
    """The sum of every mebibyte. No damaged byte leaves one as it was."""
    return b"".join(_sum(data[at : at + _SUMMED]) for at in range(0, len(data), _SUMMED))


def _sum(data: NDArray[Any]) -> bytes:
    """Of the little-endian 64-bit words."""
    return int(np.add.reduce(data.view("<u8"), dtype=np.uint64)).to_bytes(8, "little")


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _padded(size: int) -> int:
    return -(-size // 8) * 8

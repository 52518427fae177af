"""Where the pieces of a vector index are kept between runs.

A piece is kept in two files that never change: numbers and vectors. A header names the
pieces; whoever adds one writes a new header and nothing else again. A file is trusted only when
the header names the same database, space and dimension, a moment of the change log that this
database has too, and the sums of what lies beside it, every byte of it. Anything else is as good as
no file: the vectors are read from the database.
"""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.index.pieces import Piece

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

__all__ = ["SavedVectors", "VectorFile"]

_FORMAT = 6
_SUMMED = 1 << 20  # bytes that have a sum of their own in the header
_SUFFIXES = (".numbers", ".vectors")


class SavedVectors(NamedTuple):
    """Pieces as they were at `sequence`; a number in two of them counts in the later one."""

    pieces: list[Piece]
    sequence: int


class _KeptPiece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    count: int
    sums: tuple[tuple[int, ...], ...]


class _Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: int
    space: str
    mark: str
    sequence: int
    dimension: int
    pieces: tuple[_KeptPiece, ...]


class VectorFile:
    """Where one space's index is kept: `<slug>.json` and the files of the pieces it names."""

    def __init__(self, folder: Path, slug: str, *, writable: bool) -> None:
        self._folder, self._slug, self._writable = folder, slug, writable
        self._known: bytes | None = None  # the header that the pieces in memory go back to
        self._pieces: dict[_KeptPiece, Piece] = {}

    def load(
        self, space: str, dimension: int, mark_at: Callable[[int], str]
    ) -> SavedVectors | None:
        """The index in the file, or None when there is none that can be trusted. Pieces that were
        read before are not read again."""
        # A piece may be put together with others while it is read.
        for _ in range(3):
            self._known = self._now()
            try:
                header = msgspec.json.decode(self._known or b"", type=_Header)
                if (header.format, header.space, header.dimension) != (_FORMAT, space, dimension):
                    return None
                if mark_at(header.sequence) != header.mark:
                    return None
                pieces = {each: self._read(each, dimension) for each in header.pieces}
            except (OSError, msgspec.DecodeError, ValueError):
                if self._now() == self._known:
                    return None  # a damaged or vanished cache is no more than a missing one
                continue
            self._pieces = pieces
            return SavedVectors(list(pieces.values()), header.sequence)
        return None

    def _read(self, kept: _KeptPiece, dimension: int) -> Piece:
        known = self._pieces.get(kept)
        if known is not None:
            return known
        paths = [self._folder / f"{kept.name}{suffix}" for suffix in _SUFFIXES]
        maps = [
            np.memmap(path, dtype=np.uint8, mode="r", shape=(kept.count, width)).view(np.ndarray)
            for path, width in zip(paths, (8, 2 * dimension), strict=True)
        ]
        if tuple(map(_sums, maps)) != kept.sums:
            raise ValueError(f"{kept.name}: not what was written")
        return Piece(maps[0].view("<i8").ravel(), maps[1], kept.name)

    def is_there(self) -> bool:
        """Whether there is a header."""
        return self._header().exists()

    def is_newer(self) -> bool:
        """Whether somebody has written the header since it was read."""
        return self._now() != self._known

    def save(
        self, pieces: Sequence[Piece], sequence: int, *, space: str, dimension: int, mark: str
    ) -> list[Piece] | None:
        """Keep `pieces`, and give them back as they lie in their files. None when they are not
        kept: the folder cannot be written, or somebody else has written the header since it was
        read here. To fail is harmless."""
        if not self._writable:
            return None
        written: list[str] = []
        try:
            self._folder.mkdir(exist_ok=True)
            with self._alone(wait=False) as alone:
                if not alone or self.is_newer():
                    return None
                known = {each.name: kept for kept, each in self._pieces.items()}
                names: list[_KeptPiece] = []
                for piece in pieces:
                    if piece.name not in known:
                        written.append(self._new_name(sequence))
                    names.append(known.get(piece.name) or self._write(written[-1], piece))
                header = _Header(
                    format=_FORMAT,
                    space=space,
                    mark=mark,
                    sequence=sequence,
                    dimension=dimension,
                    pieces=tuple(names),
                )
                return self._replace(header, dimension)
        except (OSError, ValueError):
            for name in written:
                self._drop(name)
            return None

    def _new_name(self, sequence: int) -> str:
        """A name that no file in the folder has."""
        stem = f"{self._slug}.{sequence}.{os.getpid()}"
        return next(
            name
            for name in (f"{stem}.{n}" for n in count())
            if not (self._folder / f"{name}{_SUFFIXES[0]}").exists()
        )

    def _write(self, name: str, piece: Piece) -> _KeptPiece:
        sums: list[tuple[int, ...]] = []
        values = (piece.numbers.astype("<i8"), piece.codes)
        for suffix, array in zip(_SUFFIXES, values, strict=True):
            plain = np.ascontiguousarray(array)
            plain.tofile(self._folder / f"{name}{suffix}")
            sums.append(_sums(plain))
        return _KeptPiece(name, len(piece.numbers), tuple(sums))

    def _replace(self, header: _Header, dimension: int) -> list[Piece]:
        pieces = {each: self._read(each, dimension) for each in header.pieces}
        encoded = msgspec.json.encode(header)
        temporary = self._folder / f"{self._slug}.{os.getpid()}.new"
        temporary.write_bytes(encoded)
        temporary.replace(self._header())
        self._known, self._pieces = encoded, pieces
        self._sweep({f"{each.name}{s}" for each in header.pieces for s in _SUFFIXES})
        return list(pieces.values())

    def remove(self) -> None:
        """Delete what is kept."""
        with suppress(OSError), self._alone(wait=True):
            self._header().unlink(missing_ok=True)
            self._sweep(set())
        self._known, self._pieces = None, {}

    def _sweep(self, kept: set[str]) -> None:
        for path in self._folder.glob(f"{self._slug}.*"):
            if path.name not in kept and path != self._header():
                path.unlink(missing_ok=True)

    def _drop(self, name: str) -> None:
        for suffix in _SUFFIXES:
            with suppress(OSError):
                (self._folder / f"{name}{suffix}").unlink(missing_ok=True)

    def _header(self) -> Path:
        return self._folder / f"{self._slug}.json"

    def _now(self) -> bytes | None:
        try:
            return self._header().read_bytes()
        except OSError:
            return None

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


def _sums(data: NDArray[Any]) -> tuple[int, ...]:
    """Of every mebibyte of `data` the sum of its little-endian 64-bit words, the last filled up
    with zeros. No damaged byte leaves a sum as it was, nor does a block that stands in another's
    place."""
    flat: NDArray[np.uint8] = data.reshape(-1).view(np.uint8)
    found: list[int] = [len(flat)]
    for start in range(0, len(flat), _SUMMED):
        block = flat[start : start + _SUMMED]
        if len(block) % 8:
            block = np.concatenate([block, np.zeros(-len(block) % 8, dtype=np.uint8)])
        found.append(int(np.add.reduce(block.view("<u8"), dtype=np.uint64)))
    return tuple(found)

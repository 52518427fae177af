"""Vectors of parts of a passage (its sentences) as they are kept: six bits a dimension.

A vector is turned (`rotation.py`), after which none of its numbers is much greater
than the others, whatever the model. Each is kept as one of sixty-four levels at equal distances,
from the least to the greatest that its own vector needs, with a scale that gives the vector
length 1 again. A cosine is off by .0014 at one standard deviation in 384 dimensions, by less in
more (at four bits, .006, gold passages changed their places). Below 64 dimensions parts are kept as
float16.

A packed blob begins with a byte that says so. A part is a scale, float16; then the upper four
bits of the levels, those of the first half of the dimensions in the lower bits of the bytes, of the
second half in the upper ones; then the lower two bits, those of the four quarters likewise.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from quipu.index.rotation import Codes, decoded, rotated, turned, turned_back, turned_dimension
from quipu.ports import Cosines, Vectors

__all__ = ["best_of", "pack", "unpack"]

_LEAST = 64  # dimensions
_MARK = b"\x06"
_SCALE = 2  # bytes
_MOST = 63  # the greatest level
_MIDDLE = np.float32(_MOST / 2)


def pack(every: Sequence[NDArray[np.float16]]) -> list[bytes]:
    """The blob of each of `every` float16[m, d], rows of length 1 or 0; empty for no rows. What
    `unpack` gives packs to the same bytes."""
    dimension = every[0].shape[1] if every else 0
    if dimension < _LEAST:
        return [rows.tobytes() for rows in every]
    packed = _packed(np.concatenate(every).astype(np.float32))
    ends = list(accumulate(map(len, every)))
    return [
        _MARK + packed[start:end].tobytes() if start < end else b""
        for start, end in pairwise((0, *ends))
    ]


def _packed(rows: Vectors) -> NDArray[np.uint8]:
    columns = rotated(rows)
    most = np.abs(columns).max(axis=1, initial=0.0, keepdims=True)
    columns *= _MIDDLE / np.where(most > 0, most, np.float32(1))
    codes = np.minimum(columns + (_MIDDLE + np.float32(0.5)), np.float32(_MOST)).astype(np.uint8)
    levels = codes.astype(np.float32) - _MIDDLE
    scales = rows.any(axis=1) / np.sqrt(np.square(levels).sum(axis=1))
    packed = np.empty((len(rows), _width(rows.shape[1])), dtype=np.uint8)
    packed[:, :_SCALE] = scales.astype("<f2")[:, None].view(np.uint8)
    upper = [each >> 2 for each in np.split(codes, 2, axis=1)]
    lower = [(each & 3) << 2 * place for place, each in enumerate(np.split(codes, 4, axis=1))]
    together = (upper[0] | upper[1] << 4, lower[0] | lower[1] | lower[2] | lower[3])
    packed[:, _SCALE:] = np.concatenate(together, axis=1)
    return packed


def unpack(blobs: Sequence[bytes], dimension: int) -> tuple[Vectors, list[int]]:
    """float32[m, d], the parts of all blobs one below the other, and how many each blob has."""
    counts = [_count(blob, dimension) for blob in blobs]
    if dimension < _LEAST:
        return _plain(blobs, dimension), counts
    return turned_back(_turned(blobs, dimension), dimension), counts


def best_of(blobs: Sequence[bytes], vector: NDArray[np.float32]) -> Cosines:
    """float64[n]: of each blob the best cosine of its parts with `vector`; -1 where it has none."""
    dimension = len(vector)
    counts = np.array([_count(blob, dimension) for blob in blobs], dtype=np.int64)
    best = np.full(len(counts), -1.0)
    filled = counts > 0
    if filled.any():
        small = dimension < _LEAST
        scores = _plain(blobs, dimension) @ vector if small else _cosines(blobs, vector)
        best[filled] = np.maximum.reduceat(scores, (np.cumsum(counts) - counts)[filled])
    return best


def _width(dimension: int) -> int:
    """Bytes of a packed part."""
    return _SCALE + turned_dimension(dimension) * 3 // 4


def _count(blob: bytes, dimension: int) -> int:
    return len(blob) // (2 * dimension if dimension < _LEAST else _width(dimension))


def _plain(blobs: Sequence[bytes], dimension: int) -> Vectors:
    codes = np.frombuffer(b"".join(blobs), dtype=np.uint8)
    return decoded(codes).reshape(-1, dimension)


def _read(blobs: Sequence[bytes], dimension: int) -> tuple[NDArray[np.float32], Codes]:
    """Of packed parts the scales float32[m] and the levels uint8[m, turned_dimension]."""
    width = turned_dimension(dimension)
    together = b"".join([blob[1:] for blob in blobs])
    rows = np.frombuffer(together, dtype=np.uint8).reshape(-1, _width(dimension))
    scales = rows[:, :_SCALE].copy().view("<f2").astype(np.float32)[:, 0]
    half, quarter = width // 2, width // 4
    upper, lower = rows[:, _SCALE : _SCALE + half], rows[:, _SCALE + half :]
    levels = np.empty((len(rows), width), dtype=np.uint8)
    np.bitwise_and(upper, 15, out=levels[:, :half])
    np.right_shift(upper, 4, out=levels[:, half:])
    levels <<= 2
    for place in range(4):
        levels[:, place * quarter : (place + 1) * quarter] |= lower >> 2 * place & 3
    return scales, levels


def _turned(blobs: Sequence[bytes], dimension: int) -> Vectors:
    """float32[m, turned_dimension]: packed parts, turned as they are kept."""
    scales, levels = _read(blobs, dimension)
    found = levels.astype(np.float32)
    found -= _MIDDLE
    found *= scales[:, None]
    return found


def _cosines(blobs: Sequence[bytes], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32[m]: of packed parts with `vector`, told by their levels alone."""
    scales, levels = _read(blobs, len(vector))
    asked = turned(vector)[0]
    return (levels.astype(np.float32) @ asked - _MIDDLE * asked.sum()) * scales

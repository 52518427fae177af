"""Pieces of a vector index: vectors that came together, and how the best of them are found.

Of many vectors the signs are compared first: where those of two vectors differ in `h` of `d`
dimensions their cosine is about cos(π h / d) (Charikar 2002, "Similarity estimation techniques from
rounding algorithms"). Nothing is trained or kept: signs are read off the vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from quipu.index.rotation import Codes, decoded
from quipu.index.sets import places_in

__all__ = ["MOST", "Guess", "Mask", "Piece", "joined", "scores_of"]

MOST = 131_072
"""Vectors beyond which pieces are not put together: so much is written at most when few came."""

_BLOCK = 1024  # rows that are decoded at a time: they stay in the processor's cache

Mask = NDArray[np.bool_]
Signs = NDArray[np.uint64]


class Guess(NamedTuple):
    """Places in a piece, and about what cosine each has."""

    places: NDArray[np.intp]
    cosines: NDArray[np.float32]


@dataclass(slots=True, eq=False)
class Piece:
    """`numbers` int64[n] ascending and `codes`, the bytes of float16[n, d]; under `name` it is
    kept in a file."""

    numbers: NDArray[np.int64]
    codes: Codes
    name: str = ""
    _signs: Signs | None = field(default=None, repr=False)

    @classmethod
    def of(cls, vectors: Sequence[tuple[int, bytes]], dimension: int) -> Self:
        """The piece of (number, float16[d]) in ascending order of the numbers."""
        numbers = np.fromiter((n for n, _ in vectors), dtype=np.int64, count=len(vectors))
        together = np.frombuffer(b"".join(v for _, v in vectors), dtype=np.uint8)
        return cls(numbers, together.reshape(-1, 2 * dimension))

    def find(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.intp], Mask]:
        """Where each of `numbers` stands (0 when it does not), and whether it does."""
        return places_in(self.numbers, numbers)

    def every(self, query: NDArray[np.float32], admitted: Mask) -> Guess:
        """All admitted places, with their cosines."""
        places = np.flatnonzero(admitted)
        everything = len(places) == len(self.codes)
        return Guess(places, scores_of(self.codes, None if everything else places, query))

    def likeliest(self, query: NDArray[np.float32], admitted: Mask, limit: int) -> Guess:
        """The admitted places whose signs differ least from the query's: `limit` of them."""
        if self._signs is None:
            self._signs = _signs_of(self.codes)
        asked = _packed(query[None] < 0)[0]
        apart = np.zeros(len(self.codes), dtype=np.uint16)
        for column, word in zip(self._signs, asked, strict=True):
            apart += np.bitwise_count(column ^ word)
        places = np.flatnonzero(admitted)
        apart = apart[places]
        if limit < len(places):
            chosen = np.argpartition(apart, limit)[:limit]
            places, apart = places[chosen], apart[chosen]
        return Guess(places, np.cos(apart * (np.pi / len(query))).astype(np.float32))

    def best(
        self, query: NDArray[np.float32], admitted: Mask, needed: int, error: float
    ) -> NDArray[np.intp]:
        """Places among which the `needed` best of the admitted are, whatever `error` the scores
        may have; every admitted vector is scored here."""
        places, scores = self.every(query, admitted)
        if len(scores) <= needed:
            return places
        bar = np.partition(scores, len(scores) - needed)[len(scores) - needed] - error
        return places[scores >= bar]


def _signs_of(codes: Codes) -> Signs:
    """uint64[w, n]: which numbers of each vector are negative, 64 of them a word."""
    blocks = [
        _packed(codes[start : start + _BLOCK].view("<i2") < 0)
        for start in range(0, len(codes), _BLOCK)
    ]
    return np.ascontiguousarray(np.concatenate(blocks).T)


def _packed(negative: Mask) -> Signs:
    """uint64[n, w] of bool[n, d]."""
    negative = np.pad(negative, ((0, 0), (0, -negative.shape[1] % 64)))
    return np.packbits(negative, axis=1).view(np.uint64)


def scores_of(
    codes: Codes, places: NDArray[np.intp] | None, query: NDArray[np.float32]
) -> NDArray[np.float32]:
    """float32[n]: the rows at `places` (None: all, in their order) against the query."""
    scores = np.empty(len(codes) if places is None else len(places), dtype=np.float32)
    for start in range(0, len(scores), _BLOCK):
        block = slice(start, start + _BLOCK)
        rows = codes[block] if places is None else codes[places[block]]
        np.einsum("ij,j->i", decoded(rows), query, out=scores[block])
    return scores


def joined(pieces: Sequence[tuple[Piece, Mask]]) -> Piece:
    """One piece of what the masks let stay, of which no number may be there twice."""
    numbers = np.concatenate([each.numbers[mask] for each, mask in pieces])
    order = np.argsort(numbers, kind="stable")
    codes = np.concatenate([each.codes[mask] for each, mask in pieces])
    if (order[1:] < order[:-1]).any():
        codes = codes[order]
    return Piece(numbers[order], codes)

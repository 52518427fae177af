"""Pieces of a vector index: vectors that came together, and how the best of them are found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from quipu.index.codes import Codes, decoded
from quipu.index.scan import ExactScan, Guess, SketchScan
from quipu.index.sketch import sketched

__all__ = ["MOST", "Mask", "Piece", "joined", "scores_of"]

MOST = 131_072
"""Vectors beyond which pieces are not put together: so much is written at most when few came."""

_BLOCK = 1024  # rows that are decoded at a time: they stay in the processor's cache

Mask = NDArray[np.bool_]


@dataclass(slots=True, eq=False)
class Piece:
    """`numbers` int64[n] ascending and `codes`, the bytes of float16[n, d]; under `name` it is
    kept in a file."""

    numbers: NDArray[np.int64]
    codes: Codes
    name: str = ""
    _sketches: Codes | None = None
    _exact: ExactScan | None = field(default=None, repr=False)
    _scan: SketchScan | None = field(default=None, repr=False)

    @classmethod
    def of(cls, vectors: Sequence[tuple[int, bytes]], dimension: int) -> Self:
        """The piece of (number, float16[d]) in ascending order of the numbers."""
        numbers = np.fromiter((n for n, _ in vectors), dtype=np.int64, count=len(vectors))
        together = np.frombuffer(b"".join(v for _, v in vectors), dtype=np.uint8)
        return cls(numbers, together.reshape(-1, 2 * dimension))

    def sketches(self) -> Codes:
        """The sketches of its vectors, made when they are not there."""
        if self._sketches is None:
            self._sketches = sketched(self.codes)
        return self._sketches

    def exact(self) -> ExactScan:
        """FAISS over its vectors."""
        if self._exact is None:
            self._exact = ExactScan(self.codes)
        return self._exact

    def scan(self) -> SketchScan:
        """FAISS over its sketches."""
        if self._scan is None:
            self._scan = SketchScan(self.sketches(), self.codes.shape[1] // 2)
        return self._scan

    def find(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.intp], Mask]:
        """Where each of `numbers` stands (0 when it does not), and whether it does."""
        at = np.searchsorted(self.numbers, numbers)
        at[at == len(self.numbers)] = 0
        if not len(self.numbers):
            return at, np.zeros(len(numbers), dtype=np.bool_)
        return at, self.numbers[at] == numbers

    def every(self, query: NDArray[np.float32], admitted: Mask) -> Guess:
        """All admitted places, with their cosines."""
        places = np.flatnonzero(admitted)
        everything = len(places) == len(self.codes)
        return Guess(places, scores_of(self.codes, None if everything else places, query))

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
    sketches = np.concatenate([each.sketches()[mask] for each, mask in pieces])
    if (order[1:] < order[:-1]).any():
        codes, sketches = codes[order], sketches[order]
    return Piece(numbers[order], codes, _sketches=sketches)

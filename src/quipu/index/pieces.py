"""Pieces of a vector index: vectors that came together, where they stand among the rows of the
postings, and how the best of them are found.

Of many vectors the signs are compared first: where those of two vectors differ in `h` of `d`
dimensions their cosine is about cos(π h / d) (Charikar 2002, "Similarity estimation techniques from
rounding algorithms"). Nothing is trained or kept: signs are read off the vectors. What they propose
is scored exactly until nothing else is likely to belong.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from quipu.index.postings import Postings
from quipu.index.rotation import Codes, decoded
from quipu.index.sets import places_in

__all__ = ["ERROR", "MOST", "Mask", "Piece", "Placed", "by_signs", "joined", "packed", "place"]

MOST = 131_072
"""Vectors beyond which pieces are not put together: so much is held twice at most."""

_BLOCK = 1024  # rows that are decoded at a time: they stay in the processor's cache
_WORD_BITS = 64

Mask = NDArray[np.bool_]
Signs = NDArray[np.uint64]


class Guess(NamedTuple):
    """Places in a piece, and about what cosine each has."""

    places: NDArray[np.intp]
    cosines: NDArray[np.float32]


@dataclass(slots=True, eq=False)
class Piece:
    """`numbers` int64[n] ascending and `codes`, the bytes of float16[n, d]; whether it lies in a
    file."""

    numbers: NDArray[np.int64]
    codes: Codes
    is_kept: bool = False
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
    negative = np.pad(negative, ((0, 0), (0, -negative.shape[1] % _WORD_BITS)))
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


ERROR = 4e-6
"""Sums of float32: twice what a score may be off."""

_SCATTERED = 16  # pieces beyond twice as many as need be, from which they are put together
_SURE = 3.0  # standard deviations
_FIRST = 2000  # proposals that are scored at a time
_PROPOSED = 4  # times as many are proposed, which costs less than to propose once more


@dataclass(slots=True)
class Placed:
    """Where a piece's vectors stand among the postings' rows, and which are alive."""

    piece: Piece
    current: Mask
    """Those of which no later piece has another vector."""
    rows: NDArray[np.intp]
    alive: Mask
    together: slice | None = None
    """The rows, where they follow each other."""

    def admitted(self, mask: Mask | None) -> Mask:
        """Which of them are alive and among the rows of `mask` (None: all)."""
        if mask is None:
            return self.alive
        return self.alive & mask[self.rows if self.together is None else self.together]


def place(each: Placed, postings: Postings) -> None:
    """Look up where the piece stands now; what stands where it stood is not searched for."""
    numbers, every = each.piece.numbers, postings.numbers
    if len(each.rows) and len(every) > int(each.rows.max()):
        rows = each.rows.copy()
        moved = np.flatnonzero(every[rows] != numbers)
        alive = postings.alive[rows]
        if len(moved):
            rows[moved], alive[moved] = postings.rows_of(numbers[moved])
    else:
        rows, alive = postings.rows_of(numbers)
    each.rows, each.alive = rows, alive & each.current
    follow = bool(len(rows)) and bool(alive.all()) and int(rows[-1] - rows[0]) == len(rows) - 1
    each.together = slice(int(rows[0]), int(rows[-1]) + 1) if follow else None


def packed(placed: Sequence[Placed]) -> list[Piece] | None:
    """What is alive, as few pieces; None while there are not many, and most of them is alive."""
    groups: list[list[Placed]] = [[]]
    size = total = 0
    for each in placed:
        alive, total = int(np.count_nonzero(each.alive)), total + len(each.alive)
        if groups[-1] and size + alive > MOST:
            groups.append([])
            size = 0
        groups[-1].append(each)
        size += alive
    left = sum(int(np.count_nonzero(each.alive)) for each in placed)
    if len(placed) <= 2 * len(groups) + _SCATTERED and 2 * left > total:
        return None
    return [
        joined([(each.piece, each.alive) for each in group])
        for group in groups
        if any(each.alive.any() for each in group)
    ]


def by_signs(
    parts: Sequence[Placed],
    admitted: Sequence[Mask],
    counts: Sequence[int],
    query: NDArray[np.float32],
    needed: int,
    *,
    few: int,
) -> list[NDArray[np.intp]]:
    """Of each part the places that signs propose, enough of them; of a part of which `few` or
    less are admitted, all.

    Signs are off by what looks drawn from one normal distribution, and the candidates that they
    hold for the worst show it: are the exact scores of those so much lower than the `needed`-th of
    all (`_SURE` standard deviations) that none of what lies behind them is likely to belong?
    Otherwise more are scored.
    """
    step = max(_FIRST, 2 * needed)
    limit, total = _PROPOSED * step, sum(counts)
    while True:
        guesses = [
            each.piece.likeliest(query, mask, limit)
            if count > few
            else each.piece.every(query, mask)
            for each, mask, count in zip(parts, admitted, counts, strict=True)
        ]
        cosines = np.concatenate([each.cosines for each in guesses])
        places = np.concatenate([each.places for each in guesses])
        owner = np.repeat(np.arange(len(parts)), [len(each.places) for each in guesses])
        order = np.argsort(-cosines, kind="stable")[:limit]
        scores = np.empty(len(order), dtype=np.float32)
        for start in range(0, len(order), step):
            end = min(start + step, len(order))
            for part, each in enumerate(parts):
                some = start + np.flatnonzero(owner[order[start:end]] == part)
                scores[some] = scores_of(each.piece.codes, places[order[some]], query)
            bar = _bar(scores[:end], needed)
            worst = scores[end - (end - start + 3) // 4 : end]
            if end == total or (end > needed and bar >= worst.mean() + _SURE * worst.std()):
                chosen = order[:end][scores[:end] >= bar - ERROR]
                return [places[chosen[owner[chosen] == part]] for part in range(len(parts))]
        limit *= 2


def _bar(scores: NDArray[np.float32], needed: int) -> float:
    """The `needed`-th best score; below all where there are fewer."""
    if len(scores) <= needed:
        return -np.inf
    return float(np.partition(scores, len(scores) - needed)[len(scores) - needed])

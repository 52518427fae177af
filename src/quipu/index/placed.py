"""Pieces among the rows of the postings: what of them is alive, which are put together, and what
their signs propose, scored exactly until nothing else is likely to belong."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quipu.index.pieces import MOST, Mask, Piece, joined, scores_of
from quipu.index.postings import Postings

__all__ = ["ERROR", "Placed", "by_signs", "merged", "place"]

ERROR = 4e-6
"""Sums of float32: twice what a score may be off."""

_SURE = 3.0  # standard deviations


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


def merged(placed: Sequence[Placed]) -> list[Piece]:
    """The pieces to be kept: from the end on those are put together that are no larger than what
    follows, as far as what is written stays bounded; so a vector is written a few times at most."""
    groups: list[list[Placed]] = []
    for each in placed:
        groups.append([each])
        while len(groups) > 1:
            size, before = _size(groups[-1]), _size(groups[-2])
            if before > size or before + size > MOST:
                break
            groups[-2:] = [groups[-2] + groups[-1]]
    return [_one(group) for group in groups if _size(group)]


def _size(group: Sequence[Placed]) -> int:
    return sum(int(np.count_nonzero(each.alive)) for each in group)


def _one(group: Sequence[Placed]) -> Piece:
    """The piece as it is; another one when it is of several, or mostly of what has left."""
    first = group[0]
    if len(group) == 1 and 2 * _size(group) > len(first.alive):
        return first.piece
    return joined([(each.piece, each.alive) for each in group])


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
    step = max(2000, 2 * needed)
    limit, total = 4 * step, sum(counts)
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

"""Pieces among the rows of the postings: what of them is alive, and which are put together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quipu.index.pieces import MOST, Mask, Piece, joined
from quipu.index.postings import Postings

__all__ = ["Placed", "merged", "place"]


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
    settled: bool = True
    """Whether the piece stays as it is, so that sketching it pays."""

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

"""What sketches propose, scored exactly until nothing else is likely to belong."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quipu.index.pieces import Mask, scores_of
from quipu.index.placed import Placed
from quipu.index.sketch import turned

__all__ = ["ERROR", "by_sketch"]

ERROR = 4e-6
"""FAISS sums float32; twice what its scores may be off."""

_FIRST = 1000  # proposals that are scored at a time
_PROPOSED = 4  # times as many are proposed, which costs less than to propose once more
_MORE = 2  # times as many are proposed where those were not enough
_SURE = 3.0  # standard deviations


def by_sketch(
    parts: Sequence[Placed],
    admitted: Sequence[Mask],
    counts: Sequence[int],
    query: NDArray[np.float32],
    needed: int,
    *,
    few: int,
) -> list[NDArray[np.intp]]:
    """Of each part the places that sketches propose, enough of them; of a part of which `few` or
    less are admitted, all.

    Sketches are off by what looks drawn from one normal distribution, and the candidates that they
    hold for the worst show it: are the exact scores of those so much lower than the `needed`-th of
    all (`_SURE` standard deviations) that none of what lies behind them is likely to belong?
    Otherwise more are scored.
    """
    asked = turned(query)
    step = max(_FIRST, 2 * needed)
    wanted, total = _PROPOSED * step, sum(counts)
    while True:
        guesses = [
            each.piece.scan().best(asked, mask, count, wanted)
            if count > few and each.settled
            else each.piece.every(query, mask)
            for each, mask, count in zip(parts, admitted, counts, strict=True)
        ]
        cosines = np.concatenate([each.cosines for each in guesses])
        places = np.concatenate([each.places for each in guesses])
        owner = np.repeat(np.arange(len(parts)), [len(each.places) for each in guesses])
        order = np.argsort(-cosines, kind="stable")[:wanted]
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
        wanted *= _MORE


def _bar(scores: NDArray[np.float32], needed: int) -> float:
    """The `needed`-th best score; below all where there are fewer."""
    if len(scores) <= needed:
        return -np.inf
    return float(np.partition(scores, len(scores) - needed)[len(scores) - needed])

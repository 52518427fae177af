"""The best tree over words, given how well each word would do as the head of each other."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_tree"]

_ROOT_COST = 1e4


def best_tree(scores: NDArray[np.float32]) -> NDArray[np.int64]:
    """The head of each of n words in the best tree with one root: int64[n], the root's is -1.

    `scores` float32[n, n + 1]: a row a word, a column a head; the first column is to be the root.
    Chu and Liu 1965, Edmonds 1967; no words have no heads.
    """
    count = len(scores)
    if count == 0:
        return np.zeros(0, np.int64)
    weights = np.full((count + 1, count + 1), -np.inf)
    weights[1:] = scores
    np.fill_diagonal(weights, -np.inf)
    heads = weights.argmax(1)
    if (heads[1:] == 0).sum() != 1 or _ring(heads) is not None:
        weights[1:, 0] -= _ROOT_COST  # so high that no tree has two
        heads = _edmonds(weights)
    return heads[1:].astype(np.int64) - 1


def _ring(heads: NDArray[np.int64]) -> list[int] | None:
    """Nodes that lead to each other in a ring, if any do."""
    seen = np.zeros(len(heads), np.int64)
    for start in range(1, len(heads)):
        node = start
        while node and not seen[node]:
            seen[node] = start
            node = int(heads[node])
        if node and seen[node] == start:
            ring = [node]
            while int(heads[ring[-1]]) != node:
                ring.append(int(heads[ring[-1]]))
            return ring
    return None


def _edmonds(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The best tree's heads; `weights[d, h]`, node 0 is the root and has none."""
    heads = weights.argmax(1)
    heads[0] = 0
    ring = _ring(heads)
    if ring is None:
        return heads
    outside = [node for node in range(len(weights)) if node not in ring]
    size = len(outside)
    held = weights[ring, heads[ring]]
    into = weights[np.ix_(ring, outside)] - held[:, None]
    out_of = weights[np.ix_(outside, ring)]
    small = np.full((size + 1, size + 1), -np.inf)
    small[:size, :size] = weights[np.ix_(outside, outside)]
    small[size, :size] = into.max(0)
    small[:size, size] = out_of.max(1)
    found = _edmonds(small)
    for node in range(1, size):
        head = int(found[node])
        heads[outside[node]] = ring[int(out_of[node].argmax())] if head == size else outside[head]
    entry = int(found[size])
    broken = int(into[:, entry].argmax())
    heads[ring[broken]] = outside[entry]
    return heads

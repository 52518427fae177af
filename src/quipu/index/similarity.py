"""Cosine of stored vectors: float16 rows, summed in float64 a row at a time.

A row's score does not depend on how many rows are scored with it (a matrix product's would), so
every store ranks alike, ties included.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def unit(vector: NDArray[np.floating]) -> NDArray[np.float64]:
    """`vector` as float64 of length 1; a zero vector stays zero."""
    wide = np.asarray(vector, dtype=np.float64)
    length = float(np.sqrt((wide * wide).sum()))
    return wide / length if length > 0 else wide


def cosines(rows: NDArray[np.floating], query: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n]: each row of `rows` [n, d] (length 1 or 0) against the unit vector `query`."""
    return (rows.astype(np.float64) * query).sum(axis=1)


def best_of(
    parts: NDArray[np.float32], counts: Sequence[int], vector: NDArray[np.float32]
) -> NDArray[np.float64]:
    """float64[n]: of `parts` float32[m, d], of which `counts` belong to each chunk in turn, the
    best cosine with `vector`; -1 where a chunk has none."""
    each = np.array(counts, dtype=np.int64)
    best = np.full(len(each), -1.0)
    filled = each > 0
    if filled.any():
        starts = (np.cumsum(each) - each)[filled]
        best[filled] = np.maximum.reduceat(parts @ vector, starts)
    return best


def rounded(rows: NDArray[np.floating]) -> NDArray[np.float16]:
    """`rows` as a store keeps them."""
    return np.ascontiguousarray(rows, dtype=np.float16)

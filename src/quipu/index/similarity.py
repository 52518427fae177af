"""Cosine of stored vectors: float16 rows, summed in float64 a row at a time.

A row's score does not depend on how many rows are scored with it (a matrix product's would), so
every store ranks alike, ties included.
"""

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


def rounded(rows: NDArray[np.floating]) -> NDArray[np.float16]:
    """`rows` as a store keeps them."""
    return np.ascontiguousarray(rows, dtype=np.float16)

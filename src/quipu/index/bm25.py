"""The one BM25, the same numbers in every store.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
Lucene's idf, which is never negative. Each function works on floats and on float64 arrays with
the same operations in the same order, so a store that scores one chunk at a time and one that
scores a column give the same bits. A chunk's score is the sum over its terms *in sorted order*.
"""

import math
from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", float, NDArray[np.float64])


def idf(df: int, count: int) -> float:
    """How much a term says that stands in `df` of `count` chunks; > 0."""
    return math.log(1.0 + (count - df + 0.5) / (df + 0.5))


def norm(length: Number, average: float, k1: float, b: float) -> Number:
    """What a chunk's length (in terms) adds below the fraction."""
    return k1 * ((1.0 - b) + b * (length / average))


def contribution(tf: Number, norm: Number, weight: float, k1: float) -> Number:
    """What a term adds to a chunk's score; `weight` is its idf times its query weight."""
    return weight * ((tf * (k1 + 1.0)) / (tf + norm))


def usable(terms: Mapping[str, float]) -> list[tuple[str, float]]:
    """The terms with a finite weight above zero, sorted: the others cannot add to a score."""
    return sorted((t, w) for t, w in terms.items() if w > 0 and math.isfinite(w))

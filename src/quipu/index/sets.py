"""Sets of numbers. numpy's `unique` and `isin` import its masked arrays, 10 ms at a cold start."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["distinct", "is_among", "places_in"]

S = TypeVar("S", bound=np.generic)


def distinct(values: NDArray[S]) -> NDArray[S]:
    """The different values, ascending."""
    ordered = np.sort(values, axis=None)
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def is_among(values: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of `values` [n] are one of `others`."""
    return places_in(np.sort(others, axis=None), values)[1]


def places_in(
    known: NDArray[Any], values: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each of `values` [n] stands in `known`, which ascends (0 when it does not), and whether
    it does."""
    at = np.searchsorted(known, values)
    at[at == len(known)] = 0
    if not len(known):
        return at, np.zeros(len(values), dtype=np.bool_)
    return at, known[at] == values

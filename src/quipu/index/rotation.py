"""Vectors as they are kept, the bytes of float16, and the rotation that parts are kept after.

After a fixed rotation each number of a vector looks drawn from a normal distribution with variance
1/d whatever the model (Ailon and Chazelle 2009, the fast Johnson–Lindenstrauss transform: random
signs and Hadamard matrices). Nothing is trained: it does not depend on what else is stored.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Codes",
    "decoded",
    "rotated",
    "turned",
    "turned_back",
    "turned_dimension",
]

_ROUNDS = 2
_SEED = 17

_HALF_BITS = np.uint32(0x8FFFE000).view(np.int32)  # sign, exponent, mantissa in float32's places
_HALF_SCALE = np.float32(2.0**112)  # between the biases of the exponents

Codes = NDArray[np.uint8]


def turned_dimension(dimension: int) -> int:
    """How many numbers a turned vector has: `dimension`, filled up to a multiple of four."""
    return -(-dimension // 4) * 4


@lru_cache(maxsize=8)
def _draws(width: int) -> list[tuple[NDArray[np.float32], NDArray[np.intp]]]:
    """Signs [width, 1] and an order for each round; raw bits, since what numpy draws from them
    may change between its versions."""
    bits = np.random.PCG64(_SEED)
    made: list[tuple[NDArray[np.float32], NDArray[np.intp]]] = []
    for _ in range(_ROUNDS):
        signs = np.where(bits.random_raw(width) >> np.uint64(63), 1.0, -1.0).astype(np.float32)
        made.append((signs[:, None], np.argsort(bits.random_raw(width), kind="stable")))
    return made


def _mix(columns: NDArray[np.float32]) -> None:
    """The orthonormal Hadamard transform down float32[width, n], in place: over the powers of two
    of which the width is the sum, one block after the other."""
    start = 0
    width = len(columns)
    while start < width:
        size = 1 << ((width - start).bit_length() - 1)
        block = columns[start : start + size]
        half = 1
        while half < size:
            pairs = block.reshape(size // (2 * half), 2, half, -1)
            upper = pairs[:, 0] + pairs[:, 1]
            np.subtract(pairs[:, 0], pairs[:, 1], out=pairs[:, 1])
            pairs[:, 0] = upper
            half *= 2
        block *= np.float32(size**-0.5)
        start += size


def rotated(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32[n, turned_dimension]: `rows` float32[n, d] turned; lengths and angles stay. Additions
    only, in a fixed order, so that a row does not depend on the others."""
    count, dimension = rows.shape
    columns = np.zeros((turned_dimension(dimension), count), dtype=np.float32)
    columns[:dimension] = rows.T
    for signs, order in _draws(len(columns)):
        columns *= signs
        _mix(columns)
        columns = columns[order]
    return columns.T


def turned_back(rows: NDArray[np.float32], dimension: int) -> NDArray[np.float32]:
    """float32[n, dimension]: what `rotated` turned into `rows` float32[n, turned_dimension]."""
    columns = np.ascontiguousarray(rows.T)
    for signs, order in reversed(_draws(len(columns))):
        before = np.empty_like(columns)
        before[order] = columns
        _mix(before)
        columns = before * signs
    return np.ascontiguousarray(columns[:dimension].T)


@lru_cache(maxsize=8)
def _rotation(dimension: int) -> NDArray[np.float32]:
    return rotated(np.eye(dimension, dtype=np.float32))


def turned(query: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32[1, turned_dimension]: one vector float32[d] turned, by one product: a sixth of the
    time, and off by what rounding does."""
    return (query @ _rotation(len(query)))[None]


def decoded(codes: Codes) -> NDArray[np.float32]:
    """float32[n, d] of finite float16 codes uint8[n, 2 d]; numpy's own conversion takes three
    times as long."""
    bits = np.ascontiguousarray(codes).view("<i2").astype(np.int32)
    bits <<= 13
    bits &= _HALF_BITS
    values = bits.view(np.float32)
    values *= _HALF_SCALE
    return values

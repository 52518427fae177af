"""Part vectors at six bits a dimension: near enough, and stable."""

import numpy as np
import pytest

from quipu.index import parts

DIMENSIONS = [64, 100, 384, 1536]


def unit_rows(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    """Rows far from normal: a few great numbers, as some models make them."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    rows[:, :3] *= 8
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def packed(rows: np.ndarray) -> bytes:
    (blob,) = parts.pack([rows])
    return blob


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_cosine_is_off_by_little(dimension: int) -> None:
    rows = unit_rows(300, dimension)
    kept, counts = parts.unpack([packed(rows)], dimension)
    assert counts == [300]
    off = kept @ unit_rows(50, dimension, 1).astype(np.float32).T - rows.astype(np.float32) @ (
        unit_rows(50, dimension, 1).astype(np.float32).T
    )
    assert off.std() < 0.04 / dimension**0.5
    assert np.abs(np.linalg.norm(kept, axis=1) - 1).max() < 2e-3


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_what_was_unpacked_packs_to_the_same_bytes(dimension: int) -> None:
    blob = packed(unit_rows(200, dimension))
    again = parts.unpack([blob], dimension)[0].astype(np.float16)
    assert packed(again) == blob


def test_the_best_part_is_that_of_the_unpacked() -> None:
    blobs = [packed(unit_rows(4, 384, 1)), b"", packed(unit_rows(3, 384, 2))]
    vector = unit_rows(1, 384, 3)[0].astype(np.float32)
    kept, _ = parts.unpack(blobs, 384)
    best = [float((kept[:4] @ vector).max()), -1.0, float((kept[4:] @ vector).max())]
    assert parts.best_of(blobs, vector) == pytest.approx(best, abs=1e-5)
    assert parts.best_of([b"", b""], vector).tolist() == [-1.0, -1.0]

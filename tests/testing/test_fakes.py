"""The shipped fake keeps the promises of the Embedder port."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quipu.ports import Embedder
from quipu.testing.fakes import HashEmbedder

EMBEDDER: Embedder = HashEmbedder()


@given(st.lists(st.text(max_size=30), max_size=5))
def test_vectors_are_units_and_independent_of_their_batch(texts: list[str]) -> None:
    rows = EMBEDDER.embed(texts)
    assert rows.shape == (len(texts), EMBEDDER.dimension)
    for row, text in zip(rows, texts, strict=True):
        assert row.tobytes() == EMBEDDER.embed([text])[0].tobytes()
        assert np.isclose(row @ row, 1, atol=1e-5) or not row.any()


def test_parts_hold_the_words_that_start_in_their_span() -> None:
    vector, parts = EMBEDDER.embed_parts("red knot", [(0, 3), (4, 8), (8, 9)])
    red, knot, whole = EMBEDDER.embed(["red", "knot", "red knot"])
    assert parts[0].tobytes() == red.tobytes()
    assert parts[1].tobytes() == knot.tobytes()
    assert not parts[2].any()
    assert vector.tobytes() == whole.tobytes()

"""Which earlier fact a fact takes the place of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.records.fact_links import SURE, Told, link, packed_sketch, unpacked_sketch


def _sketch(*parts: float) -> np.ndarray:
    vector = np.array(parts, np.float32)
    return vector / np.linalg.norm(vector)


def _told(owner: str, value: str, said: str, day: int, sketch: np.ndarray, anew: float = 0) -> Told:
    return Told(owner, value, said, f"day-{day}", f"day-{day}#1", day, "Ann", anew, sketch)


RENT = _told("rent", "900 euros", "the rent is 900 euros", 1, _sketch(1, 0.1))
PORT = _told("port", "8443", "the port is 8443", 1, _sketch(0, 1))


def test_a_new_value_takes_the_place_of_what_told_of_the_same() -> None:
    new = _told("rent", "950 euros", "the rent is 950 euros now", 60, _sketch(1, 0), anew=0.9)
    at, sure = link(new, [PORT, RENT])
    assert at == 1
    assert sure >= SURE


def test_what_tells_of_another_thing_takes_nothings_place() -> None:
    new = _told("Bo", "Turku", "Bo lives in Turku", 60, _sketch(-1, -1))
    assert link(new, [PORT, RENT])[1] < SURE
    assert link(new, []) == (-1, 0.0)


@given(st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=40))
def test_a_sketch_is_kept_to_an_eighth_of_a_percent_or_so(parts: list[float]) -> None:
    vector = np.array([*parts, 1.0], np.float32)
    vector /= np.linalg.norm(vector)
    kept = unpacked_sketch(packed_sketch(vector))
    assert kept == pytest.approx(vector, abs=0.01)
    assert np.linalg.norm(kept) == pytest.approx(1, abs=1e-5)

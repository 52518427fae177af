"""The formula for questions that name a time, and its page."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.answer.asked_time import GENERAL, INTERCEPT, TABLE, asks_for_a_time, value_of, weaknesses
from quipu.answer.confidence import value_of as confidence_of

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "confidence.md").read_text("utf-8")
SHARES = st.floats(0, 1)


def test_the_page_shows_the_weights() -> None:
    (line,) = re.findall(r"value = 1 / \(1 \+ e\^-\((-?[\d.]+) \+ ([\d.]+) · log-odds", PAGE)
    assert [float(number) for number in line] == [INTERCEPT, GENERAL]
    for term in TABLE:
        assert f"| `{term.name}` | {term.weight:g} | {term.meaning} |" in PAGE


@given(SHARES, SHARES, st.floats(-20, 20))
def test_a_better_time_never_lowers_the_value(low: float, high: float, general: float) -> None:
    low, high = sorted((low, high))
    assert value_of(general, {"tfit": low}) <= value_of(general, {"tfit": high})


def test_a_fact_that_answers_leaves_the_general_formula() -> None:
    assert not asks_for_a_time({"tfit": None, "stated": 0.0})
    assert not asks_for_a_time({"tfit": 0.2, "stated": 1.0})
    assert asks_for_a_time({"tfit": 0.2, "stated": 0.0})
    assert confidence_of({"tfit": 0.0, "stated": 1.0}) == confidence_of({"stated": 1.0})


@given(SHARES, st.floats(-20, 20))
def test_a_name_that_nothing_knows_makes_it_unsure(fit: float, general: float) -> None:
    assert value_of(general, {"tfit": fit, "coverage": 0.3, "unknown_names": 1.0}) < 0.5


@pytest.mark.parametrize(("fit", "said"), [(0.1, True), (0.9, False)])
def test_a_time_that_nothing_speaks_of_is_named(fit: float, said: bool) -> None:
    spoken = weaknesses({"tfit": fit, "coverage": 1.0})
    assert (spoken == ["no passage speaks of the time that is asked about"]) is said

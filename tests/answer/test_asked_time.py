"""The formula for questions that name a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.answer import quoting
from quipu.answer.asked_time import FORMULA, asks_for_a_time
from quipu.answer.confidence import value_of as confidence_of

SHARES = st.floats(0, 1)


@given(SHARES, SHARES, st.floats(-20, 20))
def test_a_better_time_never_lowers_the_value(low: float, high: float, general: float) -> None:
    low, high = sorted((low, high))
    assert FORMULA.value_of({"general": general, "tfit": low}) <= FORMULA.value_of(
        {"general": general, "tfit": high}
    )


def test_a_fact_that_answers_leaves_the_general_formula() -> None:
    assert not asks_for_a_time({"tfit": None, "stated": 0.0})
    assert not asks_for_a_time({"tfit": 0.2, "stated": 1.0})
    assert asks_for_a_time({"tfit": 0.2, "stated": 0.0})
    assert confidence_of({"tfit": 0.0, "stated": 1.0}) == confidence_of({"stated": 1.0})


@given(SHARES, st.floats(-20, 20))
def test_a_name_that_nothing_knows_makes_it_unsure(fit: float, general: float) -> None:
    assert (
        FORMULA.value_of({"general": general, "tfit": fit, "coverage": 0.3, "unknown_names": 1.0})
        < 0.5
    )


@pytest.mark.parametrize(("fit", "said"), [(0.1, True), (0.9, False)])
def test_a_time_that_nothing_speaks_of_is_named(fit: float, said: bool) -> None:
    spoken = FORMULA.weaknesses({"tfit": fit, "coverage": 1.0})
    assert (spoken == ["no passage speaks of the time that is asked about"]) is said


def test_no_surer_than_what_is_quoted() -> None:
    asked = {"tfit": 1.0, "coverage": 1.0, "miss": 0.0, "unknown_names": 0.0, "stated": 0.0}
    quoted = {"worth": 0.2, "similarity": 0.3}
    assert confidence_of(asked | quoted) == quoting.FORMULA.value_of(asked | quoted)
    assert confidence_of(asked | quoted) < confidence_of(asked)


@given(SHARES, SHARES)
def test_prose_is_never_told_for_sure(fit: float, met: float) -> None:
    quoted = {"worth": 3.0, "similarity": 0.9, "met": met, "plain": 1.0, "margin": 1.0}
    assert confidence_of({"tfit": fit, "stated": 0.0, "coverage": 1.0, **quoted}) < 0.7

"""The formula for answers from conversations, and its page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.answer.confidence import FLOOR
from quipu.answer.formula import Term
from quipu.kinds.conversations.confidence import (
    ANSWERING,
    CORRECTNESS,
    FORMULA,
    TABLE,
)


@pytest.mark.parametrize(
    ("inputs", "value"),
    [
        ({"misattributed": 0.0, "attributed": 0.2, "said": 0.7, "cos1": 0.6, "miss": 0.0}, 0.427),
        ({"misattributed": -0.2, "attributed": 0.0, "said": 0.5, "cos1": 0.6, "miss": 0.5}, 0.070),
        ({"said": 0.6, "cos1": 0.6, "miss": 0.4}, 0.333),
        ({"said": 0.6, "cos1": 0.6, "miss": 0.4, "met": 0.8, "score1": 0.5}, 0.688),
        ({"said": 0.25, "cos1": 0.27, "miss": 0.6}, 0.037),
    ],
)
def test_values_worked_out_by_hand(inputs: dict[str, float | None], value: float) -> None:
    assert FORMULA.value_of(inputs) == pytest.approx(value, abs=2e-3)


@given(st.floats(-0.4, 0.0), st.floats(-0.4, 0.0))
def test_a_worse_attribution_is_never_surer(one: float, other: float) -> None:
    low, high = sorted((one, other))
    first, second = (FORMULA.value_of({"misattributed": each}) for each in (low, high))
    assert 0.0 <= first <= second <= 1.0


@given(st.sampled_from((*TABLE, *CORRECTNESS.table)), st.floats(0, 1), st.floats(0, 1))
def test_each_input_counts_in_the_direction_of_its_weight(
    term: Term, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    gain = FORMULA.value_of({term.name: high}) - FORMULA.value_of({term.name: low})
    assert gain * term.weight >= 0


@given(st.sampled_from(ANSWERING.table), st.floats(-1, 1), st.floats(-1, 1))
def test_each_input_counts_in_its_direction_where_turns_are_read(
    term: Term, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    gain = ANSWERING.value_of({term.name: high}) - ANSWERING.value_of({term.name: low})
    assert gain * term.weight >= 0


def test_a_formula_holds_where_its_inputs_are_known() -> None:
    read = {"said": 0.5, "likely": 0.3}
    assert ANSWERING.holds(read)
    assert not ANSWERING.holds({"said": 0.5, "likely": None})
    assert ANSWERING.holds({"said": None, "likely": 0.3})  # a file stood first


def test_what_is_hardly_near_is_below_the_floor() -> None:
    assert FORMULA.value_of({"said": 0.3, "cos1": 0.3, "miss": 0.6}) < FLOOR


def test_only_what_was_found_in_turns_is_from_a_conversation() -> None:
    assert FORMULA.holds({"said": 0.0})
    assert not FORMULA.holds({"cos1": 0.5, "said": None})

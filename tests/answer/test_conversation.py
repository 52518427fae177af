"""How sure an answer is that rests on turns."""

from hypothesis import given
from hypothesis import strategies as st

from quipu.answer.formula import Term
from quipu.kinds.conversations.answer import ANSWERING


@given(st.sampled_from(ANSWERING.table), st.floats(-1, 1), st.floats(-1, 1))
def test_each_input_counts_in_the_direction_of_its_weight(
    term: Term, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    gain = ANSWERING.value_of({term.name: high}) - ANSWERING.value_of({term.name: low})
    assert gain * term.weight >= 0


def test_the_formula_holds_where_turns_were_read() -> None:
    assert ANSWERING.holds({"likely": 0.3})
    assert not ANSWERING.holds({"cos1": 0.5, "likely": None})

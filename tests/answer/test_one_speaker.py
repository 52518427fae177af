"""The formula for questions about one speaker, and its page."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.answer.one_speaker import INTERCEPT, TABLE, is_about_one_speaker, value_of

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "one-speaker.md").read_text("utf-8")


def test_the_page_has_the_numbers_of_the_code() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (-?[\d.]+) \|", PAGE, re.MULTILINE))
    assert {name: float(weight) for name, weight in rows.items()} == {
        term.name: term.weight for term in TABLE
    }
    assert f"e^-({INTERCEPT} +" in PAGE


@pytest.mark.parametrize(
    ("inputs", "value"),
    [
        ({"misattributed": 0.0, "attributed": 0.2, "cos1": 0.6, "miss": 0.0}, 0.9309),
        ({"misattributed": -0.2, "attributed": 0.0, "cos1": 0.6, "miss": 0.5}, 0.0244),
        ({"misattributed": 0.0}, 0.657),
    ],
)
def test_values_worked_out_by_hand(inputs: dict[str, float | None], value: float) -> None:
    assert value_of(inputs) == pytest.approx(value, abs=1e-3)


@given(st.floats(-0.4, 0.0), st.floats(-0.4, 0.0))
def test_a_worse_attribution_is_never_surer(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= value_of({"misattributed": low}) <= value_of({"misattributed": high}) <= 1.0


def test_only_attributed_questions_are_about_one_speaker() -> None:
    assert is_about_one_speaker({"misattributed": 0.0})
    assert not is_about_one_speaker({"cos1": 0.5, "misattributed": None})

"""The page of the turns' scores prints the table of weights; this keeps the two equal."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from quipu.kinds.conversations.weights import TURNS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "turns.md").read_text("utf-8")
HIDDEN = {"calibration", "words_alone"}
NUMBERS = [field.name for field in fields(TURNS) if field.name not in HIDDEN]


@pytest.mark.parametrize("name", NUMBERS)
def test_the_page_has_the_number_of_the_code(name: str) -> None:
    match = re.search(rf"^\| `{name}` \| ([\d.]+) \|", PAGE, re.MULTILINE)
    assert match is not None
    assert float(match[1]) == getattr(TURNS, name)


def test_the_page_has_the_curve_of_the_code() -> None:
    curve = TURNS.calibration
    assert f"e^-({curve.slope:g} raw + {curve.cosine:g} cosine - {-curve.offset:g})" in PAGE


def test_the_page_has_no_other_numbers() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(NUMBERS)

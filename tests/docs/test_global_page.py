"""The page on the global mode says what the code does."""

import re
from pathlib import Path

import pytest

from quipu.answer.formula import Term
from quipu.kinds.reports.answer import FORMULA
from quipu.kinds.reports.candidates import REPORTS
from quipu.kinds.reports.model import ReflectionBudget

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "global.md").read_text("utf-8")
ROWS = {
    cells[0].strip("`"): cells[1:]
    for line in PAGE.splitlines()
    if line.startswith("| `") and (cells := [cell.strip() for cell in line.strip("|").split("|")])
}


@pytest.mark.parametrize("part", ["lexical", "similarity", "name", "size"])
def test_each_part_has_the_weight_of_the_code(part: str) -> None:
    assert float(ROWS[part][0]) == getattr(REPORTS, part)


@pytest.mark.parametrize("term", FORMULA.table, ids=lambda term: term.name)
def test_each_input_of_the_confidence_is_that_of_the_code(term: Term) -> None:
    name, weight, neutral, meaning, _ = term
    assert [float(cell) for cell in ROWS[name][:2]] == [weight, neutral]
    assert ROWS[name][2] == meaning


def test_the_other_numbers_are_those_of_the_code() -> None:
    assert f"intercept {FORMULA.intercept:g}." in PAGE
    assert f"{REPORTS.about_all:g} + {REPORTS.about_all_size:g} · `size`" in PAGE
    budget = ReflectionBudget()
    assert f"within {budget.communities} communities, {budget.characters:,} characters" in PAGE
    assert re.search(rf"up to {({8: 'eight'})[budget.sentences]} sentences", PAGE)

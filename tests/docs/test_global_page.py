"""The page on the global mode says what the code does."""

import re
from pathlib import Path

from quipu.kinds.reports.model import ReflectionBudget

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "global.md").read_text("utf-8")


def test_the_budget_is_that_of_the_code() -> None:
    budget = ReflectionBudget()
    assert f"within {budget.communities} communities, {budget.characters:,} characters" in PAGE
    assert re.search(rf"up to {({8: 'eight'})[budget.sentences]} sentences", PAGE)

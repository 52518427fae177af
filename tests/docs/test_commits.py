"""The page of commits prints the tables of weights; this keeps the two equal."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from quipu.kinds.commits.model import CitationType
from quipu.kinds.commits.weights import COMMITS, FEATURES, MESSAGE, MESSAGE_AND_FILES
from quipu.records.schema import RelationType

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "commits.md").read_text("utf-8")
NUMBERS = [field.name for field in fields(COMMITS) if field.name != "calibration"]


@pytest.mark.parametrize("name", FEATURES)
def test_each_feature_has_the_weights_of_the_code(name: str) -> None:
    match = re.search(rf"^\| `{name}` \| (-?[\d.]+) \| (-?[\d.]+) \|", PAGE, re.MULTILINE)
    assert match is not None
    both = getattr(MESSAGE, name), getattr(MESSAGE_AND_FILES, name)
    assert (float(match[1]), float(match[2])) == both


@pytest.mark.parametrize("name", NUMBERS)
def test_the_page_has_the_number_of_the_code(name: str) -> None:
    match = re.search(rf"^\| `{name}` \| ([\d.]+) \|", PAGE, re.MULTILINE)
    assert match is not None
    assert float(match[1]) == getattr(COMMITS, name)


def test_the_page_has_the_curve_of_the_code() -> None:
    curve = COMMITS.calibration
    assert f"e^-({curve.slope:g} logit - {-curve.offset:g})" in PAGE


def test_the_page_has_no_other_numbers() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \| -?\d", PAGE, re.MULTILINE))
    assert rows == {*NUMBERS, *FEATURES}


def test_the_page_names_every_relation_of_a_commit() -> None:
    relations = {*CitationType.__args__, "MODIFIES", "AUTHORED_BY"}
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", PAGE, re.MULTILINE)) == relations
    assert relations <= {str(each) for each in RelationType}

"""The answer contract on fixtures: what holds passes, every hole of the schema is closed."""

import json
from pathlib import Path
from typing import Any

import pytest

from quipu.answer.contract import check, schema_errors

INPUTS = Path(__file__).parent / "fixtures" / "inputs"
VALID: dict[str, Any] = json.loads((INPUTS / "ANSWER-CONTRACT-valid.json").read_text("utf-8"))
INVALID: dict[str, Any] = json.loads((INPUTS / "ANSWER-CONTRACT-invalid.json").read_text("utf-8"))
KNOWN = frozenset(INVALID["known_ids"])


def test_the_valid_contract_holds() -> None:
    assert check(VALID, known_ids=KNOWN) == []
    assert schema_errors(VALID) == []


@pytest.mark.parametrize("case", INVALID["cases"], ids=lambda case: case["name"])
def test_an_invalid_contract_says_why(case: dict[str, Any]) -> None:
    errors = check(case["contract"], known_ids=KNOWN)
    assert any(case["expect"] in error for error in errors), errors


def test_an_unsure_answer_says_what_it_does_not_know() -> None:
    assert check(VALID, known_ids=KNOWN, confidence=0.7) == []
    assert check(VALID, known_ids=KNOWN, confidence=0.69) == [
        "limitations is blank although the answer is not asserted",
        "next_step is blank although the answer is not asserted",
    ]
    told = VALID | {"limitations": "It may be old.", "next_step": "Open [1]."}
    assert check(told, known_ids=KNOWN, confidence=0.1) == []

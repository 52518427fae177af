"""`quipu audit`: of a subject, or of everything."""

from typing import Any

import pytest

MYSQL = "The ledger service uses MySQL since March 2021."
SWITCH = "The ledger service switched from MySQL to Postgres in May 2025."


@pytest.fixture
def told(quipu: Any) -> Any:
    quipu("init")
    for text, day in ((MYSQL, "2024-02-01"), (SWITCH, "2025-06-10")):
        quipu("add", text, "--source-ref", f"{day}.md", "--observed-at", day)
    return quipu


def test_without_a_subject_it_is_the_whole_memory(told: Any) -> None:
    assert "facts: 3\nsuperseded: 2\n" in told("audit").out
    assert told("audit", "--json").document["superseded"] == 2


def test_a_date_needs_a_subject_and_has_to_be_one(told: Any) -> None:
    assert told("audit", "--as-of", "2024").code == 2
    wrong = told("audit", "ledger service", "--as-of", "never")
    assert (wrong.code, "'never' is no date" in wrong.err) == (2, True)

"""What relations of code are told for, and what they are no answer to."""

from collections.abc import Callable

import pytest
from tests.rows import rows

from quipu.records.reply import Reply

SURE = 0.7
FILES = dict(rows(__file__, "relations_asked_files"))

Ask = Callable[[str], Reply]


def _is_stated(reply: Reply, text: str) -> bool:
    return reply.confidence.value >= SURE and text in reply.contract.answer


def test_who_calls_a_function_is_told_by_code(ask: Ask) -> None:
    answer = ask("Who calls trim()?").contract.answer
    assert "`fasten` calls `trim`" in answer
    assert "README.md" not in answer


def test_documentation_that_names_a_function_does_not_call_it(ask: Ask) -> None:
    assert "refers to" not in ask("Who calls wipe()?").contract.answer
    assert "`README.md` refers to `wipe`" in ask("Which documents refer to wipe()?").contract.answer


def test_two_names_are_told_of_by_what_joins_them(ask: Ask) -> None:
    assert _is_stated(ask("Is Rope a subclass of Cord?"), "`Rope` extends `Cord`")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Does wipe() call trim()?", "calls `trim`"),
        ("Is Rope a subclass of KnotError?", "extends"),
        ("When is KnotError raised?", "raises `KnotError`"),
    ],
)
def test_a_relation_of_something_else_is_not_told(ask: Ask, question: str, told: str) -> None:
    assert not _is_stated(ask(question), told)


def test_how_many_are_called_is_not_sure_without_a_number(ask: Ask) -> None:
    assert ask("How many dependencies does knots have?").confidence.value < SURE


def test_names_of_code_keep_their_underscores(ask: Ask) -> None:
    assert "def init" not in ask("What is Thread for?").contract.answer

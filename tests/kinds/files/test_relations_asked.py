"""What relations of code are told for, and what they are no answer to."""

from collections.abc import Callable

import pytest

from quipu.records.reply import Reply

SURE = 0.7
FILES = {
    "README.md": "# Knots\n\nCall `trim()` before `fasten()`; `wipe()` is for the brave.\n",
    "pyproject.toml": '[project]\nname = "knots"\ndependencies = ["hemp", "jute", "sisal"]\n',
    "knots.py": (
        '"""Knots in cords."""\n\n\n'
        "class KnotError(Exception):\n"
        '    """A knot cannot be tied."""\n\n\n'
        "class Cord:\n"
        '    """A cord."""\n\n\n'
        "class Rope(Cord):\n"
        '    """A strong cord."""\n\n\n'
        "class Thread(Rope):\n"
        '    """A thin one.\n\n'
        "    It is made by::\n\n"
        "        def __init__(self, ends):\n"
        "            self.ends = ends\n"
        '    """\n\n\n'
        "def trim(cord):\n"
        '    """Cut the ends of a cord."""\n'
        "    if not cord:\n"
        '        raise KnotError("no cord")\n'
        "    return cord.strip()\n\n\n"
        "def fasten(cord):\n"
        '    """Tie a knot."""\n'
        "    return trim(cord) + trim(cord[::-1])\n\n\n"
        "def wipe(cord):\n"
        '    """Throw a cord away."""\n'
    ),
}

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

"""Questions for a kind of thing get such a thing, or less confidence."""

from collections.abc import Callable

import pytest
from tests.rows import rows
from tests.talk import ask

from quipu.answer import answer
from quipu.answer.contract import ASSERT_ABOVE
from quipu.answer.gate import AnswerDraft, Evidence
from quipu.answer.named import unborne
from quipu.memory import Memory
from quipu.question import read_question

NOW = "2026-11-22T01:05:00.000Z"
Remember = Callable[[dict[str, str]], Memory]
DOORS = {
    "doors/door.py": (
        '"""Doors."""\n\n\nclass Door:\n    """A door that can be opened.\n\n    Args:\n'
        "        width (int, optional): Width of the door. Defaults to 80.\n"
        "        colour (str): Any colour.\n"
        '    """\n\n    def __init__(self, width: int = 80, colour: str = "red") -> None:\n'
        "        self.width = width\n\n    def push(self, force: float = 2.5) -> bool:\n"
        '        """Open the door by force."""\n        return force > 2\n'
    ),
    "doors/knob.py": 'class Knob:\n    """Turns the lock of a door."""\n',
    "tests/test_door.py": "def door():\n    '''A door to test.'''\n    return 1\n",
    "README.md": "# Doors\n\nDoors for everybody. Licence: MIT.\n\nYou may copy the license.\n",
}


@pytest.fixture
def doors(remember: Remember) -> Memory:
    return remember(DOORS)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the default width of a Door?", "80"),
        ("What is the default force of Door.push?", "2.5"),
        ("Which class turns the lock?", "class Knob"),
        ("Which license do the doors have?", "MIT"),
        ("What does doors.Knob do?", "Turns the lock of a door"),
        ("Where is the class Door defined?", "`Door` is defined in `doors/door.py"),
    ],
)
def test_the_thing_that_is_asked_for_is_named(doors: Memory, question: str, said: str) -> None:
    found = doors.search(question)
    reply = answer(read_question(question), found, doors.store, clock=lambda: NOW, floor=0.0)
    assert said in reply.contract.answer


def test_a_definition_to_the_letter_comes_before_another_spelling(doors: Memory) -> None:
    assert "test_door" not in ask(doors, "Where is the class Door defined?").contract.answer


@pytest.mark.parametrize(
    "question",
    [
        "When was the door acquired?",
        "Who designed the door?",
        "What is the price of a door?",
        "Which environment variable locks the door?",
        "How many customers bought a door?",
        "Which functions does Knob have?",
    ],
)
def test_an_answer_without_such_a_thing_is_not_asserted(doors: Memory, question: str) -> None:
    assert ask(doors, question).confidence.value < ASSERT_ABOVE


@pytest.mark.parametrize(
    ("question", "told", "lacks"),
    rows(__file__, "nothing_without_a_number_or_a_time_answers_how_many_or_when"),
)
def test_nothing_without_a_number_or_a_time_answers_how_many_or_when(
    doors: Memory, question: str, told: str, lacks: tuple[str, ...]
) -> None:
    asked = read_question(question)
    cited = Evidence("c", "d", "a.md", 1, 1, "", "2 doors", False, ("c",), NOW, "0")
    assert unborne(asked, asked, AnswerDraft(told, (cited,)), doors.store, now=NOW) == lacks

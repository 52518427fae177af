"""Which kind of thing a question asks for, and whether a text names one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.answer.answer_type import holds
from quipu.question import Kind, read_question


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Which class draws the bar?", "class"),
        ("Which exception is raised on a bad value?", "class"),
        ("Which function opens the door?", "function"),
        ("What is the default timeout?", "default"),
        ("What is the default of limit?", "default"),
        ("Which Python version does it need?", "version"),
        ("How many doors are there?", "number"),
        ("What is the half-life of tin?", "number"),
        ("Which environment variable turns it off?", "variable"),
        ("Who built the door?", "person"),
        ("When was the door built?", "date"),
        ("When is the door closed?", "condition"),
        ("What is the price of a door?", "money"),
        ("What does the door do?", None),
        ("", None),
    ],
)
def test_the_kind_that_is_asked_for(question: str, kind: Kind | None) -> None:
    assert read_question(question).kind == kind


@pytest.mark.parametrize(
    ("question", "text", "held"),
    [
        ("Which class does Meter use?", "`class Meter(Mixin)`: Shows how far a job is.", False),
        ("Which class does Meter use?", "`class Stroke`: Draws the bar.", True),
        ("Which class does Meter inherit from?", "`class Meter(Mixin)`: Shows it.", True),
        ("Which class does Meter inherit from?", "`class Stroke(Line)`: Draws it.", False),
        ("Which function opens the door?", "`def push(door: Door)`: Opens it.", True),
        ("Which function opens the door?", "The door is heavy.", False),
        ("Which versions are broken?", "Versions up to 3.51 are broken.", True),
        ("Which versions are broken?", "It needs Python 3 or newer.", True),
        ("Which versions are broken?", "`connection.config(NO_CHECKPOINT, 1)`", False),
        ("What is the default width?", "`width: int = 80` in `door.py`", True),
        ("What is the default width?", "The width of the door.", False),
        ("How many kinds of door are there?", "Five kinds of door, ever.", True),
        ("How many kinds of door are there?", "A door of one kind has at most 200 nails.", False),
        ("Who built it?", "Ada Brown built it.", True),
        ("Who built it?", "It runs on `ADA Brown`, says the maintainer.", False),
        ("When was it built?", "You need a shell.", False),
        ("When was it built?", "It was built in March 1990.", True),
        ("When is it closed?", "It is closed when it rains.", True),
        ("What is the price of it?", "It is dear.", False),
        ("What is the price of it?", "It costs $5.", True),
    ],
)
def test_whether_a_text_names_such_a_thing(question: str, text: str, held: bool) -> None:
    kind = read_question(question).kind
    assert kind is not None
    assert holds(kind, text, read_question(question)) is held


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_raises(question: str, text: str) -> None:
    kind = read_question(question).kind or "class"
    assert holds(kind, text, read_question(question)) in {True, False}

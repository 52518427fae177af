"""What quoted prose replies to a question that is answered by yes or no."""

import pytest

from quipu.answer.yes_or_no import agrees
from quipu.question import read_question


@pytest.mark.parametrize(
    ("reply", "question", "said", "fits"),
    [
        ("Yes", "Is the gate switched on?", "The gate is switched on.", True),
        ("Yes", "Is the gate switched on?", "The gate is switched off.", False),
        ("Yes", "Is the hall free?", "The hall is not free.", False),
        ("No", "Is the hall free?", "The hall is free.", False),
        ("No", "Is the hall still free?", "The hall was free.", True),
        ("No", "Is the gate switched on?", "The gate is switched off.", True),
        ("Yes", "Does Ann eat sugar?", "We're off sugar since Lent.", False),
        ("Yes", "Do I still drive the Skoda?", "Quiet. I sold the Skoda as well.", False),
        ("No", "Is the game still built with Godot?", "we're off Godot, it runs on Bevy.", True),
        ("Yes", "Am I off on Wednesdays?", "I'm off on Wednesdays, finally.", True),
        ("Yes", "Is Ann off sugar?", "We're off sugar since Lent.", True),
        ("Yes", "Did Bo sell the van?", "I sold the van.", True),
    ],
)
def test_a_reply_agrees_with_what_is_quoted(
    reply: str, question: str, said: str, fits: bool
) -> None:
    assert agrees(reply, read_question(question), said) is fits


@pytest.mark.parametrize(
    ("question", "taken"),
    [
        ("Did we go to Slovenia?", True),
        ("and will it be on Monday?", True),
        ("Can I bring the dog or not?", True),
        ("Is it on Monday or on Tuesday?", False),
        ("Could you tell me which town I lived in?", False),
        ("When did we go?", False),
    ],
)
def test_what_takes_yes_or_no(question: str, taken: bool) -> None:
    assert read_question(question).takes_yes_or_no is taken

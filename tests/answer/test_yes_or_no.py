"""What quoted prose replies to a question that is answered by yes or no."""

import pytest

from quipu.answer.yes_or_no import replied
from quipu.question import read_question


@pytest.mark.parametrize(
    ("question", "said", "reply"),
    [
        ("Am I off on Wednesdays?", "Which means I'm off on Wednesdays, finally.", "Yes"),
        ("Is the game still built with Godot?", "we're off Godot, it runs on Bevy.", "No"),
        ("Do I still drive the Skoda?", "Quiet. I sold the Skoda as well.", "No"),
        ("Is the gate switched on?", "The gate is switched off.", "No"),
        ("Is the hall free?", "Is the hall free? Ann: yes, all day", "Yes"),
        ("Is the hall free?", "Is the hall free? Ann: nope", "No"),
        ("Is the hall free?", "Is the hall free? Ann: ask Bo", ""),
        ("Is the hall free on Monday?", "The hall is free.", ""),
        ("Is the hall free?", "If the hall is free we meet there.", ""),
        ("Is the hall free?", "The hall isn't free.", ""),
        ("Who has the hall?", "The hall is free.", ""),
        ("Is Jess going to Bologna?", "Jess may be going to Bologna.", ""),
        ("Is Jess going to Bologna?", "Bo says Jess is going to Bologna.", ""),
        ("Is Jess going to Bologna?", "I'd love Jess going to Bologna.", ""),
        ("Is the fair in May?", "The fair is in May.", "Yes"),
        ("Is Odile still the chair?", "so for now odile's still chair yeah", "Yes"),
        ("Is Odile still the chair?", "Odile is our chair.", ""),
        ("Does Tomasz run?", "Tomasz climbs instead of running.", ""),
        ("Do they own a cottage?", "The cottage they own is sold.", ""),
        ("Does the flight land at 14:20?", "The flight lands at 14:20. Correction: 15:40.", ""),
        ("Is Tomasz a king?", "Tomasz is a king, ha ha.", ""),
    ],
)
def test_a_reply_is_given_where_all_of_it_is_said(question: str, said: str, reply: str) -> None:
    assert replied(read_question(question), said) == reply


def test_nothing_is_affirmed_of_which_more_was_said_later() -> None:
    assert replied(read_question("Is the fair in May?"), "The fair is in May.", later=True) == ""
    assert (
        replied(
            read_question("Is the hall free?"), "Is the hall free? Ann: yes, all day", later=True
        )
        == ""
    )
    assert (
        replied(read_question("Is the gate switched on?"), "The gate is switched off.", later=True)
        == "No"
    )


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

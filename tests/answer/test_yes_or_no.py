"""What quoted prose replies to a question that is answered by yes or no."""

import pytest

from quipu.answer.yes_or_no import replied


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
    ],
)
def test_a_reply_is_given_where_all_of_it_is_said(question: str, said: str, reply: str) -> None:
    assert replied(question, said) == reply

"""What quoted prose replies to a question that is answered by yes or no."""

import pytest
from tests.rows import rows

from quipu.answer.yes_or_no import replied
from quipu.question import read_question


@pytest.mark.parametrize(
    ("question", "said", "reply"),
    rows(__file__, "a_reply_is_given_where_all_of_it_is_said"),
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

"""What quoted prose replies to a question that is answered by yes or no."""

import pytest
from tests.rows import rows

from quipu.answer.yes_or_no import agrees
from quipu.question import read_question


@pytest.mark.parametrize(
    ("reply", "question", "said", "fits"),
    rows(__file__, "a_reply_agrees_with_what_is_quoted"),
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

"""What front matter says of a document answers what asks for it by noun or by verb."""

from collections.abc import Callable

import pytest
from tests.rows import rows

from quipu.memory import Memory

Remember = Callable[[dict[str, str]], Memory]

PAGES = dict(rows(__file__, "properties_pages"))


@pytest.mark.parametrize(
    ("question", "answer"),
    rows(__file__, "a_property_answers_by_noun_and_by_verb"),
)
def test_a_property_answers_by_noun_and_by_verb(
    question: str, answer: str, remember: Remember
) -> None:
    reply = remember(PAGES).ask(question)
    assert reply.contract.answer.startswith(answer), reply.contract.answer
    assert reply.confidence.value > 0.7


@pytest.mark.parametrize(
    "question",
    [
        "Who is the director of photography of Blue Racer?",
        "Who is the producer of Blue Racer?",
        "What is the language of Blue Racer?",
        "Is Bo Stone the director of Blue Racer?",
        "What is the draft of ADR 7?",
    ],
)
def test_a_property_answers_nothing_else(question: str, remember: Remember) -> None:
    reply = remember(PAGES).ask(question)
    assert "The director of" not in reply.contract.answer
    assert reply.confidence.value < 0.7

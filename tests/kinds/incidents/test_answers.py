"""What incidents answer: what fixed, what was tried, what caused."""

import pytest
from tests.rows import rows

from quipu.answer import ASSERT_ABOVE
from quipu.memory import Memory


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.incidents.add(rows(__file__, "incidents_of_a_session_cache"))
    return memory


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which incidents were caused by session-cache?", "caused `checkout-api`"),
        ("What caused the checkout-api incident?", "session-cache was out of memory"),
        ("What fixed the session cache out of memory incident?", "`scale_out` worked after 35"),
        ("How was the checkout-api outage resolved?", "`circuit_breaker` worked after 30"),
        ("What was tried against session-cache that did not work?", "`restart_container` did not"),
    ],
)
def test_edges_and_outcomes_answer(told: Memory, question: str, said: str) -> None:
    contract = told.ask(question).contract
    assert said in contract.answer
    assert contract.evidence


@pytest.mark.parametrize(
    "question",
    [
        "What fixed the parser of session-cache?",
        "How many replicas does session-cache have?",
        "What caused the fire in Rome?",
    ],
)
def test_another_question_gets_nothing_of_it(told: Memory, question: str) -> None:
    reply = told.ask(question)
    answer = reply.contract.answer
    assert "worked after" not in answer or reply.confidence.value < ASSERT_ABOVE
    assert reply.confidence.inputs["stated"] == 0
    assert "The cause of" not in answer

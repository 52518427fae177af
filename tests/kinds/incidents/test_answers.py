"""What incidents answer: what fixed, what was tried, what caused."""

from typing import Any

import pytest

from quipu.answer import ASSERT_ABOVE
from quipu.memory import Memory


def _tried(action: str, at: str, minutes: float | None = None) -> dict[str, Any]:
    worked = minutes is not None
    return {
        "actions_taken": [action],
        "success": worked,
        "resolution_time_minutes": minutes,
        "recorded_at": at,
    }


RECORDS: list[dict[str, Any]] = [
    {
        "component": "session-cache",
        "timestamp": "2026-02-03T10:00:00Z",
        "severity": "critical",
        "title": "Session cache out of memory",
        "outcomes": [
            _tried("restart_container", "2026-02-03T10:10:00Z"),
            _tried("scale_out", "2026-02-03T10:35:00Z", 35),
        ],
    },
    {
        "component": "checkout-api",
        "timestamp": "2026-02-03T10:05:00Z",
        "severity": "critical",
        "title": "Checkout loses carts",
        "root_cause": "session-cache was out of memory",
        "upstream_deps": ["session-cache"],
        "outcomes": [_tried("circuit_breaker", "2026-02-03T10:35:00Z", 30)],
    },
    {
        "component": "session-cache",
        "timestamp": "2026-03-03T10:00:00Z",
        "severity": "critical",
        "title": "Sessions are evicted",
        "outcomes": [_tried("scale_out", "2026-03-03T10:15:00Z", 15)],
    },
]


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.incidents.add(RECORDS)
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

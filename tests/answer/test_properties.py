"""What front matter says of a document answers what asks for it by noun or by verb."""

from collections.abc import Callable

import pytest
from tests.rows import rows

from quipu.memory import Memory

Remember = Callable[[dict[str, str]], Memory]

PAGES = {
    "films/Blue Racer.md": "---\ndirector:\n  - Ridley Stone\nreleased: 1983\n---\nA film.\n",
    "owner/s1.md": (
        "---\ntitle: Stork\nowner: Vesna Dahl\n---\n# Stork\n\nThe stork service listens on port "
        "7415.\n"
    ),
    "docs/ports.md": "# Ports\n\nThe port of the ledger is 7000.\n",
    "docs/0007-use-sqlite.md": (
        "---\ntitle: ADR 7: Use SQLite\nstatus: accepted\nowner: Ada Brook\n"
        "reviewed_by: [Ann, Bo]\ndraft: true\n---\n# ADR 7: Use SQLite\n\n"
        "We use SQLite because it is one file.\n"
    ),
    "docs/runbook.md": (
        "---\ntitle: Runbook\nowner: @payments-team\ntags: [a, b]\n---\n# Failover runbook\n\n"
        "Failover takes five minutes.\n"
    ),
    "docs/eider.md": "---\ntitle: Eider\nteam: Blue\nmaintainer: Ann Lee\n---\n\nEider text.\n",
    "talks/Graph Talk.md": '---\nspeaker: "[[Kim Lee]]"\neditor: Jo\n---\nA talk on graphs.\n',
}


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

"""What front matter says of a document answers what asks for it by noun or by verb."""

from collections.abc import Callable

import pytest

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
    [
        ("Who is the director of Blue Racer?", "The director of `Blue Racer` is Ridley Stone"),
        ("Who directed Blue Racer?", "The director of `Blue Racer` is Ridley Stone"),
        ("When was Blue Racer released?", "`Blue Racer` was released 1983"),
        ("Who owns Stork?", "`owner/s1.md` is owned by Vesna Dahl"),
        ("Who owns ADR 7?", "`docs/0007-use-sqlite.md` is owned by Ada Brook"),
        ("Who owns the runbook?", "`docs/runbook.md` is owned by @payments-team"),
        ("What is the status of ADR 7?", "The status of `ADR 7: Use SQLite` is accepted"),
        ("Who reviewed ADR 7?", "`ADR 7: Use SQLite` was reviewed by Ann and Bo"),
        ("Who is the speaker of Graph Talk?", "The speaker of `Graph Talk` is Kim Lee"),
        ("Who maintains Eider?", "`docs/eider.md` is owned by Ann Lee and Blue"),
        ("Who edited Graph Talk?", "The editor of `Graph Talk` is Jo"),
    ],
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

"""Questions about everything: themes, status, what is said of age, and what is not known."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu import Memory, Scope
from quipu.answer.examine import violations
from quipu.kinds.reports.model import report_text

Remember = Callable[..., None]
STATUS = {
    "docs/status.md": "# Payment Service\n\nOwner: Dana Reyes\nStatus: migrating\n\nThe Payment "
    "Service moves to Stripe Gateway version nine this spring.\n",
    "docs/host.md": "# Hosts\n\nSince 2025 the Payment Service runs on Kestrel, as Dana Reyes "
    "wished.\n",
}


@pytest.fixture
def reflected(memory: Memory, remember: Remember, town: Any) -> Memory:
    """A memory of all three subjects with its reports."""
    remember(memory, town.payments, town.gardens, town.music)
    memory.reports.reflect()
    return memory


def test_the_themes_are_one_sentence_each_cited_at_its_source(reflected: Memory, town: Any) -> None:
    reply = reflected.ask("What are the main themes?", mode="global")
    assert violations(reply, reflected.store) == []
    assert len(reply.contract.evidence) == 3
    cited = {c.path for c in reply.citations}
    for subject in (town.payments, town.gardens, town.music):
        assert len(cited & set(subject)) == 1
    reports = {hit.id for hit in reply.hits}
    assert all(item.graph_ids[0] in reports for item in reply.contract.evidence)
    assert reply.confidence.value >= 0.7


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What is the state of the refunds work?", "payments"),
        ("How does the Old Garden stand?", "gardens"),
        ("What is said about the Harbour Choir?", "music"),
    ],
)
def test_a_subject_is_answered_from_its_own_report(
    reflected: Memory, town: Any, question: str, subject: str
) -> None:
    reply = reflected.ask(question, mode="global")
    assert violations(reply, reflected.store) == []
    assert {c.path for c in reply.citations} <= set(getattr(town, subject))
    assert reply.contract.answer != "unknown"
    assert reply.plan.reports[0].parts["lexical"] > 0


def test_a_status_question_tells_the_facts_that_hold(
    memory: Memory, remember: Remember, town: Any
) -> None:
    remember(memory, town.payments, STATUS)
    memory.reports.reflect()
    (report,) = memory.reports()
    assert sorted(f.text for f in report.facts) == [
        "Owner of Payment Service: Dana Reyes",
        "Payment Service runs on Kestrel (since 2025)",
        "Status of Payment Service: migrating",
    ]
    reply = memory.ask("What is the state of the Payment Service?", mode="global")
    assert "Status of Payment Service: migrating" in reply.contract.answer
    assert {"docs/status.md", "docs/host.md"} <= {c.path for c in reply.citations}


def test_both_sides_of_a_contradiction_are_told_and_named(
    memory: Memory, remember: Remember, town: Any
) -> None:
    sides = {
        "docs/a.md": "# A\n\nDana Reyes was the owner of the Payment Service from 2020 to 2024.\n",
        "docs/b.md": "# B\n\nEmil Voss was the owner of the Payment Service from 2021 to 2023.\n",
    }
    remember(memory, town.payments, sides)
    memory.reports.reflect()
    assert any(r.disagreements for r in memory.reports())
    reply = memory.ask("What is the state of the Payment Service?", mode="global")
    assert "Sources disagree" in reply.contract.limitations
    assert {"docs/a.md", "docs/b.md"} <= {c.path for c in reply.citations}


def test_a_sentence_that_is_no_longer_there_is_not_told(
    reflected: Memory, remember: Remember, tmp_path: Path, town: Any
) -> None:
    for name in town.music:
        (tmp_path / name).unlink()
    remember(reflected)
    reply = reflected.ask("What is said about the Harbour Choir?", mode="global")
    assert "Choir" not in reply.contract.answer
    assert not any("music/" in hit.text for hit in reply.hits)


def test_a_scope_sees_only_its_own_lines(reflected: Memory, town: Any) -> None:
    document = reflected.store.get([reflected.get("docs/ledger.md").entity_id])  # pyright: ignore
    inside = Scope(document_ids=frozenset(document))
    found = reflected.search("What are the main themes?", mode="global", scope=inside)
    assert len(found.hits) == 1
    for name in (*town.gardens, *town.music, "docs/refunds.md", "docs/payments.md"):
        assert name not in found.hits[0].text
    reply = reflected.ask("What are the main themes?", mode="global", scope=inside)
    assert {c.path for c in reply.citations} == {"docs/ledger.md"}
    nothing = Scope(document_ids=frozenset({"en_" + 24 * "0"}))
    assert reflected.search("themes?", mode="global", scope=nothing).hits == ()


def _talk(day: int, lines: list[str]) -> list[dict[str, object]]:
    return [
        {
            "role": "user",
            "name": "Ada" if n % 2 else "Bea",
            "content": line,
            "timestamp": f"2026-01-{day:02d}T10:{n:02d}:00Z",
        }
        for n, line in enumerate(lines)
    ]


POTTERY = [
    "I finished the bowl at the pottery studio and my glaze came out blue.",
    "My clay dried too quickly, so the pottery teacher wrapped the bowl in a towel.",
    "The kiln at the studio was full of bowls and a tall vase for the market.",
    "Our pottery teacher fires the kiln on Fridays, so the glaze has time to dry.",
    "I bought a bag of clay and a wheel for the shed behind the house.",
]
MARATHON = [
    "I signed up for the marathon and my training plan has four runs a week.",
    "My knee hurt after the long run, so the trainer gave me a plan with the bicycle.",
    "The marathon goes along the river and over the bridge near the stadium.",
    "Our trainer says the marathon needs new shoes and a slower first hour.",
    "I ran to the bridge and back with the new shoes in under an hour.",
]


def test_conversations_have_themes_of_what_was_said(memory: Memory) -> None:
    for day in (1, 2, 3):
        memory.add(_talk(day, POTTERY), session_id=f"pots-{day}")
        memory.add(_talk(day, MARATHON), session_id=f"runs-{day}")
    done = memory.reports.reflect()
    assert len(done.reports) == 2
    reply = memory.ask("What are the main themes?", mode="global")
    assert violations(reply, memory.store) == []
    assert {c.path.partition("-")[0] for c in reply.citations} == {"session:pots", "session:runs"}
    assert all("Ada: " in q.text or "Bea: " in q.text for r in done.reports for q in r.quotes)
    cited = reply.citations[0].path
    said = memory.reports()[0].quotes[0].text
    memory.forget(memory.reports()[0].quotes[0].source_ref)
    assert len(memory.reports()) < 2
    assert not any(said in report_text(r) for r in memory.reports())
    assert cited.startswith("session:")


def test_what_no_report_speaks_of_is_unknown(reflected: Memory) -> None:
    reply = reflected.ask("What is the state of the submarine Nautilus?", mode="global")
    assert reply.contract.answer == "unknown"
    assert reply.contract.evidence == ()
    assert "Nautilus" in reply.contract.limitations
    assert violations(reply, reflected.store) == []

"""Short entries are sayings: what answers is told among them as it is among turns."""

from collections.abc import Iterator
from typing import Any

import pytest

from quipu.embed import MiniLM
from quipu.memory import Memory
from quipu.records.passage import SPOKEN
from quipu.testing.fakes import HashEmbedder

SAID = (
    ("2026-01-05", "I'm charging 620 kroner an hour these days"),
    ("2026-01-06", "Samira rents the back half of the shop, she pays me 300 a month"),
    ("2026-02-01", "the roof of the shed leaks again, need to call Bo about it"),
    ("2026-05-03", "put my rate up at last, 680 from now on"),
)


@pytest.fixture
def memory() -> Iterator[Memory]:
    clock = "2026-06-20T12:00:00.000Z"
    with Memory.open("memory:", embedder=HashEmbedder(64), clock=lambda: clock) as opened:
        yield opened


def kind(memory: Memory, question: str) -> str:
    return memory.search(question, limit=1).hits[0].why_ranked.profile


@pytest.mark.parametrize(
    ("text", "given", "profile"),
    [
        ("The nightly backup runs at two.", {}, SPOKEN),
        ("The nightly backup runs at two,\nafter the export.", {}, SPOKEN),
        ("The nightly backup runs at two.", {"title": "Backups"}, "prose"),
        ("The nightly backup runs at two.", {"source_ref": "notes/backup.md"}, "prose"),
        ("# Backups\n\nThe nightly backup runs at two.", {}, "prose"),
        ("- The nightly backup runs at two.\n- Dana watches it.", {}, "prose"),
        ("The nightly backup runs at two. " + "It is kept for thirty days. " * 40, {}, "prose"),
    ],
)
def test_what_is_one_short_paragraph_is_a_saying(
    memory: Memory, text: str, given: dict[str, Any], profile: str
) -> None:
    memory.add(text, **given)
    assert kind(memory, "When does the nightly backup run?") == profile


def test_without_vectors_a_saying_that_shares_nothing_is_not_found() -> None:
    clock = "2026-06-20T12:00:00.000Z"
    with Memory.open("memory:", embedder=None, clock=lambda: clock) as memory:
        memory.add("The nightly backup runs at two.")
        assert [hit.title for hit in memory.search("backup").hits] == ["user, 2026-06-20"]
        assert memory.search("wombat").hits == ()


def test_who_said_it_is_known_by_its_property(memory: Memory) -> None:
    memory.add("I live in Porto.", observed_at="2026-02-03", properties={"speaker": "Rui"})
    (hit,) = memory.search("Where does Rui live?", limit=1).hits
    assert (hit.title, hit.start_line, hit.end_line) == ("Rui, 2026-02-03", 1, 1)
    assert [(fact.subject, fact.object) for fact in memory.facts("Rui")] == [("Rui", "Porto")]


@pytest.mark.model
def test_the_saying_that_answers_is_quoted_with_its_day() -> None:
    clock = "2026-06-20T12:00:00.000Z"
    with Memory.open("memory:", embedder=MiniLM(threads=1), clock=lambda: clock) as memory:
        for day, text in SAID:
            memory.add(text, observed_at=day)
        answer = memory.ask("What do I charge an hour?").contract.answer
    assert "2026-05-03: put my rate up at last, 680 from now on" in answer


@pytest.mark.model
def test_the_same_words_of_a_later_day_are_told_again() -> None:
    clock = "2026-06-20T12:00:00.000Z"
    with Memory.open("memory:", embedder=MiniLM(), clock=lambda: clock) as memory:
        first = memory.add("Ana owns the payments service.", observed_at="2025-06-01")
        memory.add("Bo owns the payments service.", observed_at="2025-08-01")
        again = memory.add("Ana owns the payments service.", observed_at="2025-10-01")
        assert again != first
        assert [fact.object for fact in memory.facts("payments service", live=True)] == ["Ana"]
        assert memory.add("Ana owns the payments service.", observed_at="2025-10-01") == again
        memory.add("Bo owns the payments service.")
        assert [fact.object for fact in memory.facts("payments service", live=True)] == ["Bo"]

"""Entries: stored once, merged when said again, recalled within a budget."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.agents.entries import Entries
from quipu.agents.recall import recall
from quipu.config import Config
from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.records.stated import StatementInput
from quipu.testing.fakes import HashEmbedder


@pytest.fixture
def entries(memory: Memory) -> Entries:
    return Entries(memory)


def test_the_same_again_is_merged(entries: Entries) -> None:
    first = entries.store("Deploy on Tuesdays", category="decision", tags=["a"], priority="low")
    again = entries.store(
        "deploy on  tuesdays.", category="decision", tags=["b"], priority="high", source="session"
    )
    assert again.merged_with == first.entry.id
    held = entries.get(first.entry.id)
    assert held is not None
    assert held.tags == ("a", "b")
    assert held.priority == "high"
    assert [s["source"] for s in held.sources] == ["manual", "session"]
    assert [s["content"] for s in held.sources] == ["Deploy on Tuesdays", "deploy on  tuesdays."]


def test_nearly_the_same_is_merged_within_a_category_only(memory: Memory, entries: Entries) -> None:
    words = "the release train leaves every second tuesday at noon from the main branch"
    first = entries.store(words, category="decision")
    again = words.replace("the main branch", "main branch")
    near = entries.store(again, category="decision")
    other = entries.store(again, category="fact")
    assert near.merged_with == first.entry.id
    assert other.merged_with is None
    held = entries.get(first.entry.id)
    assert held is not None
    assert held.content == again


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The orders service listens on port 8080 in every zone", "8081"),
        ("The orders service never listens on port 8080 in every zone", "negation"),
        ("The orders service of Ann listens on port 8080 in every zone", "name"),
    ],
)
def test_texts_that_differ_in_what_counts_stay_apart(
    entries: Entries, one: str, other: str
) -> None:
    second = {
        "8081": one.replace("8080", "8081"),
        "negation": one.replace(" never", ""),
        "name": one.replace("Ann", "Bo"),
    }[other]
    entries.store(one, category="fact")
    assert entries.store(second, category="fact").merged_with is None


def test_recall_stays_within_its_budget(memory: Memory, entries: Entries) -> None:
    for number in range(12):
        entries.store(f"Rule {number}: review {'carefully ' * number}", category="instruction")
    all_of_them = recall(memory, entries, "review rule", detail="detailed")
    few = recall(memory, entries, "review rule", token_budget=60, detail="detailed")
    assert all_of_them.matched == few.matched
    assert 1 <= len(few.entries) < len(all_of_them.entries)
    assert few.token_count <= 60
    assert few.token_count + few.budget_remaining == 60


def test_what_is_stated_leaves_entries_their_place(memory: Memory, entries: Entries) -> None:
    for team in ("alpha", "bravo", "charlie"):
        entries.store(f"The {team} team tells the service desk of {team}.", category="decision")
    memory.facts.state(
        [
            StatementInput(subject=f"billing service {n}", attribute="deploy day", value="Friday")
            for n in range(60)
        ]
    )
    assert recall(memory, entries, "billing service deploy day Friday").matched == 3


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"content": "  ", "category": "fact"}, "content"),
        ({"content": "x" * 9000, "category": "fact"}, "8,000"),
        ({"content": "x", "category": "idea"}, "'idea'"),
        ({"content": "x", "category": "fact", "priority": "urgent"}, "'urgent'"),
        ({"content": "x", "category": "fact", "expires": "2001-01-01"}, "has passed"),
        ({"content": "x", "category": "fact", "expires": "2026-02-30"}, "'2026-02-30'"),
    ],
)
def test_what_cannot_be_stored_is_refused(
    entries: Entries, given: dict[str, Any], word: str
) -> None:
    with pytest.raises(InvalidInput, match=word):
        entries.store(**given)


def test_secrets_are_redacted_everywhere(memory: Memory, entries: Entries) -> None:
    secret = "ghp_" + "a1B2" * 9
    stored = entries.store(
        f"The token is {secret}", category="fact", context=f"see {secret}", tags=[secret]
    )
    held = entries.get(stored.entry.id)
    assert held is not None
    assert secret not in repr(held)


def test_a_window_bounds_recall(tmp_path: Path) -> None:
    now = ["2026-01-01T00:00:00.000Z"]
    with Memory.open(
        "memory:", config=Config(), embedder=HashEmbedder(), home=tmp_path, clock=lambda: now[0]
    ) as memory:
        entries = Entries(memory)
        entries.store("We chose Postgres for orders", category="decision")
        now[0] = "2026-03-01T00:00:00.000Z"
        entries.store("We chose Kafka for events", category="decision")
        windows: dict[str, Callable[[], int]] = {
            window: (lambda w=window: recall(memory, entries, "we chose", time_window=w).matched)
            for window in ("7d", "2025-12-01..2026-02-01", "in January 2026", "..2026-04-01")
        }
        assert {w: ask() for w, ask in windows.items()} == {
            "7d": 1,
            "2025-12-01..2026-02-01": 1,
            "in January 2026": 1,
            "..2026-04-01": 2,
        }
        with pytest.raises(InvalidInput, match="no time window"):
            recall(memory, entries, "we chose", time_window="soonish")
        with pytest.raises(InvalidInput, match="ends before it begins"):
            recall(memory, entries, "we chose", time_window="2026-04-01..2026-01-01")

"""A change that is stated in other words takes the place of what was stated before."""

from collections.abc import Iterator

import pytest
from tests.rows import rows

from quipu.memory import Memory

LAST = "2025-12-20T12:00:00.000Z"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("memory:", embedder=None, clock=lambda: LAST) as opened:
        yield opened


def _say(memory: Memory, *texts: str) -> None:
    for month, text in enumerate(texts, 1):
        memory.add(text, observed_at=f"2025-{month:02}-03")


def _live(memory: Memory) -> set[str]:
    return {fact.object for fact in memory.facts(live=True, as_of=LAST)}


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    rows(__file__, "a_change_meets_what_it_changes"),
)
def test_a_change_meets_what_it_changes(
    memory: Memory, before: str, after: str, old: str, new: str
) -> None:
    _say(memory, before, after)
    assert any(new in value for value in _live(memory))
    assert not any(old in value for value in _live(memory))


def test_a_day_and_an_hour_take_no_place_of_each_other(memory: Memory) -> None:
    _say(memory, "The standup is on Tuesdays.", "The standup is at 9:45.")
    assert _live(memory) == {"Tuesdays", "9:45"}


@pytest.mark.parametrize(
    ("before", "after", "old"),
    [
        ("Ann's travel budget is 3k.", "Ann's phone budget was raised to 50.", "3k"),
        ("The retro is on Fridays.", "The standup has moved to Mondays.", "Fridays"),
        ("Bram owns the router.", "Bram is in Paris now.", "Bram"),
    ],
)
def test_a_change_of_something_else_changes_nothing(
    memory: Memory, before: str, after: str, old: str
) -> None:
    _say(memory, before, after)
    assert old in _live(memory)


def test_what_was_before_a_value_is_known_by_its_chain_alone(memory: Memory) -> None:
    _say(memory, "Ann's boss is Henrike.", "Ann's boss is Ayla Demirci now.")
    found = memory.facts.find("Who was Ann's boss before Ayla?")
    assert found.matches[0].standing.fact.object == "Henrike"

"""A change that is told in other words takes the place of what was said before."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory

pytestmark = pytest.mark.model
LAST = "2025-12-20T12:00:00.000Z"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", clock=lambda: LAST) as opened:
        yield opened


def _say(memory: Memory, *texts: str) -> None:
    for month, text in enumerate(texts, 1):
        session = f"s{month}"
        turn = Turn(
            session_id=session,
            offset=1,
            speaker="Ann",
            role="user",
            text=text,
            time=f"2025-{month:02}-03T10:00:00.000Z",
        )
        memory.add_sessions([Transcript(session_id=session, group=session, turns=(turn,))])


def _live(memory: Memory) -> set[str]:
    return {fact.object for fact in memory.facts(live=True, as_of=LAST)}


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        (
            "The free tier of Larkly stays at 25 invoices.",
            "The free tier goes to 40 invoices.",
            "25 invoices",
            "40 invoices",
        ),
        (
            "The top field's down to barley.",
            "We've put the top field under clover.",
            "barley",
            "clover",
        ),
        ("Oskar has piano on Tuesdays.", "Oskar's piano is on Fridays.", "Tuesdays", "Fridays"),
        ("The rep is called Ada Pike.", "The new rep is Leon.", "Ada Pike", "Leon"),
        (
            "Dr Ferro is my second supervisor.",
            "Dr Tan has agreed to step in as second supervisor.",
            "Dr Ferro",
            "Dr Tan",
        ),
    ],
)
def test_a_change_meets_what_it_changes(
    memory: Memory, before: str, after: str, old: str, new: str
) -> None:
    _say(memory, before, after)
    assert _live(memory) >= {new}
    assert old not in _live(memory)


@pytest.mark.parametrize(
    ("before", "after", "old"),
    [
        (
            "The oven sits at 200 degrees.",
            "The fridge was turned down to 4 degrees.",
            "200 degrees",
        ),
        (
            "The shed is behind the barn.",
            "We've put the top field under clover.",
            "behind the barn",
        ),
        ("Mia has judo on Mondays.", "Oskar's judo is on Fridays.", "Mondays"),
    ],
)
def test_a_change_of_something_else_changes_nothing(
    memory: Memory, before: str, after: str, old: str
) -> None:
    _say(memory, before, after)
    assert any(value in old for value in _live(memory))

"""What people write is found as they mean it: turns, lines of a turn, paths with odd signs."""

import pytest
from tests.rows import rows
from tests.talk import transcript

from quipu import Passage
from quipu.errors import InvalidInput
from quipu.memory import Memory


@pytest.fixture
def talk(memory: Memory) -> Memory:
    said = ("First turn.", "Second turn,\nover two lines.", "Third turn.")
    memory.ingest_sessions([transcript("s", [("Ann", text) for text in said], role="other")])
    return memory


@pytest.mark.parametrize(
    ("ref", "text", "lines"),
    [
        ("session:s#3", "Third turn.", (1, 1)),
        ("session:s#3:1", "Third turn.", (1, 1)),
        ("session:s#2", "Second turn,\nover two lines.", (1, 2)),
        ("session:s#2:2", "over two lines.", (2, 2)),
        ("session:s#2#L1-L2", "Second turn,\nover two lines.", (1, 2)),
        ("session:s#1-2", "First turn.\nSecond turn,\nover two lines.", (1, 3)),
    ],
)
def test_a_turn_is_its_own_text(talk: Memory, ref: str, text: str, lines: tuple[int, int]) -> None:
    found = talk.get(ref)
    assert isinstance(found, Passage)
    assert found.text == text
    assert (found.start_line, found.end_line) == lines
    assert found.path == ref.partition(":2")[0].partition("#L")[0].removesuffix(":1")
    assert found.chunk_ids


@pytest.mark.parametrize(
    ("as_of", "count"),
    rows(__file__, "facts_hold_at_some_moment_of_the_date_asked"),
)
def test_facts_hold_at_some_moment_of_the_date_asked(
    memory: Memory, as_of: str, count: int
) -> None:
    memory.add(
        "# Zed\n\nAnn Lee was the director of Zed from 3 March 2012 to 1 August 2012.\n",
        title="Zed",
    )
    assert len(memory.facts()) == 1
    assert len(memory.facts(as_of=as_of)) == count


@pytest.mark.parametrize("date", ["garbage", "2012-13", "2012-02-30", "", "12.6.2012"])
def test_what_is_no_date_is_said(memory: Memory, date: str) -> None:
    with pytest.raises(InvalidInput, match="date"):
        memory.facts(as_of=date)
    with pytest.raises(InvalidInput, match="date"):
        memory.facts(known_at=date)
    with pytest.raises(InvalidInput, match="date"):
        memory.facts.history("Zed", known_at=date)

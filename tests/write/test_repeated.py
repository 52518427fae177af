"""One source given more than once in one run: the last one stands, and the report says so."""

from collections.abc import Iterator

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory
from quipu.records.passage import PassageInput
from quipu.records.record import Chunk


def texts(memory: Memory) -> list[str]:
    return sorted(c.text for c in memory.store.scan("chunk") if isinstance(c, Chunk))


def passage(ref: str, text: str) -> PassageInput:
    return PassageInput(source_ref=ref, text=text)


def test_the_last_of_two_passages_stands(memory: Memory) -> None:
    report = memory.add_documents([passage("a", "First text."), passage("a", "Second text.")])
    assert texts(memory) == ["Second text."]
    assert report.added == ("a",)
    assert [row.path for row in report.warnings] == ["a"]
    assert memory.validate().errors == ()


def test_the_last_stands_over_pages(memory: Memory) -> None:
    def given() -> Iterator[PassageInput]:
        yield passage("a", "First text.")
        yield from (passage(f"row-{n}", f"Row number {n}.") for n in range(600))
        yield passage("a", "Last text.")

    memory.add_documents(given())
    assert "Last text." in texts(memory)
    assert "First text." not in texts(memory)


def test_what_is_stored_already_counts_as_given(memory: Memory) -> None:
    memory.add_documents([passage("a", "First text.")])
    rows = [passage(f"row-{n}", f"Row number {n}.") for n in range(300)]
    memory.add_documents([passage("a", "Other text."), *rows, passage("a", "First text.")])
    assert "First text." in texts(memory)
    assert "Other text." not in texts(memory)


def turn(text: str, offset: int = 1) -> Turn:
    return Turn(session_id="s", offset=offset, speaker="Ann", role="other", text=text)


def test_the_last_of_two_turns_at_one_place_stands(memory: Memory) -> None:
    turns = (turn("I was first."), turn("I came second."), turn("And on.", 2))
    report = memory.add_sessions([Transcript(session_id="s", group="s", turns=turns)])
    assert texts(memory) == ["And on.", "I came second."]
    assert report.added == ("session:s#1", "session:s#2")
    assert [row.path for row in report.warnings] == ["session:s#1"]


def test_the_last_of_two_transcripts_of_one_session_stands(memory: Memory) -> None:
    one = Transcript(session_id="s", group="s", turns=(turn("I was first."),))
    two = Transcript(session_id="s", group="s", turns=(turn("I came second."),))
    memory.add_sessions([one, two])
    assert texts(memory) == ["I came second."]
    memory.add_sessions([one, two])
    assert texts(memory) == ["I came second."]

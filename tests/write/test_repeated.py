"""One source given more than once in one run: the last one stands, and the report says so."""

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

"""Words are found in scripts that put no spaces between them, and whatever spells accents."""

from collections.abc import Callable

import pytest
from tests.rows import rows

from quipu.memory import Memory
from quipu.ports import every
from quipu.records.batch import Batch, IndexedChunk
from quipu.records.record import Chunk

NOTES = dict(rows(__file__, "scripts_notes"))


@pytest.mark.parametrize(
    ("query", "path"),
    rows(__file__, "a_word_finds_the_note_that_holds_it"),
)
def test_a_word_finds_the_note_that_holds_it(
    memory: Memory, tree: Callable[[dict[str, str]], None], query: str, path: str
) -> None:
    tree(NOTES)
    memory.index()
    first = memory.search(query).hits[0]
    assert first.path == path
    assert first.why_ranked.parts["lexical"] == 1.0


def test_an_index_counts_anew_once_what_an_earlier_version_divided_otherwise(
    memory: Memory, tree: Callable[[dict[str, str]], None], caplog: pytest.LogCaptureFixture
) -> None:
    tree({"ru.md": NOTES["ru.md"], "en.md": NOTES["en.md"]})
    memory.index()
    store, state = memory.store, memory.home.state
    assert state is not None
    older = [IndexedChunk(chunk, {"prose": {"сервисы": 1}}) for chunk in every(store, Chunk)]
    store.write(Batch(recorded_at=memory.clock(), chunks=tuple(older)))
    for mark in state.glob("words-*"):
        mark.unlink()
    memory.index()
    assert memory.search("сервис").hits[0].path == "ru.md"
    assert [record.message[:1] for record in caplog.records] == ["1"]
    caplog.clear()
    memory.index()
    assert not caplog.records


@pytest.mark.model
def test_an_answer_in_another_language_is_quoted_and_never_sure(
    memory: Memory, tree: Callable[[dict[str, str]], None]
) -> None:
    tree(NOTES)
    memory.index()
    reply = memory.ask("海豚网关由谁维护？")
    assert "王芳" in reply.contract.answer
    assert reply.confidence.value <= 0.65
    assert reply.confidence.inputs["foreign"] == 1
    assert "foreign" not in memory.ask("Who keeps the billing service?").confidence.inputs

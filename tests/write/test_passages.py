"""Ready passages and texts by hand."""

from collections.abc import Callable, Iterator
from pathlib import Path

from quipu.memory import Memory
from quipu.records.passage import PassageInput
from quipu.records.record import Chunk, Entity, Episode
from quipu.testing.fakes import HashEmbedder


def passages(count: int) -> Iterator[PassageInput]:
    for n in range(count):
        yield PassageInput(
            source_ref=f"row-{n}",
            title=f"Title {n}",
            text=f"Passage {n} is about topic {n % 7}.\nIt has two lines.",
            group=f"g{n % 2}",
            observed_at=f"2025-01-{n % 28 + 1:02d}",
        )


def only_chunk(memory: Memory, ref: str) -> Chunk:
    document = memory.get(ref)
    assert isinstance(document, Entity)
    numbers = memory.store.numbers_in([document.entity_id])[document.entity_id]
    (chunk,) = memory.store.chunks(numbers)
    return chunk


def test_each_passage_is_one_document_and_one_chunk(memory: Memory) -> None:
    report = memory.add_documents(passages(600))
    assert (report.documents, report.chunks, report.unembedded) == (600, 600, 0)
    chunk = only_chunk(memory, "row-5")
    assert (chunk.start_line, chunk.end_line, chunk.profile, chunk.title) == (
        1,
        2,
        "prose",
        "Title 5",
    )
    episode = memory.store.get([chunk.episode_id])[chunk.episode_id]
    assert isinstance(episode, Episode)
    assert (episode.group, episode.observed_at) == ("g1", "2025-01-06T00:00:00.000Z")


def test_the_kind_of_content_is_told_by_the_text_unless_given(memory: Memory) -> None:
    code = "def add(a, b):\n    return a + b\n"
    memory.add_documents(
        [
            PassageInput(source_ref="sniffed", text=code),
            PassageInput(source_ref="given", text=code + "\n", profile="prose"),
        ]
    )
    assert only_chunk(memory, "sniffed").profile == "code"
    assert only_chunk(memory, "given").profile == "prose"


def test_passages_without_vectors_get_them_later(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    embedder = HashEmbedder()
    with open_memory("memory:", tmp_path, embedder=embedder) as memory:
        report = memory.add_documents(passages(20), embed=False)
        assert (report.embedded, report.unembedded, embedder.calls) == (0, 20, 0)
        assert memory.stats().unembedded == 20
        memory.index(tmp_path)
        assert memory.stats().unembedded == 0


def test_an_added_text_can_be_opened_and_replaced(memory: Memory) -> None:
    episode_id = memory.add("# Plan\n\nWe chose blue.", source_ref="manual:plan", title="The plan")
    assert memory.get(episode_id) != memory.get("manual:plan")
    before = memory.store.sequence()
    assert memory.add("# Plan\n\nWe chose blue.", source_ref="manual:plan") == episode_id
    assert memory.store.sequence() == before
    memory.add("# Plan\n\nWe chose red.", source_ref="manual:plan")
    assert memory.store.counts()["chunk"] == 1
    assert "red" in only_chunk(memory, "manual:plan").text


def test_the_last_of_two_passages_under_one_reference_stands(memory: Memory) -> None:
    given = [PassageInput(source_ref="a", text=f"{which} text.") for which in ("First", "Second")]
    report = memory.add_documents(given)
    assert only_chunk(memory, "a").text == "Second text."
    assert (report.added, [row.path for row in report.warnings]) == (("a",), ["a"])
    assert memory.validate().errors == ()

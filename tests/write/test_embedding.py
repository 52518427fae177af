"""Vectors for long sessions, and what forgetting leaves of them."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.talk import transcript

from quipu.agents.entries import Entries
from quipu.agents.items import Items
from quipu.agents.knowledge import KnowledgeEntity, KnowledgeGraph
from quipu.kinds.conversations.model import Transcript
from quipu.memory import Memory
from quipu.memory.ingestion import IngestItem, ingest_items
from quipu.ports import Embedded
from quipu.records.passage import PassageInput
from quipu.testing.fakes import HashEmbedder
from quipu.when.instants import system_clock
from quipu.write.embed import SpaceFiller


def session(count: int) -> Transcript:
    return transcript("s", [("Ann", f"Turn number {n}.") for n in range(1, count + 1)])


class _Interrupting(HashEmbedder):
    """While it embeds its first texts, somebody else writes."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self._meanwhile = iter([meanwhile])

    def embed_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> Embedded:
        for write in self._meanwhile:
            write()
        return super().embed_parts(text, spans)


def test_turns_that_another_process_writes_while_others_are_embedded_are_embedded_too(
    memory: Memory,
) -> None:
    memory.ingest_sessions([session(300)], embed=False)
    other = _Interrupting(lambda: memory.ingest_sessions([session(310)], embed=False))
    assert SpaceFiller(store=memory.store, clock=system_clock).missing(other) == 310
    assert memory.store.unembedded(other.space) == []


WRITES: dict[str, Callable[[Memory], object]] = {
    "add": lambda m: m.add("Ana owns the tide table.", source_ref="manual:ana"),
    "add_of_messages": lambda m: m.add(
        [{"role": "user", "content": "The tide table is Ana's."}], session_id="s2"
    ),
    "add_documents": lambda m: m.add_documents(
        [PassageInput(source_ref="note:tide", text="The tide table is Ana's.")]
    ),
    "ingest_sessions": lambda m: m.ingest_sessions([session(3)]),
    "ingest_batch": lambda m: ingest_items(m, [IngestItem(text="The tide table is Ana's.")]),
    "entries": lambda m: Entries(m).store("The tide table is Ana's.", category="fact"),
    "items": lambda m: Items(m).put(
        ("a",), "k", {"text": "The tide table is Ana's."}, lambda value: [value["text"]]
    ),
    "knowledge": lambda m: KnowledgeGraph(m).create_entities(
        [KnowledgeEntity(name="Ana", type="person", observations=("Owns the tide table.",))]
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_embeds_what_it_wrote_and_nobody_elses(
    name: str, open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    embedder = HashEmbedder()
    with open_memory(tmp_path / "q.db", tmp_path, embedder=embedder) as memory:
        waiting = (
            PassageInput(source_ref=f"note:{n}", text=f"Report {n} of the harbour.")
            for n in range(300)
        )
        memory.add_documents(waiting, embed=False)
        WRITES[name](memory)
        assert 0 < embedder.calls < 20
        assert 1 <= sum(memory.store.spaces().values()) < 20
        assert memory.embed_lacking().unembedded == 0


def test_what_a_killed_write_left_is_embedded_by_the_next(memory: Memory) -> None:
    memory.add("Ana owns the tide table.", source_ref="manual:ana", embed=False)
    memory.add("Ben owns the harbour.", source_ref="manual:ben")
    assert memory.stats().unembedded == 0


def test_two_that_write_at_once_make_no_vector_twice(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    home, url = tmp_path, str(tmp_path / ".quipu" / "quipu.db")
    second = HashEmbedder()

    def write() -> None:
        with open_memory(url, home, embedder=second) as other:
            other.ingest_sessions([session(25)])

    writing = threading.Thread(target=write)

    def meanwhile() -> None:
        writing.start()
        time.sleep(0.3)

    first = _Interrupting(meanwhile)
    with open_memory(url, home, embedder=first) as memory:
        memory.ingest_sessions([session(20)])
        writing.join()
        assert memory.store.unembedded(first.space) == []
        assert first.calls + second.calls == memory.store.counts(["chunk"])["chunk"] == 25


def test_forgetting_leaves_no_vector_of_any_text_in_the_cache(memory: Memory) -> None:
    memory.add("A secret plan about whales.", source_ref="plan.md")
    state = memory.home.state
    assert state is not None
    assert (state / "embeddings.db").exists()
    memory.forget("plan.md")
    assert list(state.glob("embeddings.db*")) == []

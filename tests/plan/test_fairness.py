"""Which of too many relations, titles and passages a plan takes: none is cut by its spelling."""

import pytest

from quipu.config import Config
from quipu.memory import Memory
from quipu.plan import plan
from quipu.plan.expand import expand_anchors
from quipu.plan.names import find_name_shares
from quipu.question import read_question
from quipu.records.passage import PassageInput
from quipu.records.plan import Anchor
from quipu.records.scope import EVERYTHING
from quipu.records.weights import Bounds
from quipu.testing.fakes import HashEmbedder


@pytest.fixture
def hub() -> Memory:
    """A document with more relations of one type than a plan follows, one of them heavy, and two of
    other types."""
    memory = Memory.open("memory:", config=Config(), embedder=HashEmbedder())
    passages = [
        PassageInput(source_ref=f"leaf{i:02}", title=f"Leaf {i}", text=f"Leaf number {i}.")
        for i in range(92)
    ]
    memory.add_documents([PassageInput(source_ref="hub", title="Grand Hub", text="A hub.")])
    memory.add_documents(passages)
    for i in range(90):
        memory.relate("hub", "ADJOINS", f"leaf{i:02}", weight=9.0 if i == 77 else 1.0)
    memory.relate("hub", "PART_OF", "leaf90")
    memory.relate("hub", "USES", "leaf91")
    return memory


def test_types_take_turns_and_the_heaviest_come_first(hub: Memory) -> None:
    refs = {s.document_id: s.source_ref for s in hub.store.sources()}
    ids = {ref: i for i, ref in refs.items()}
    anchor = Anchor(entity_id=ids["hub"] or "", name="Grand Hub", type="Document", match="title")
    question = read_question("What is near the Grand Hub?")
    found, _ = expand_anchors(question, [anchor], hub.store, scope=EVERYTHING)
    reached = {(e.via, refs[e.target_id]) for e in found}
    assert len(reached) < 92
    assert {("PART_OF", "leaf90"), ("USES", "leaf91"), ("ADJOINS", "leaf77")} <= reached


def test_one_long_document_may_be_named_by_its_title() -> None:
    limits = Bounds(title_reach=5)
    with Memory.open("memory:", config=Config(), embedder=HashEmbedder()) as memory:
        text = "# Harbour Handbook\n\n" + "\n\n".join(
            f"Paragraph {i}. " + "The crane lifts heavy crates onto the pier. " * 30
            for i in range(20)
        )
        memory.add(text, source_ref="handbook.md", title="Harbour Handbook")
        question = read_question("What does the Harbour Handbook say of cranes?")
        store = memory.store
        titled = store.occurrences("title", ["harbour handbook"])["harbour handbook"].df
        assert titled > limits.title_reach
        shares = find_name_shares(question, store, scope=EVERYTHING, limits=limits)
        assert len(shares) == titled
        assert min(shares.values()) > 0.5  # less than 1: the whole memory is of this book


def test_documents_mode_ranks_a_bounded_number_of_linked_passages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from quipu import retrieve as retrieve_module

    monkeypatch.setattr(retrieve_module, "BOUNDS", Bounds(linked_chunks=6))
    embedder = HashEmbedder()
    with Memory.open("memory:", config=Config(), embedder=embedder) as memory:
        memory.add_documents([PassageInput(source_ref="start", title="Start", text="Begin here.")])
        for name in ("one", "two", "three"):
            memory.add(
                "\n\n".join(f"# {name} {i}\n\nA thing of {name}." for i in range(9)),
                source_ref=f"{name}.md",
                title=name,
            )
            memory.relate("start", "REFERENCES", f"{name}.md")
        made = plan(
            read_question("Begin here"),
            memory.store,
            None,
            mode="documents",
            limits=Bounds(seeds_per_index=1),
        )
        assert len(made.seeds) == 1
        found = retrieve_module.retrieve(made, memory.store, None, limit=50)
        linked = [hit.path for hit in found.hits if hit.path != "start"]
        assert {path: linked.count(path) for path in linked} == {
            "one.md": 2,
            "two.md": 2,
            "three.md": 2,
        }

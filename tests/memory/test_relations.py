"""Relations made, changed and undone by hand; what a deletion takes along."""

from collections.abc import Callable

import pytest

from quipu.errors import InvalidInput, UnknownRecord
from quipu.memory import Memory
from quipu.records.record import Entity

Tree = Callable[[dict[str, str]], None]
TREE = {
    "guide.md": "# Guide\n\nText.\n",
    "plan.md": "# Plan\n\nSee [guide](guide.md).\n",
    "a/run.py": "def start():\n    return 1\n",
    "b/run.py": "def start():\n    return 2\n",
}


def test_ends_may_be_ids_paths_or_unique_names(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    guide = memory.get("guide.md")
    assert isinstance(guide, Entity)
    made = memory.relate("Plan", "explains", guide.entity_id, confidence=0.5)
    assert memory.relate("plan.md", "EXPLAINS", "guide.md", confidence=0.5).rel_id == made.rel_id
    assert (made.type, made.confidence, made.properties["as_written"]) == (
        "EXPLAINS",
        0.5,
        "explains",
    )
    assert made in memory.relations("guide.md")
    assert memory.relations(type="explains") == memory.relations("plan.md", type="explains")


def test_a_relation_can_be_changed_and_removed(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    first = memory.relate("plan.md", "explains", "guide.md", confidence=0.9, weight=2)
    second = memory.relate("plan.md", "explains", "guide.md", confidence=0.2, description="no")
    assert second.rel_id == first.rel_id
    assert (second.confidence, second.weight, second.description) == (0.2, 1.0, "no")
    assert memory.unrelate(second.rel_id) == second
    assert memory.relations(type="explains") == []
    with pytest.raises(UnknownRecord):
        memory.unrelate(second.rel_id)
    assert memory.relate("plan.md", "explains", "guide.md", confidence=0.2).confidence == 0.2


def test_deleting_a_document_hides_its_relations_and_its_return_shows_them(
    memory: Memory, tree: Tree
) -> None:
    tree(TREE)
    memory.index()
    made = memory.relate("plan.md", "explains", "guide.md")
    (memory.home.folder / "guide.md").unlink()
    memory.index()
    assert memory.relations(type="explains") == []
    tree(TREE)
    memory.index()
    assert [r.rel_id for r in memory.relations(type="explains")] == [made.rel_id]


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("explains", {"confidence": 1.1}),
        ("explains", {"confidence": float("nan")}),
        ("explains", {"weight": 0}),
        ("explains", {"weight": float("inf")}),
        ("?!", {}),
    ],
)
def test_numbers_out_of_range_and_bad_types_are_refused(
    memory: Memory, tree: Tree, kind: str, options: dict[str, float]
) -> None:
    tree(TREE)
    memory.index()
    before = memory.store.sequence()
    with pytest.raises(InvalidInput):
        memory.relate("plan.md", kind, "guide.md", **options)
    assert memory.store.sequence() == before

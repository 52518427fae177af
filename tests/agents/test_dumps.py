"""What other memories let out, taken in."""

import json
from pathlib import Path
from typing import Any

import pytest

from quipu.agents.dumps import Dump, DumpTaken, import_dump
from quipu.agents.items import Items
from quipu.agents.knowledge import KnowledgeGraph
from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.records.record import Episode

DATA = Path(__file__).parent / "data"
MEM0 = json.loads((DATA / "mem0.json").read_text("utf-8"))
GRAPHITI = json.loads((DATA / "graphiti.json").read_text("utf-8"))


def _taken(memory: Memory, held: Any, tool: Dump, folder: Path) -> DumpTaken:
    path = folder / f"{tool}.json"
    path.write_text(json.dumps(held))
    return import_dump(memory, path, tool)


def test_memories_of_mem0_are_found_with_their_times_and_owners(
    memory: Memory, tmp_path: Path
) -> None:
    taken = _taken(memory, MEM0, "mem0", tmp_path)
    assert (taken.passages, taken.relations) == (1, 1)
    assert [e.split(":")[0] for e in taken.errors] == ["memory 2", "memory 3", "memory 4"]
    hit = memory.search("who prefers green tea?").hits[0]
    assert hit.source_ref == "mem0:m1:1"
    (episode,) = [
        e for e in memory.store.scan("episode") if isinstance(e, Episode) and e.group == "ann"
    ]
    assert episode.observed_at == "2025-02-03T18:00:00.000Z"
    (tie,) = KnowledgeGraph(memory).read()[1]
    assert (tie.source, tie.type, tie.target) == ("ann", "prefers", "green tea")
    before = memory.store.sequence()
    _taken(memory, MEM0, "mem0", tmp_path)
    assert memory.store.sequence() == before


@pytest.mark.parametrize("flat", [False, True])
def test_facts_of_graphiti_hold_when_they_held(memory: Memory, tmp_path: Path, flat: bool) -> None:
    held = [r for records in GRAPHITI.values() for r in records] if flat else GRAPHITI
    taken = _taken(memory, held, "graphiti", tmp_path)
    assert (taken.passages, taken.facts, taken.entities, taken.relations) == (5, 3, 4, 1)
    assert taken.errors == ()
    facts = {f.object: f for f in memory.store.facts("Ann")}
    assert (facts["Acme"].valid_from, facts["Acme"].valid_to) == ("2020-05-01", "2025-03-01")
    assert (facts["Umbra"].predicate, facts["Umbra"].valid_to) == ("works for", None)
    assert (facts["Initech"].valid_from, facts["Initech"].valid_to) == ("2010-05-01", "2020-05-01")
    assert facts["Umbra"].provenance["path"] == "graphiti:f2"
    assert [t.target for t in KnowledgeGraph(memory).read()[1]] == ["Umbra"]
    assert memory.search("Ann moved from Acme").hits[0].source_ref == "graphiti:e1:1"
    before = memory.store.sequence()
    _taken(memory, held, "zep", tmp_path)
    assert memory.store.sequence() == before


def test_items_of_langgraph_keep_their_times(memory: Memory, tmp_path: Path) -> None:
    item = {
        "namespace": ["users", "ann"],
        "key": "food",
        "value": {"likes": "ramen"},
        "created_at": "2025-01-01T00:00:00+00:00",
        "updated_at": "2025-01-02T00:00:00+00:00",
    }
    bad = {"namespace": "users", "key": "k", "value": {}}
    taken = _taken(memory, [item, bad], "langgraph", tmp_path)
    assert (taken.items, len(taken.errors)) == (1, 1)
    held = Items(memory).get(("users", "ann"), "food")
    assert held
    assert (held.value, held.created_at) == ({"likes": "ramen"}, "2025-01-01T00:00:00.000Z")
    assert held.updated_at == "2025-01-02T00:00:00.000Z"


@pytest.mark.parametrize("text", ["{", "[]", '{"other": 1}', "7"])
def test_a_file_that_holds_nothing_of_the_kind_is_refused(
    memory: Memory, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InvalidInput):
        import_dump(memory, path, "graphiti")

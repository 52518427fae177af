"""Audits of one subject and of everything; the graph looked at."""

from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.agents.audits import audit, overview
from quipu.agents.entries import Entries
from quipu.agents.graphs import find_nodes, find_path, inspect
from quipu.config import Config
from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

Tree = Callable[[dict[str, str | bytes]], None]


def test_an_audit_of_an_unknown_subject_says_so(memory: Memory) -> None:
    assert audit(memory, "Nobody").text == "Nothing was said of 'Nobody'."
    with pytest.raises(InvalidInput, match="no date"):
        audit(memory, "Nobody", as_of="soon")


def test_the_overview_names_what_has_expired(tmp_path: Path) -> None:
    now = ["2026-01-01T00:00:00.000Z"]
    with Memory.open(
        "memory:", config=Config(), embedder=HashEmbedder(), home=tmp_path, clock=lambda: now[0]
    ) as memory:
        held = Entries(memory).store("The freeze ends", category="fact", expires="2026-02-01")
        assert overview(memory).expired == ()
        now[0] = "2026-03-01T00:00:00.000Z"
        assert overview(memory).expired == (held.entry.id,)


@pytest.fixture
def linked(memory: Memory, tree: Tree) -> Memory:
    tree(
        {
            "a.md": "# Alpha\n\nSee [beta](b.md).\n",
            "b.md": "# Beta\n\nSee [gamma](c.md).\n",
            "c.md": "# Gamma\n\nThe end.\n",
            "d.md": "# Delta\n\nAlone.\n",
        }
    )
    memory.index()
    return memory


def test_a_thing_is_inspected_with_its_sources(linked: Memory) -> None:
    found = inspect(linked, "b.md")
    assert found.node.name == "Beta"
    assert found.source_refs == ("b.md",)
    ends = {(edge.type, edge.source_name, edge.target_name) for edge in found.relations}
    assert {("LINKS_TO", "Alpha", "Beta"), ("LINKS_TO", "Beta", "Gamma")} <= ends
    assert {ref for edge in found.relations for ref in edge.source_refs} == {"a.md", "b.md"}
    assert inspect(linked, "b.md", limit=1).more["relations"] == 1


def test_the_shortest_way_is_found_in_either_direction(linked: Memory) -> None:
    there = find_path(linked, "a.md", "c.md")
    back = find_path(linked, "c.md", "a.md")
    assert [node.name for node in there.nodes] == ["Alpha", "Beta", "Gamma"]
    assert [node.name for node in back.nodes] == ["Gamma", "Beta", "Alpha"]
    assert [step.type for step in there.steps] == ["LINKS_TO", "LINKS_TO"]


def test_things_are_found_by_name_first(linked: Memory) -> None:
    found = find_nodes(linked, "Beta")
    assert (found[0].name, found[0].match) == ("Beta", "name")
    assert find_nodes(linked, "Beta", types=["Service"]) == ()
    with pytest.raises(InvalidInput, match="empty"):
        find_nodes(linked, " ")

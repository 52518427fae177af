"""Audits of one subject and of everything; the graph looked at."""

from collections.abc import Callable

import pytest

from quipu.agents.graphs import find_path, inspect
from quipu.memory import Memory

Tree = Callable[[dict[str, str | bytes]], None]


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

"""Names that stand nearly everywhere tell little of where to look."""

from collections.abc import Callable

import pytest

from quipu.memory import Memory
from quipu.plan.names import telling


@pytest.fixture
def memory(remember: Callable[..., Memory]) -> Memory:
    """A project whose own name stands in all of its two hundred passages."""
    parts = {
        f"{at}.md": f"# Part {at}\n\nGizmo part number{at} turns the wheel of Gizmo.\n"
        for at in range(200)
    }
    return remember(parts | {"README.md": "# Gizmo\n\nGizmo is made of parts.\n"})


def test_what_stands_everywhere_tells_little(memory: Memory) -> None:
    tells = telling(["gizmo", "number17", "gizmo number17", "unheard of"], memory.store)
    assert tells["gizmo"] < 0.15
    assert (tells["number17"], tells["gizmo number17"], tells["unheard of"]) == (1.0, 1.0, 1.0)


def test_a_title_that_is_the_project_s_name_adds_little(memory: Memory) -> None:
    found = memory.search("Gizmo number17 wheel")
    assert found.hits[0].path == "17.md"
    shares = {hit.path: hit.why_ranked.parts["name"] for hit in memory.search("Gizmo parts").hits}
    assert shares.get("README.md", 0.0) < 0.15

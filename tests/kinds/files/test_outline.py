"""Lists that no sentence tells, but the headings of a page."""

from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.config import Config
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

HOOKS = (
    "# Loom\n\nLoom weaves.\n\n## Weaving hooks\n\nA hook is called while it weaves.\n\n"
    "### before_row(row)\n\nCalled first.\n\n### after_row(row)\n\nCalled last.\n\n"
    "### `on_knot()`\n\nCalled for a knot.\n\n## Colours\n\n### Red\n\nIt glows.\n\n"
    "### Blue\n\nIt is calm.\n\n### Green\n\nIt grows.\n"
)
Ask = Callable[[str], tuple[str, int]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    (tmp_path / "hooks.md").write_text(HOOKS, "utf-8")
    (tmp_path / "loom.py").write_text("def weave(row):\n    return row\n", "utf-8")
    memory = Memory.open(
        "memory:",
        home=tmp_path,
        config=Config(),
        embedder=HashEmbedder(64),
        clock=lambda: "2026-11-22T01:05:00.000Z",
    )
    memory.index([tmp_path])

    def said(question: str) -> tuple[str, int]:
        reply = memory.ask(question)
        return reply.contract.answer, len(reply.citations)

    return said


@pytest.mark.parametrize(
    "question",
    [
        "Which weaving hooks can I implement?",
        "list all the weaving hooks",
        "weaving hooks I can use",
    ],
)
def test_the_sections_of_a_heading_are_the_list(question: str, ask: Ask) -> None:
    answer, citations = ask(question)
    assert answer.startswith("Weaving hooks: `before_row(row)`, `after_row(row)`, `on_knot()` [1")
    assert citations == 3


@pytest.mark.parametrize(
    "question",
    [
        "Which colours are there?",  # called by words, not by names of code
        "Which dyeing hooks can I implement?",  # of something else
        "What is a weaving hook?",  # no list
    ],
)
def test_other_questions_are_not_answered_by_headings(question: str, ask: Ask) -> None:
    assert "before_row(row)`, `after_row" not in ask(question)[0]

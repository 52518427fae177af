"""Pages in AsciiDoc and Org answer by their sentences, their tables and what their heads say."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.rows import rows

from quipu.memory import Memory

Remember = Callable[..., Memory]

DATA = Path(__file__).parents[1] / "read" / "data"


@pytest.mark.parametrize(
    ("question", "answer"),
    rows(__file__, "asciidoc_and_org_answer"),
)
def test_asciidoc_and_org_answer(question: str, answer: str, remember: Remember) -> None:
    adoc = (DATA / "pump.adoc").read_text("utf-8").replace("v1.2, 2024-01-02", ":version: 1.2")
    memory = remember({"docs/pump.adoc": adoc, "notes/pump.org": (DATA / "pump.org").read_bytes()})
    assert answer in memory.ask(question).contract.answer

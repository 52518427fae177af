"""Quipu as it comes: words, graph and vectors in one file."""

from pathlib import Path

from bench.peers.systems import HITS, Passage, Search
from quipu import Memory, PassageInput


def index(passages: list[Passage], store: Path, model: Path) -> None:
    """Write and embed."""
    with Memory.open(store / "quipu.db") as memory:
        memory.add_documents(
            PassageInput(source_ref=each.id, title=each.title, text=each.text or each.title)
            for each in passages
        )


def opened(store: Path, model: Path) -> Search:
    """Of the file."""
    memory = Memory.open(store / "quipu.db")
    return lambda question: [hit.path for hit in memory.search(question, limit=HITS).hits]

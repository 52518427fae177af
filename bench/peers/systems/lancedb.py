"""LanceDB: a table that embeds its text, full-text search over it, hybrid queries."""

from pathlib import Path

import lancedb
from lancedb.embeddings import get_registry
from lancedb.pydantic import LanceModel, Vector

from bench.peers.systems import HITS, Passage, Search


def index(passages: list[Passage], store: Path, model: Path) -> None:
    """Embed into a table and make its full-text index."""
    embed = get_registry().get("sentence-transformers").create(name=str(model))

    class Row(LanceModel):
        id: str
        text: str = embed.SourceField()
        vector: Vector(embed.ndims()) = embed.VectorField()  # pyright: ignore

    table = lancedb.connect(store).create_table("passages", schema=Row)
    table.add([{"id": passage.id, "text": passage.whole} for passage in passages])
    table.create_fts_index("text")


def opened(store: Path, model: Path) -> Search:
    """Of the table."""
    table = lancedb.connect(store).open_table("passages")

    def search(question: str) -> list[str]:
        found = table.search(question, query_type="hybrid").limit(HITS).to_list()
        return [row["id"] for row in found]

    return search

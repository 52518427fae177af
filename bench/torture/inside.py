"""What a trial lets a warm process do that no command does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

__all__ = ["ingest_pages", "write_arf"]


def ingest_pages(port: str, urls: str) -> str:
    """Fetch `urls` (commas between them) from the pages that are laid at `port` of this machine,
    which `quipu ingest` would refuse to reach; the job's status."""
    from quipu.memory import Memory
    from quipu.read.crawl import Network

    network = Network(
        ports=(int(port),), may_reach=lambda _: True, resolve=lambda *_: ["127.0.0.1"]
    )
    with Memory.open() as memory:
        memory.resume()
        return memory.ingest_urls(urls.split(","), network=network).status


def write_arf(folder: Path, texts: Sequence[str]) -> None:
    """A folder as an earlier system kept it: a FAISS index of incidents and their texts."""
    import faiss  # type: ignore[import-untyped]

    from quipu.testing.fakes import HashEmbedder

    folder.mkdir(parents=True)
    index = faiss.IndexFlatL2(32)
    index.add(HashEmbedder(32).embed(list(texts)))
    faiss.write_index(index, str(folder / "incident_vectors.index"))
    (folder / "incident_texts.json").write_text(json.dumps(list(texts)))

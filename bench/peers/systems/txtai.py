"""txtai: a hybrid index, all else as it comes."""

from pathlib import Path

from txtai import Embeddings

from bench.peers.systems import HITS, Passage, Search


def index(passages: list[Passage], store: Path, model: Path) -> None:
    """Embed, index and save."""
    embeddings = Embeddings(path=str(model), hybrid=True)
    embeddings.index((passage.id, passage.whole, None) for passage in passages)
    embeddings.save(str(store / "index"))


def opened(store: Path, model: Path) -> Search:
    """Of a saved index."""
    embeddings = Embeddings()
    embeddings.load(str(store / "index"))
    return lambda question: [found for found, _ in embeddings.search(question, HITS)]

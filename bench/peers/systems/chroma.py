"""Chroma: a collection kept on disk, embedded by its own ONNX model."""

from pathlib import Path

import chromadb
from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2

from bench.peers.systems import HITS, Passage, Search


def index(passages: list[Passage], store: Path, model: Path) -> None:
    """Add the passages, as many at once as it takes."""
    client = chromadb.PersistentClient(str(store))
    collection = client.create_collection("passages", embedding_function=_embedder(model))
    at_once = client.get_max_batch_size()
    for first in range(0, len(passages), at_once):
        some = passages[first : first + at_once]
        collection.add(ids=[p.id for p in some], documents=[p.whole for p in some])


def opened(store: Path, model: Path) -> Search:
    """Of the collection."""
    client = chromadb.PersistentClient(str(store))
    collection = client.get_collection("passages", embedding_function=_embedder(model))
    return lambda question: collection.query(query_texts=[question], n_results=HITS)["ids"][0]


def _embedder(model: Path) -> ONNXMiniLM_L6_V2:
    ONNXMiniLM_L6_V2.DOWNLOAD_PATH = model  # in place of a download
    return ONNXMiniLM_L6_V2()

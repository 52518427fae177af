"""Which systems there are, of which version, and how they come."""

import re
from pathlib import Path
from typing import NamedTuple

from quipu.version import VERSION

__all__ = ["PEERS", "Peer"]

REQUIREMENTS = Path(__file__).with_name("requirements")


class Peer(NamedTuple):
    """A system; its use stands in `systems/NAME.py`, its packages in `requirements/NAME.txt`."""

    name: str
    package: str
    comes_with: str

    @property
    def requirements(self) -> Path:
        """Every package of its environment with its version, as `uv pip compile` pinned them."""
        return REQUIREMENTS / f"{self.name}.txt"

    @property
    def version(self) -> str:
        """Of the package it is known by."""
        if self.name == OURS:
            return VERSION
        pinned = self.requirements.read_text(encoding="utf-8")
        found = re.search(rf"^{re.escape(self.package)}==(\S+)", pinned, re.MULTILINE)
        if found is None:
            raise ValueError(f"{self.requirements} pins no {self.package}")
        return found[1]


OURS = "quipu"

PEERS = (
    Peer(OURS, "quipu-memory", "words, names, graph and vectors, fused; ONNX Runtime, fp32"),
    Peer(
        "txtai",
        "txtai",
        "hybrid: BM25 and FAISS, scores halved and added; PyTorch",
    ),
    Peer(
        "lancedb",
        "lancedb",
        "hybrid: full-text index and exact vectors, reciprocal ranks; PyTorch",
    ),
    Peer("chroma", "chromadb", "vectors alone, HNSW; its own ONNX encoder, padded to 256 tokens"),
    Peer(
        "mem0",
        "mem0ai",
        "infer=False, one passage an add; Qdrant in the process, vectors alone (its words need an "
        "extra and a download); PyTorch",
    ),
    Peer(
        "by_hand",
        "bm25s",
        "BM25 with stems and exact vectors, reciprocal ranks, files; ONNX Runtime in batches",
    ),
)

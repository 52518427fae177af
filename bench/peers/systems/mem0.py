"""mem0 without a language model (`infer=False`): its default store, Qdrant within the process."""

import os
from pathlib import Path

os.environ["OPENAI_API_KEY"] = "unused"  # its client is made, and never called
os.environ["MEM0_TELEMETRY"] = "False"

from mem0 import Memory

from bench.peers.systems import HITS, Passage, Search

_USER = "bench"


def index(passages: list[Passage], store: Path, model: Path) -> None:
    """Add the passages, one by one: it takes no more at once."""
    memory = _memory(store, model)
    for passage in passages:
        memory.add(passage.whole, user_id=_USER, metadata={"passage": passage.id}, infer=False)


def opened(store: Path, model: Path) -> Search:
    """Of what was added."""
    memory = _memory(store, model)

    def search(question: str) -> list[str]:
        found = memory.search(question, filters={"user_id": _USER}, top_k=HITS)
        return [row["metadata"]["passage"] for row in found["results"]]

    return search


def _memory(store: Path, model: Path) -> Memory:
    kept = {"path": str(store / "qdrant"), "embedding_model_dims": 384, "on_disk": True}
    return Memory.from_config(
        {
            "embedder": {
                "provider": "huggingface",
                "config": {"model": str(model), "embedding_dims": 384},
            },
            "vector_store": {"provider": "qdrant", "config": kept},
            "history_db_path": str(store / "history.db"),
        }
    )

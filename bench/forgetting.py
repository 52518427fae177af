"""What it costs to forget sources, by how many documents the memory holds.

    python -m bench forgetting --passages 20000

Each size is built anew from a seeded corpus with vectors, and asked some questions; then one
source is forgotten, and 200 others in one call. Seconds of wall time.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from bench.corpus import Words
from quipu import Memory
from quipu.config import Config
from quipu.records.passage import PassageInput
from quipu.testing.fakes import HashEmbedder

_SIZES = (2_500, 5_000, 10_000, 20_000)
_MANY = 200


def measure(out: Path, passages: int) -> dict[str, Any]:
    """Seconds for one and for 200 sources at each size up to `passages`."""
    rows = {str(size): _forgotten(size) for size in _SIZES if size <= passages}
    return {"many": _MANY, "documents": rows}


def _forgotten(size: int) -> dict[str, float]:
    words = Words(size)
    given = [_passage(words, n) for n in range(size)]
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / ".quipu" / "quipu.db"
        with Memory.open(store, config=Config(), embedder=HashEmbedder(384)) as memory:
            memory.add_documents(given)
        with Memory.open(store, config=Config(), embedder=HashEmbedder(384)) as memory:
            memory.search(given[0].text[:80])
            step = size // (_MANY + 1)
            one_s = _timed(memory, [given[0].source_ref])
            many_s = _timed(memory, [given[step * n].source_ref for n in range(1, _MANY + 1)])
    return {"one_s": one_s, "many_s": many_s}


def _timed(memory: Memory, refs: list[str]) -> float:
    began = time.perf_counter()
    assert memory.forget(refs) == len(refs)
    return round(time.perf_counter() - began, 3)


def _passage(words: Words, number: int) -> PassageInput:
    return PassageInput(source_ref=f"note:{number}", title=f"Note {number}", text=words.passage())

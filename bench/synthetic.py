"""Vectors for a synthetic corpus: embedding all of it takes an hour, so few are made for real.

A passage gets the local model's vector of one of 2,000 others, with seeded noise of 0.35 of its
length, and so does each of its eight sentences.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.corpus import Words, write_corpus
from bench.measure import percentile, quipu, run
from quipu import Memory
from quipu.ports import Embedder
from quipu.records.batch import Batch, Embedding
from quipu.when.instants import system_clock

_BASES, _NOISE, _SENTENCES = 2_000, 0.35, 8
_WARM_UP = 20


def indexed_corpus(folder: Path, passages: int) -> Path:
    """Return the database of a corpus of `passages`, words and graph only, made once."""
    database = folder / ".quipu" / "quipu.db"
    if not database.exists():
        write_corpus(folder, passages)
        run(quipu("init"), cwd=folder)
        run(quipu("index", ".", "--no-embed", "--json"), cwd=folder)
    return database


def base_vectors(embedder: Embedder, kept: Path) -> Any:
    """Return float32[2000, d], the vectors of other passages, made once into the file `kept`."""
    if not kept.exists():
        words = Words(13)
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, embedder.embed([words.passage() for _ in range(_BASES)]))
    return np.load(kept)


def fill_vectors(memory: Memory, embedder: Embedder, bases: Any, *, seed: int = 5) -> None:
    """Give every passage without a vector one of `bases` with noise, and one for each sentence."""
    random = np.random.default_rng(seed)
    while waiting := memory.store.unembedded(embedder.space, limit=2000):
        shape = (len(waiting), 1 + _SENTENCES, embedder.dimension)
        rows = random.standard_normal(shape, dtype=np.float32) * _NOISE / embedder.dimension**0.5
        rows += bases[random.integers(0, len(bases), len(waiting))][:, None]
        rows /= np.linalg.norm(rows, axis=2, keepdims=True)
        memory.store.write(
            Batch(
                recorded_at=system_clock(),
                embeddings=tuple(
                    Embedding(chunk.chunk_id, embedder.space, row[0], row[1:])
                    for chunk, row in zip(waiting, rows, strict=True)
                ),
            )
        )


def timed(call: Callable[[str], object], asked: Sequence[str]) -> dict[str, float]:
    """Return percentiles in milliseconds of `call` over the questions after the first twenty."""
    for question in asked[:_WARM_UP]:
        call(question)
    times: list[float] = []
    busy: list[float] = []
    for question in asked[_WARM_UP:]:
        start, before = time.perf_counter(), time.process_time()
        call(question)
        times.append(1000 * (time.perf_counter() - start))
        busy.append(1000 * (time.process_time() - before))
    shares = {f"p{round(100 * s)}": round(percentile(times, s), 2) for s in (0.5, 0.95, 0.99)}
    return shares | {"processor_p50": round(percentile(busy, 0.5), 2)}

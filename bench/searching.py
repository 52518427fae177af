"""Searching 100,000 passages: latency text-in to hits-out, resident memory, a cold process.

The corpus is the one of `indexing`. Its passages get seeded random unit vectors in the local
model's space (embedding them all takes a quarter of an hour and changes no latency); the
questions are embedded by the real model.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before numpy

import numpy as np

from bench.corpus import Words, write_corpus
from bench.measure import percentile, quipu, resident_mb, run
from quipu import Memory
from quipu.embed import MiniLM
from quipu.ports import Embedder
from quipu.records.batch import Batch, Embedding
from quipu.when.instants import system_clock

QUESTIONS = 200
_WARM_UP = 20
_SENTENCES = 8


def measure(out: Path, passages: int) -> dict[str, Any]:
    """Percentiles over natural questions of 8 to 15 words, graph and all."""
    corpus = out / f"corpus-{passages}"
    if not corpus.exists():
        write_corpus(corpus, passages)
    if not (corpus / ".quipu" / "quipu.db").exists():
        run(quipu("init"), cwd=corpus)
        run(quipu("index", ".", "--no-embed", "--json"), cwd=corpus)
    words = Words(11)
    asked = [words.question() for _ in range(QUESTIONS + _WARM_UP)]
    model = MiniLM()
    with Memory.open(corpus / ".quipu" / "quipu.db", embedder=model) as memory:
        _fill_vectors(memory, model)
        embedding = _timed(model.embed_windows, asked)
        searching = _timed(memory.search, asked)
        figures = {
            "chunks": memory.stats().counts["chunk"],
            "search_ms": searching,
            "question_embedding_ms": embedding,
            "search_without_embedding_ms": {
                key: round(searching[key] - embedding[key], 2) for key in searching
            },
            "resident_mb": round(resident_mb()),
        }
    cold = [run(quipu("search", asked[0], "--json"), cwd=corpus) for _ in range(5)]
    return figures | {
        "cold_search_s": round(sorted(c.wall_s for c in cold)[2], 2),
        "cold_search_peak_mb": round(max(c.peak_mb for c in cold)),
    }


def _timed(call: Callable[[str], object], asked: list[str]) -> dict[str, float]:
    for question in asked[:_WARM_UP]:
        call(question)
    times: list[float] = []
    for question in asked[_WARM_UP:]:
        start = time.perf_counter()
        call(question)
        times.append(1000 * (time.perf_counter() - start))
    return {f"p{round(100 * s)}": round(percentile(times, s), 2) for s in (0.5, 0.95, 0.99)}


def _fill_vectors(memory: Memory, embedder: Embedder) -> None:
    """Give every passage without a vector a seeded one, and one for each of its sentences."""
    random = np.random.default_rng(5)
    while waiting := memory.store.unembedded(embedder.space, limit=2000):
        shape = (len(waiting), 1 + _SENTENCES, embedder.dimension)
        rows = random.standard_normal(shape, dtype=np.float32)
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

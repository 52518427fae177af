"""Searching 100,000 passages: latency text-in to hits-out, resident memory, a cold process.

The corpus is the one of `indexing`. Embedding all of it takes an hour, so its passages get the
local model's vectors of 2,000 others, each repeated with seeded noise of 0.35 of its length; the
questions, no two the same, are embedded by the real model.
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
_BASES, _NOISE = 2_000, 0.35


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
        fill_vectors(memory, model, base_vectors(model, out / "bases.npy"))
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
    busy: list[float] = []
    for question in asked[_WARM_UP:]:
        start, before = time.perf_counter(), time.process_time()
        call(question)
        times.append(1000 * (time.perf_counter() - start))
        busy.append(1000 * (time.process_time() - before))
    shares = {f"p{round(100 * s)}": round(percentile(times, s), 2) for s in (0.5, 0.95, 0.99)}
    return shares | {"processor_p50": round(percentile(busy, 0.5), 2)}


def base_vectors(embedder: Embedder, kept: Path) -> Any:
    """float32[2000, d], the vectors of other passages, made once into the file `kept`."""
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

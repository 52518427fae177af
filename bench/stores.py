"""The same passages and questions on each database, side by side, as JSON.

    python -m bench.stores --passages 20000

Written: synthetic chunks with a vector each, in batches of 512, as `bench.store` makes them. Asked:
natural questions of a memory over the corpus of `bench.searching`, which is migrated from SQLite to
the others. PostgreSQL and Neo4j are servers of their own on this machine, with their writes forced
to the disk; `client_cpu` is the time of this process alone.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before numpy

import numpy as np
from tests.servers.postgres_server import PostgresServer

from bench.corpus import Words, write_corpus
from bench.measure import quipu, run
from bench.searching import QUESTIONS, _timed, base_vectors, fill_vectors
from bench.store import _AT, _SPACE, _WRITE, Corpus, _milliseconds, _questions
from bench.store_kills import KINDS, serving
from quipu import Memory
from quipu.embed import MiniLM
from quipu.ports import Store
from quipu.records.batch import Batch, Embedding
from quipu.store import open_store

Opened = Callable[[str], str]


@contextmanager
def _addresses(folder: Path, others: Sequence[str]) -> Iterator[dict[str, Opened]]:
    """For SQLite and each of the `others`, what gives the address of a new one of a name."""
    with ExitStack() as running:
        given: dict[str, Opened] = {"sqlite": lambda name: str(folder / f"{name}.db")}
        if "postgres" in others:
            settings = {"fsync": "on", "shared_buffers": "256MB", "max_wal_size": "4GB"}
            server = running.enter_context(PostgresServer(**settings))
            given["postgres"] = lambda _name: server.url(server.new_database())
        if "neo4j" in others:
            _, emptied = running.enter_context(serving("neo4j", folder))
            given["neo4j"] = lambda _name: emptied()
        yield given


def _batches(chunks: int) -> Iterator[Batch]:
    corpus, chooser = Corpus(), np.random.default_rng(2)
    for first in range(0, chunks, _WRITE):
        made = corpus.batch(first, min(_WRITE, chunks - first))
        rows = chooser.standard_normal((len(made.chunks), 384)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        vectors = tuple(
            Embedding(item.chunk.chunk_id, _SPACE, row, row[:0].reshape(0, 384))
            for item, row in zip(made.chunks, rows, strict=True)
        )
        yield Batch(recorded_at=_AT, episodes=made.episodes, chunks=made.chunks, embeddings=vectors)


def _written(store: Store, chunks: int) -> tuple[dict[str, Any], list[str]]:
    wall = client = 0.0
    texts: list[str] = []
    for batch in _batches(chunks):
        start, busy = time.perf_counter(), time.process_time()
        store.write(batch)
        wall += time.perf_counter() - start
        client += time.process_time() - busy
        texts.append(batch.chunks[0].chunk.text)
    return {
        "write_chunks_per_s": round(chunks / wall),
        "write_chunks_per_client_cpu_s": round(chunks / client),
    }, texts


def _indexes(store: Store, texts: list[str]) -> dict[str, Any]:
    asked, rows = _questions(texts, 120), np.random.default_rng(3).standard_normal((60, 384))
    queries = rows.astype(np.float32)
    start = time.perf_counter()
    store.match_vector(queries[0], space=_SPACE)
    first_s = time.perf_counter() - start

    def timed(calls: list[Callable[[], object]]) -> dict[str, float]:
        times: list[float] = []
        for call in calls:
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return _milliseconds(times)

    for question in asked[:20]:
        store.match_text("prose", question)
    found = store.match_vector(queries[0], space=_SPACE).numbers[:10]
    return {
        "first_vector_search_s": round(first_s, 2),
        "match_text_ms": timed([lambda q=q: store.match_text("prose", q) for q in asked[20:]]),
        "match_vector_ms": timed(
            [lambda q=q: store.match_vector(q, space=_SPACE) for q in queries]
        ),
        "ten_passages_ms": timed([lambda: store.chunks(found)] * 100),
    }


def measure(out: Path, passages: int, others: Sequence[str] = KINDS) -> dict[str, Any]:
    """Rates and percentiles of SQLite and the `others`."""
    figures: dict[str, Any] = {"passages": passages}
    corpus = out / f"corpus-{passages}"
    if not corpus.exists():
        write_corpus(corpus, passages)
    if not (corpus / ".quipu" / "quipu.db").exists():
        run(quipu("init"), cwd=corpus)
        run(quipu("index", ".", "--no-embed", "--json"), cwd=corpus)
    words, model = Words(11), MiniLM()
    asked = [words.question() for _ in range(QUESTIONS)]
    with tempfile.TemporaryDirectory() as folder, _addresses(Path(folder), others) as addresses:
        for kind, address in addresses.items():
            with open_store(address("written")) as store:
                written, texts = _written(store, passages)
                figures[kind] = written | _indexes(store, texts)
        with Memory.open(corpus / ".quipu" / "quipu.db", embedder=model) as memory:
            fill_vectors(memory, model, base_vectors(model, out / "bases.npy"))
            figures["sqlite"]["search_ms"] = _timed(memory.search, asked)
            figures["embedding_ms"] = _timed(model.embed_windows, asked)
            for kind in sorted(addresses.keys() - {"sqlite"}):
                with Memory.open(addresses[kind]("asked"), embedder=model, home=corpus) as other:
                    start = time.perf_counter()
                    done = memory.migrate(other)
                    figures[kind]["migrate_s"] = round(time.perf_counter() - start, 1)
                    figures[kind]["answered_alike"] = f"{done.alike} of {done.questions}"
                    figures[kind]["search_ms"] = _timed(other.search, asked)
    return figures


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("others", nargs="*", choices=[*KINDS, []], help="default: all")
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    print(json.dumps(measure(chosen.out, chosen.passages, chosen.others or KINDS), indent=2))


if __name__ == "__main__":
    main()

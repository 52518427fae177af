"""What the SQLite store costs at a given number of synthetic chunks, as JSON.

    python -m bench.store --chunks 100000

Chunks have 120 words by Zipf's law and 17 names each; questions have 8 to 15 words, three of four
of them drawn evenly from a passage, the rest by frequency.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from quipu.index import segments
from quipu.records.batch import Batch, Embedding, IndexedChunk
from quipu.records.ids import make_id
from quipu.records.record import Chunk, Episode
from quipu.records.scope import Scope
from quipu.store.sqlite import SQLiteStore

_AT = "2026-01-01T00:00:00.000Z"
_SPACE = "synthetic@384"
_WRITE = 512
_COLD = """
import json, sys, time
from pathlib import Path
from quipu.store.sqlite import SQLiteStore
import quipu.index.vector_file
import numpy as np
words = json.loads(sys.argv[2])
t = time.perf_counter()
store = SQLiteStore(Path(sys.argv[1]), namespace="default")
store.match_text("prose", dict.fromkeys(words, 1.0))
text = time.perf_counter() - t
t = time.perf_counter()
other = SQLiteStore(Path(sys.argv[1]), namespace="default")
if sys.argv[3] == "vectors":
    other.match_vector(np.ones(384, dtype=np.float32), space="synthetic@384")
print(json.dumps({"text_ms": 1e3 * text, "vector_ms": 1e3 * (time.perf_counter() - t)}))
"""


class Corpus:
    """Seeded chunks, made as they are asked for."""

    def __init__(self, seed: int = 0) -> None:
        """Make the vocabularies."""
        self.chooser = np.random.default_rng(seed)
        self.words = [f"w{n}" for n in range(60_000)]
        self.names = [f"name {n}" for n in range(200_000)]

    def batch(self, first: int, count: int) -> Batch:
        """`count` chunks of one episode each twenty."""
        episodes: dict[str, Episode] = {}
        chunks: list[IndexedChunk] = []
        words = self._zipf(len(self.words), (count, 120))
        names = self._zipf(len(self.names), (count, 17))
        for n in range(count):
            episode = self._episode((first + n) // 20)
            episodes[episode.episode_id] = episode
            text = " ".join(self.words[w] for w in words[n])
            chunks.append(self._chunk(episode, first + n, text, names[n]))
        return Batch(recorded_at=_AT, episodes=tuple(episodes.values()), chunks=tuple(chunks))

    def _zipf(self, size: int, shape: tuple[int, int]) -> np.ndarray:
        return (np.exp(self.chooser.random(shape) * np.log(size + 8)) - 8).clip(0).astype(np.int64)

    def _episode(self, n: int) -> Episode:
        return Episode(
            episode_id=make_id("episode", str(n)),
            source_type="file",
            source_ref=f"docs/{n}.md",
            observed_at=f"20{n % 25:02d}-01-01T00:00:00.000Z",
            ingested_at=_AT,
            content_hash=str(n),
            source_sha=str(n),
            document_id=make_id("entity", str(n)),
            group=f"g{n % 50}",
        )

    def _chunk(self, of: Episode, n: int, text: str, names: np.ndarray) -> IndexedChunk:
        terms: dict[str, int] = {}
        for word in text.split():
            terms[word] = terms.get(word, 0) + 1
        return IndexedChunk(
            Chunk(
                chunk_id=make_id("chunk", str(n)),
                episode_id=of.episode_id,
                document_id=of.document_id or "",
                profile="prose",
                position=n % 20,
                text=text,
                start_line=n,
                end_line=n,
                title=f"document {n // 20}",
            ),
            {
                "prose": terms,
                "title": {"document": 1, f"t{n // 20}": 1},
                "name": dict.fromkeys((self.names[i] for i in names), 1),
            },
            columns=bytes(1000),
        )


def _milliseconds(times: list[float]) -> dict[str, float]:
    ordered = sorted(1e3 * t for t in times)
    return {
        "p50": round(ordered[len(ordered) // 2], 3),
        "p95": round(ordered[int(len(ordered) * 0.95)], 3),
        "max": round(ordered[-1], 3),
    }


def _timed(calls: list) -> dict[str, float]:
    """Wall-clock figures, and the processor time of the median call (all threads)."""
    times: list[float] = []
    work: list[float] = []
    for call in calls:
        start, busy = time.perf_counter(), time.process_time()
        call()
        times.append(time.perf_counter() - start)
        work.append(time.process_time() - busy)
    return _milliseconds(times) | {"cpu_p50": _milliseconds(work)["p50"]}


def _questions(texts: list[str], count: int) -> list[dict[str, float]]:
    chooser = random.Random(1)
    asked: list[dict[str, float]] = []
    for _ in range(count):
        own = list(dict.fromkeys(chooser.choice(texts).split()))
        size = chooser.randint(8, 15)
        common = [f"w{int(60_000 ** chooser.random())}" for _ in range(size // 4)]
        asked.append(dict.fromkeys([*chooser.sample(own, size - len(common)), *common], 1.0))
    return asked


def _write(store: SQLiteStore, corpus: Corpus, chunks: int) -> tuple[dict[str, float], list[str]]:
    spent = postings = 0.0
    texts: list[str] = []
    for first in range(0, chunks, _WRITE):
        batch = corpus.batch(first, min(_WRITE, chunks - first))
        posted = [
            segments.Posted(n, item.chunk.chunk_id, item.fields)
            for n, item in enumerate(batch.chunks)
        ]
        start = time.process_time()
        segments.build(posted)
        built = time.process_time()
        store.write(batch)
        spent += time.process_time() - built
        postings += built - start
        texts.append(batch.chunks[0].chunk.text)
    return {
        "write_chunks_per_cpu_s": round(chunks / spent),
        "build_postings_chunks_per_cpu_s": round(chunks / postings),
    }, texts


def _embed(store: SQLiteStore, chunks: int) -> dict[str, float]:
    chooser = np.random.default_rng(2)
    spent = 0.0
    for first in range(0, chunks, _WRITE):
        rows = chooser.standard_normal((min(_WRITE, chunks - first), 384)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        embeddings = tuple(
            Embedding(make_id("chunk", str(first + n)), _SPACE, row, np.stack([row] * 5))
            for n, row in enumerate(rows)
        )
        start = time.perf_counter()
        store.write(Batch(recorded_at=_AT, embeddings=embeddings))
        spent += time.perf_counter() - start
    return {"write_vectors_per_s": round(chunks / spent)}


def _search(store: SQLiteStore, texts: list[str], corpus: Corpus, vectors: bool) -> dict:
    asked = _questions(texts, 300)
    keys = [[corpus.names[i] for i in corpus._zipf(200_000, (1, 340))[0]] for _ in range(50)]
    scopes = [Scope(before=f"20{n % 25:02d}-06", groups=frozenset({f"g{n}"})) for n in range(50)]
    for question in asked[:50]:
        store.match_text("prose", question)
    found = {
        "match_text_ms": _timed([lambda q=q: store.match_text("prose", q) for q in asked[50:]]),
        "match_text_scoped_ms": _timed(
            [
                lambda q=q, s=s: store.match_text("prose", q, scope=s)
                for q, s in zip(asked, [scopes[0], *scopes], strict=False)
            ]
        ),
        "occurrences_340_names_ms": _timed(
            [lambda k=k: store.occurrences("name", k, limit=60) for k in keys]
        ),
    }
    if vectors:
        chooser = np.random.default_rng(3)
        queries = chooser.standard_normal((60, 384)).astype(np.float32)
        store.match_vector(queries[0], space=_SPACE)
        numbers = chooser.integers(0, 1000, 3000)
        found |= {
            "match_vector_ms": _timed(
                [lambda q=q: store.match_vector(q, space=_SPACE) for q in queries]
            ),
            "match_vector_scoped_ms": _timed(
                [
                    lambda q=q, s=s: store.match_vector(q, space=_SPACE, scope=s)
                    for q, s in zip(queries, scopes, strict=False)
                ]
            ),
            "gather_3000_vectors_ms": _timed([lambda: store.vectors(numbers, _SPACE)] * 20),
        }
    return found


def main() -> None:
    """Write, search, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--no-vectors", action="store_true")
    options = parser.parse_args()
    corpus = Corpus()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        with SQLiteStore(path, namespace="default") as store:
            figures, texts = _write(store, corpus, options.chunks)
            if not options.no_vectors:
                figures |= _embed(store, options.chunks)
            figures |= _search(store, texts, corpus, not options.no_vectors)
            singles = [corpus.batch(options.chunks + 20 * n, 1) for n in range(100)]
            figures["add_one_chunk_ms"] = _timed([lambda b=b: store.write(b) for b in singles])
            figures["segments"] = [h.size for h in store._postings.heads()]
        words = json.dumps(list(_questions(texts, 1)[0]))
        with_vectors = "none" if options.no_vectors else "vectors"
        command = [sys.executable, "-c", _COLD, str(path), words, with_vectors]
        cold = [
            json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            for _ in range(3)
        ]
        figures["cold"] = cold[-1]
        figures["file_mb"] = round(path.stat().st_size / 1e6)
    figures["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()

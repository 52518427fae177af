"""The vector index alone at 10,000 to 1,000,000 vectors: search, recall, growth, memory, disk.

The local model's vectors of 2,000 synthetic passages, each repeated with noise of 0.35 of its
length; questions are vectors of other passages. Sketches and the exact scan are asked in turn, on
one thread; times are of the processor.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from bench.corpus import Words
from bench.measure import percentile, resident_mb
from quipu.embed import MiniLM
from quipu.index.nearest import EXACT_UP_TO, Nearest, SpaceInfo, StoredVector
from quipu.index.vector_file import VectorFile
from quipu.ports import Change

SIZES = (10_000, 100_000, 300_000, 1_000_000)
_BASES, _QUESTIONS, _NOISE = 2_000, 100, 0.35
_BATCH = 4_096
_INFO = SpaceInfo("bench", 384)


def measure(out: Path, passages: int) -> dict[str, Any]:
    """Figures of each size; `passages` has no part in it."""
    del passages
    kept = out / "vectors.npy"
    if not kept.exists():
        words = Words(13)
        np.save(kept, MiniLM().embed([words.passage() for _ in range(_BASES + _QUESTIONS)]))
    found: dict[str, Any] = {}
    for size in SIZES:  # a process each, for what it holds
        command = [sys.executable, "-m", "bench.vectors", str(kept), str(size)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found[str(size)] = msgspec.json.decode(done.stdout)
    return found


class _Rows:
    """A change log in which each vector is a change, as a store would answer."""

    def __init__(self, bases: np.ndarray) -> None:
        self._bases, self.count = bases, 0

    def some(self, first: int, count: int) -> np.ndarray:
        """float16[count, 384], the same for the same `first`."""
        draw = np.random.default_rng(first)
        rows = self._bases[np.arange(first, first + count) % len(self._bases)]
        noise = draw.standard_normal(rows.shape, dtype=np.float32) * _NOISE / rows.shape[1] ** 0.5
        rows = rows + noise
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)

    def space(self, space: str) -> SpaceInfo | None:
        return _INFO

    def every_vector(self, space: str) -> Iterator[StoredVector]:
        for first in range(0, self.count, _BATCH):
            for n, row in enumerate(self.some(first, min(_BATCH, self.count - first))):
                yield StoredVector(first + n, row.tobytes())

    def vectors_of(self, space: str, chunk_ids: Sequence[str]) -> Iterator[StoredVector]:
        numbers = sorted(map(int, chunk_ids))
        for first in sorted({n - n % _BATCH for n in numbers}):
            rows = self.some(first, _BATCH)
            yield from (
                StoredVector(n, rows[n - first].tobytes())
                for n in numbers
                if 0 <= n - first < _BATCH
            )

    def changes_after(self, sequence: int, limit: int) -> list[Change]:
        some = range(sequence + 1, min(sequence + 1 + limit, self.count))
        return [Change(n, "vector", f"{n:012}", "put") for n in some]


class _Postings:
    """Rows of as many live chunks."""

    def __init__(self, count: int) -> None:
        self.numbers = np.arange(count, dtype=np.int64)
        self.order_keys = self.numbers.view(np.uint64)
        self.alive = np.ones(count, dtype=np.bool_)

    def rows_of(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = np.searchsorted(self.numbers, numbers)
        return rows, np.ones(len(rows), dtype=np.bool_)


def _spent(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _opened(rows: _Rows, folder: Path, exact_up_to: int) -> Nearest:
    postings: Any = _Postings(rows.count)
    file = VectorFile(folder, "bench", writable=True)
    return Nearest(rows, postings, "space", file=file, exact_up_to=exact_up_to)


def _grown(rows: _Rows, folder: Path, size: int) -> float:
    """Processor seconds to keep `size` vectors that come by and by."""
    making = spent = 0.0
    index = _opened(rows, folder, EXACT_UP_TO)
    while rows.count < size:
        making += _spent(lambda: rows.some(rows.count, _BATCH))
        rows.count = min(rows.count + _BATCH, size)
        postings: Any = _Postings(rows.count)
        index._postings = postings
        spent += _spent(lambda: (index.follow(_INFO, rows.count - 1), index.keep()))
    return spent - making


def _at(kept: Path, size: int) -> dict[str, Any]:
    every = np.load(kept)
    asked, tenth = every[-_QUESTIONS:], np.arange(size) % 10 == 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rows = _Rows(every[:-_QUESTIONS])
        keeping = _grown(rows, folder, size)
        before = resident_mb()
        fast, exact = _opened(rows, folder, EXACT_UP_TO), _opened(rows, folder, size)
        opening = _spent(lambda: fast.follow(_INFO, size - 1))
        first = _spent(lambda: fast.search(asked[0], None, 100))
        fast._scored = exact._scored = 1 << 40  # as after many searches
        fast.search(asked[0], None, 100)
        held = resident_mb() - before
        exact.follow(_INFO, size - 1)
        exact.search(asked[0], None, 100)
        times: dict[str, list[float]] = {"sketches": [], "exact": [], "a tenth": []}
        found: dict[str, list[set[int]]] = {name: [] for name in times}
        for question in asked:
            for name, index, mask in (
                ("sketches", fast, None),
                ("exact", exact, None),
                ("a tenth", fast, tenth),
            ):
                start = time.process_time()
                ranking = index.search(question, mask, 100)
                times[name].append(1e3 * (time.process_time() - start))
                found[name].append(set(ranking.numbers.tolist()))
        shared = sum(len(a & b) for a, b in zip(found["sketches"], found["exact"], strict=True))
        return {
            "search_ms": {
                name: {"p50": round(percentile(t, 0.5), 2), "p95": round(percentile(t, 0.95), 2)}
                for name, t in times.items()
            },
            "recall_at_100": round(shared / (100 * len(asked)), 5),
            "keeping_us_a_vector": round(1e6 * keeping / size, 1),
            "opening_s": round(opening, 3),
            "first_search_s": round(first, 3),
            "held_mb": round(held),
            "disk_mb": round(sum(f.stat().st_size for f in folder.iterdir()) / 1e6),
        }


if __name__ == "__main__":
    figures = _at(Path(sys.argv[1]), int(sys.argv[2]))
    print(msgspec.json.encode(figures).decode())

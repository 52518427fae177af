"""`python -m bench speed [postgres] [neo4j] [--passages N]`: speed of indexing and searching.

This repository and a synthetic corpus are indexed as the command does it, once and then unchanged;
the corpus is searched with natural questions of 8 to 15 words, no two the same, embedded by the
real model. Embedding all of the corpus would take an hour: a passage and each of its sentences get
the model's vector of one of 2,000 others, with seeded noise of 0.35 of its length. With the name of
a database the memory is migrated to a server of its own on this machine (writes forced to the disk)
and asked the same there; `client_cpu` is the time of this process alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before numpy

import numpy as np

from bench.corpus import Words, write_corpus
from bench.store_kills import KINDS, serving
from quipu import Memory
from quipu.embed import MiniLM
from quipu.ports import Embedder
from quipu.records.batch import Batch, Embedding
from quipu.when.instants import system_clock

ROOT = Path(__file__).parents[1]
_QUESTIONS, _WARM_UP, _COLD = 220, 20, 5
_BASES, _NOISE, _SENTENCES = 2_000, 0.35, 8


def main(arguments: Sequence[str]) -> int:
    """Measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench speed", description=__doc__)
    parser.add_argument("databases", nargs="*", choices=[*KINDS, []], help="default: SQLite alone")
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--out", type=Path, default=Path("bench/out"), help="keeps the corpus")
    chosen = parser.parse_args(arguments)
    chosen.out.mkdir(parents=True, exist_ok=True)
    print(json.dumps(measure(chosen.out, chosen.passages, chosen.databases), indent=2))
    return 0


def measure(out: Path, passages: int, databases: Sequence[str] = ()) -> dict[str, Any]:
    """Return passages a second, peak memory, percentiles of a search, and a cold one."""
    figures: dict[str, Any] = {"python": platform.python_version(), "passages": passages}
    with tempfile.TemporaryDirectory() as scratch:
        repository = Path(scratch)
        listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
        for name in filter(None, listed.split("\0")):
            (repository / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, repository / name)
        figures["repository"] = _index_twice(repository, "--no-embed")
        figures["repository_embedded"] = _index_twice(repository)
    corpus = out / f"corpus-{passages}"
    if not corpus.exists():
        write_corpus(corpus, passages)
    figures["synthetic"] = _index_twice(corpus, "--no-embed")
    words, model = Words(11), MiniLM()
    asked = [words.question() for _ in range(_QUESTIONS)]
    with Memory.open(corpus / ".quipu" / "quipu.db", embedder=model) as memory:
        _fill_vectors(memory, model, out / "bases.npy")
        figures["question_embedding_ms"] = _timed(model.embed_windows, asked)
        figures["search_ms"] = _timed(memory.search, asked)
        figures["resident_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
        for kind in databases:
            with _elsewhere(kind, memory, model, corpus, passages) as (other, migrated):
                figures[kind] = {**migrated, "search_ms": _timed(other.search, asked)}
    cold = [_run("search", asked[0], "--json", cwd=corpus)[0] for _ in range(_COLD)]
    return figures | {"cold_search_s": round(sorted(cold)[_COLD // 2], 2)}


def _index_twice(folder: Path, *options: str) -> dict[str, Any]:
    """Return the figures of a first run in a fresh memory and of an unchanged one."""
    shutil.rmtree(folder / ".quipu", ignore_errors=True)
    _run("init", cwd=folder)
    first_s, peak_mb, report = _run("index", ".", "--json", *options, cwd=folder)
    unchanged_s, _, _ = _run("index", ".", "--json", *options, cwd=folder)
    chunks = json.loads(_run("status", "--json", cwd=folder)[2])["counts"]["chunk"]
    return {
        "documents": json.loads(report)["documents"],
        "chunks": chunks,
        "first_s": round(first_s, 2),
        "chunks_per_s": round(chunks / first_s),
        "peak_mb": round(peak_mb),
        "unchanged_s": round(unchanged_s, 2),
    }


def _run(*words: str, cwd: Path) -> tuple[float, float, str]:
    """Run `quipu` to its end: seconds, the largest memory of one of its processes, its output."""
    quipu = str(Path(sys.executable).with_name("quipu"))
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen([quipu, *words], cwd=cwd, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        took_s = time.perf_counter() - start
        output.seek(0)
        if process.returncode:
            raise RuntimeError(f"quipu {words} ended with {process.returncode}: see above")
        return took_s, used.ru_maxrss / 1000, output.read()


def _fill_vectors(memory: Memory, embedder: Embedder, kept: Path) -> None:
    """Give every passage without a vector one of the vectors in `kept` with noise, and one for
    each sentence; the file is made when it is not there."""
    if not kept.exists():
        words = Words(13)
        np.save(kept, embedder.embed([words.passage() for _ in range(_BASES)]))
    bases, random = np.load(kept), np.random.default_rng(5)
    while waiting := memory.store.unembedded(embedder.space, limit=2000):
        shape = (len(waiting), 1 + _SENTENCES, embedder.dimension)
        rows = random.standard_normal(shape, dtype=np.float32) * _NOISE / embedder.dimension**0.5
        rows += bases[random.integers(0, len(bases), len(waiting))][:, None]
        rows /= np.linalg.norm(rows, axis=2, keepdims=True)
        embeddings = tuple(
            Embedding(chunk.chunk_id, embedder.space, row[0], row[1:])
            for chunk, row in zip(waiting, rows, strict=True)
        )
        memory.store.write(Batch(recorded_at=system_clock(), embeddings=embeddings))


@contextmanager
def _elsewhere(
    kind: str, memory: Memory, model: Embedder, home: Path, passages: int
) -> Iterator[tuple[Memory, dict[str, int]]]:
    """A copy of the memory on a server that lasts as long as the block, and how fast it came."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(kind, Path(folder)) as (_, new_store),
        Memory.open(new_store(), embedder=model, home=home) as other,
    ):
        start, busy = time.perf_counter(), time.process_time()
        memory.migrate(other)
        wall_s, client_s = time.perf_counter() - start, time.process_time() - busy
        yield (
            other,
            {
                "passages_per_s": round(passages / wall_s),
                "passages_per_client_cpu_s": round(passages / client_s),
            },
        )


def _timed(call: Callable[[str], object], asked: Sequence[str]) -> dict[str, float]:
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
    shares = {f"p{round(100 * s)}": _percentile(times, s) for s in (0.5, 0.95, 0.99)}
    return shares | {"processor_p50": _percentile(busy, 0.5)}


def _percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed (nearest rank)."""
    return round(sorted(values)[max(math.ceil(share * len(values)) - 1, 0)], 2)

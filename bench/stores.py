"""The same passages and questions on each database, side by side, as JSON.

    python -m bench stores [postgres] [neo4j] --passages 20000

A memory over the synthetic corpus is filled in SQLite, migrated to each server and asked natural
questions there; the records of the whole corpus are copied in batches of 512, which is what the
rate of writing is of. PostgreSQL and Neo4j are servers of their own on this machine, with their
writes forced to the disk; `client_cpu` is the time of this process alone.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before numpy

from bench.corpus import Words
from bench.store_kills import KINDS, serving
from bench.synthetic import base_vectors, fill_vectors, indexed_corpus, timed
from quipu import Memory
from quipu.embed import MiniLM

_QUESTIONS = 220


def measure(out: Path, passages: int, others: Sequence[str] = KINDS) -> dict[str, Any]:
    """Return rates and percentiles of SQLite and of the `others`."""
    words, model = Words(11), MiniLM()
    asked = [words.question() for _ in range(_QUESTIONS)]
    home = out / f"corpus-{passages}"
    database = indexed_corpus(home, passages)
    figures: dict[str, Any] = {"passages": passages}
    with ExitStack() as running, Memory.open(database, embedder=model) as memory:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        fill_vectors(memory, model, base_vectors(model, out / "bases.npy"))
        figures["sqlite"] = {"search_ms": timed(memory.search, asked)}
        figures["embedding_ms"] = timed(model.embed_windows, asked)
        addresses: dict[str, Callable[[], str]] = {
            "another sqlite": lambda: str(folder / "other.db")
        }
        for kind in others:
            addresses[kind] = running.enter_context(serving(kind, folder))[1]
        for kind, address in addresses.items():
            with Memory.open(address(), embedder=model, home=home) as other:
                figures[kind] = _migrated(memory, other, passages)
                figures[kind]["search_ms"] = timed(other.search, asked)
    return figures


def _migrated(memory: Memory, other: Memory, passages: int) -> dict[str, Any]:
    """Copy the memory to another; how fast, and whether it then answers alike."""
    start, busy = time.perf_counter(), time.process_time()
    done = memory.migrate(other)
    wall, client = time.perf_counter() - start, time.process_time() - busy
    return {
        "passages_per_s": round(passages / wall),
        "passages_per_client_cpu_s": round(passages / client),
        "answered_alike": f"{done.alike} of {done.questions}",
    }


def main(arguments: Sequence[str]) -> int:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench stores", description=__doc__)
    parser.add_argument("others", nargs="*", choices=[*KINDS, []], help="default: all")
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    chosen = parser.parse_args(arguments)
    chosen.out.mkdir(parents=True, exist_ok=True)
    print(json.dumps(measure(chosen.out, chosen.passages, chosen.others or KINDS), indent=2))
    return 0

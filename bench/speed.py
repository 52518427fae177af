"""Speed: indexing this repository and a synthetic corpus, and searching the corpus.

Indexing runs as the command does, once and then unchanged. Searches are natural questions of 8 to
15 words, no two the same, embedded by the real model; the passages have synthetic vectors
(`bench/synthetic.py`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before numpy

from bench.corpus import Words, write_corpus
from bench.measure import quipu, resident_mb, run
from bench.synthetic import base_vectors, fill_vectors, timed
from quipu import Memory
from quipu.embed import MiniLM

ROOT = Path(__file__).parents[1]
_QUESTIONS, _COLD = 220, 5


def measure(out: Path, passages: int) -> dict[str, Any]:
    """Return chunks a second, peak memory, percentiles of a search, and a cold one."""
    with tempfile.TemporaryDirectory() as scratch:
        repository = Path(scratch) / "repository"
        _copy_tracked(repository)
        indexing = {
            "repository": _index_twice(repository),
            "repository_embedded": _index_twice(repository, embed=True),
        }
    corpus = out / f"corpus-{passages}"
    if not corpus.exists():
        write_corpus(corpus, passages)
    indexing["synthetic"] = _index_twice(corpus)
    return {"indexing": indexing, "searching": _search(corpus, out)}


def _copy_tracked(target: Path) -> None:
    """Copy the tracked files of this repository, without its history."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target / name)


def _index_twice(folder: Path, *, embed: bool = False) -> dict[str, Any]:
    """Return the figures of a first run in a fresh memory and of an unchanged one."""
    shutil.rmtree(folder / ".quipu", ignore_errors=True)
    run(quipu("init"), cwd=folder)
    command = quipu("index", ".", "--json", *([] if embed else ["--no-embed"]))
    first, again = run(command, cwd=folder), run(command, cwd=folder)
    status = json.loads(run(quipu("status", "--json"), cwd=folder).output)
    chunks = status["counts"]["chunk"]
    return {
        "documents": json.loads(first.output)["documents"],
        "chunks": chunks,
        "first_s": round(first.wall_s, 2),
        "chunks_per_s": round(chunks / first.wall_s),
        "peak_mb": round(first.peak_mb),
        "unchanged_s": round(again.wall_s, 2),
    }


def _search(corpus: Path, out: Path) -> dict[str, Any]:
    words, model = Words(11), MiniLM()
    asked = [words.question() for _ in range(_QUESTIONS)]
    with Memory.open(corpus / ".quipu" / "quipu.db", embedder=model) as memory:
        fill_vectors(memory, model, base_vectors(model, out / "bases.npy"))
        figures = {
            "chunks": memory.stats().counts["chunk"],
            "question_embedding_ms": timed(model.embed_windows, asked),
            "search_ms": timed(memory.search, asked),
            "resident_mb": round(resident_mb()),
        }
    cold = [run(quipu("search", asked[0], "--json"), cwd=corpus) for _ in range(_COLD)]
    return figures | {
        "cold_search_s": round(sorted(c.wall_s for c in cold)[_COLD // 2], 2),
        "cold_search_peak_mb": round(max(c.peak_mb for c in cold)),
    }

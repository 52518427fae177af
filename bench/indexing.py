"""Indexing: this repository and a synthetic corpus, first run and unchanged run, as processes."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bench.corpus import write_corpus
from bench.measure import Run, quipu, run

ROOT = Path(__file__).parents[1]


def measure(out: Path, passages: int) -> dict[str, Any]:
    """Chunks a second with and without embedding, peak memory, and the unchanged run's gain."""
    with tempfile.TemporaryDirectory() as scratch:
        repository = Path(scratch) / "repository"
        _checkout(repository)
        figures = {
            "repository": _index_twice(repository),
            "repository_embedded": _index_twice(_fresh(repository), embed=True),
        }
    corpus = out / f"corpus-{passages}"
    if not corpus.exists():
        write_corpus(corpus, passages)
    return figures | {"synthetic": _index_twice(_fresh(corpus))}


def _checkout(target: Path) -> None:
    """The tracked files of this repository, without its history."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target / name)


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder / ".quipu", ignore_errors=True)
    return folder


def _index_twice(folder: Path, *, embed: bool = False) -> dict[str, Any]:
    run(quipu("init"), cwd=folder)
    command = quipu("index", ".", "--json", *([] if embed else ["--no-embed"]))
    first = run(command, cwd=folder)
    again = run(command, cwd=folder)
    chunks = _chunks(folder)
    return {
        "documents": json.loads(first.output)["documents"],
        "chunks": chunks,
        "first_s": round(first.wall_s, 2),
        "chunks_per_s": round(chunks / first.wall_s),
        "peak_mb": round(first.peak_mb),
        "unchanged_s": round(again.wall_s, 2),
        "unchanged_gain": round(first.wall_s / again.wall_s, 1),
        "wrote_nothing": _changes(again) == 0,
    }


def _chunks(folder: Path) -> int:
    status = json.loads(run(quipu("status", "--json"), cwd=folder).output)
    return status["counts"]["chunk"]


def _changes(again: Run) -> int:
    report = json.loads(again.output)
    return sum(
        len(report[key]) if isinstance(report[key], list) else report[key]
        for key in ("added", "changed", "removed", "renamed")
    )

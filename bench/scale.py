"""One memory grown to a million passages: search, memory, opening and disk.

    python -m bench scale [--sizes 10000,100000,300000,1000000]

The corpus is the one of `speed`; it grows, and so does one memory over it, words and graph by
`quipu index --no-embed`. The vectors are synthetic (`bench/synthetic.py`). At each size new
processes open the memory and ask questions that no process before has asked, embedded by the real
model. An exponent is the slope of the logarithm of a figure over that of the number of passages,
between two sizes.

A million passages take some 15 GB of disk below `--folder`, removed afterwards unless kept. A run
that was stopped goes on with `--resume`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before numpy

from bench.corpus import Pages, Words
from bench.measure import percentile, quipu, resident_mb, run
from bench.synthetic import base_vectors, fill_vectors
from quipu import Memory
from quipu.embed import MiniLM

SIZES = (10_000, 100_000, 300_000, 1_000_000)
QUESTIONS, WARM_UP = 150, 20
_BASES = Path("bench/out/bases.npy")


def main(arguments: list[str]) -> int:
    """Grow, measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench scale", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--folder", type=Path, default=Path("bench/out/scale"))
    parser.add_argument("--out", type=Path, default=Path("bench/out/scale.json"))
    parser.add_argument("--keep", action="store_true", help="leave the memory in --folder")
    parser.add_argument("--resume", action="store_true", help="go on from what was kept")
    chosen = parser.parse_args(arguments)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    if not chosen.resume:
        shutil.rmtree(chosen.folder, ignore_errors=True)
        chosen.out.unlink(missing_ok=True)
    grow(chosen.folder, [int(size) for size in chosen.sizes.split(",")], chosen.out)
    if not chosen.keep:
        shutil.rmtree(chosen.folder)
    figures = {int(size): at for size, at in json.loads(chosen.out.read_text("utf-8")).items()}
    print(json.dumps({"sizes": figures, "exponents": exponents(figures)}, indent=2))
    return 0


def grow(folder: Path, sizes: list[int], out: Path) -> None:
    """Figures of each size into the JSON file `out`, each as soon as it is there.

    Sizes that `out` has already are passed over.
    """
    pages, found = Pages(folder), dict[str, Any]()
    if out.exists():
        found = json.loads(out.read_text(encoding="utf-8"))
    for number, size in enumerate(sorted(sizes)):
        pages.grow(size)
        if str(size) in found:
            continue
        if not (folder / ".quipu").exists():
            _spent(quipu("init"), cwd=folder)
        indexing = _spent(quipu("index", ".", "--no-embed", "--json"), cwd=folder)
        vectors = _spent(_part("fill", folder, size))
        # Questions of a seed for each size: the embedder keeps those it was asked.
        found[str(size)] = {
            "indexing": indexing,
            "vectors": vectors,
            "disk_mb": _disk_mb(folder / ".quipu"),
            **_printed(_part("search", folder, number)),
        }
        out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        print(f"{size}: {found[str(size)]['search_ms']}", file=sys.stderr, flush=True)


def _part(name: str, folder: Path, seed: int = 0) -> list[str]:
    return [sys.executable, "-m", "bench.scale", "--part", name, str(folder), str(seed)]


def _printed(command: list[str]) -> Any:
    return json.loads(run(command).output)


def _spent(command: list[str], *, cwd: Path | None = None) -> dict[str, float]:
    """What a command and its processes took and held."""
    done = run(command, cwd=cwd)
    return {
        "s": round(done.wall_s, 1),
        "processor_s": round(done.processor_s, 1),
        "peak_mb": round(done.peak_mb),
    }


def _disk_mb(home: Path) -> dict[str, int]:
    files = [file for file in home.rglob("*") if file.is_file()]
    database = sum(f.stat().st_size for f in files if f.name.startswith("quipu.db"))
    every = sum(f.stat().st_size for f in files)
    return {"all": round(every / 1e6), "database": round(database / 1e6)}


def _fill(memory: Memory, model: MiniLM, seed: int) -> dict[str, Any]:
    fill_vectors(memory, model, base_vectors(model, _BASES), seed=seed)
    return {}


def _search(memory: Memory, model: MiniLM, seed: int) -> dict[str, Any]:
    """Of one process: the first search, then each question once, and what it holds."""
    opened = resident_mb()
    first, *asked = _questions(seed, 1 + WARM_UP + QUESTIONS)
    model.embed_windows(first)  # the model is loaded, as after any question
    begun = _timed(lambda: memory.search(first))
    searches = [_timed(lambda question=q: memory.search(question)) for q in asked][WARM_UP:]
    embedding = [_timed(lambda question=q: model.embed_windows(question)) for q in asked][WARM_UP:]
    return {
        "chunks": memory.stats().counts["chunk"],
        "first_search_ms": {"clock": begun[0], "processor": begun[1]},
        "search_ms": _percentiles(searches),
        "question_embedding_ms": _percentiles(embedding),
        "resident_mb": {"opened": round(opened), "searched": round(resident_mb())},
    }


_PARTS: dict[str, Callable[[Memory, MiniLM, int], dict[str, Any]]] = {
    "fill": _fill,
    "search": _search,
}


def _questions(seed: int, count: int) -> list[str]:
    words = Words(7)  # the vocabulary of the corpus
    words.random.seed(1_000 + seed)
    return [words.question() for _ in range(count)]


def _timed(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of the clock and of the processor."""
    start, before = time.perf_counter(), time.process_time()
    call()
    busy = time.process_time() - before
    return round(1e3 * (time.perf_counter() - start), 2), round(1e3 * busy, 2)


def _percentiles(times: list[tuple[float, float]]) -> dict[str, float]:
    clock, busy = [list(column) for column in zip(*times, strict=True)]
    return {
        "p50": percentile(clock, 0.5),
        "p95": percentile(clock, 0.95),
        "processor_p50": percentile(busy, 0.5),
        "processor_p95": percentile(busy, 0.95),
    }


def _run_part(name: str, folder: Path, seed: int) -> None:
    model = MiniLM()
    home, start, before = folder / ".quipu" / "quipu.db", time.perf_counter(), time.process_time()
    with Memory.open(home, embedder=model) as memory:
        opening = {
            "clock": round(time.perf_counter() - start, 3),
            "processor": round(time.process_time() - before, 3),
        }
        found = _PARTS[name](memory, model, seed)
    print(json.dumps(({"opening_s": opening} if name == "search" else {}) | found))


def exponent(less: tuple[float, float], more: tuple[float, float]) -> float:
    """The power with which a figure grows from (size, figure) to a greater size's."""
    return math.log(max(more[1], 1e-9) / max(less[1], 1e-9)) / math.log(more[0] / less[0])


FIGURES: dict[str, Callable[[Any], float]] = {
    "search, processor p50": lambda at: at["search_ms"]["processor_p50"],
    "search, processor p95": lambda at: at["search_ms"]["processor_p95"],
    "first search, processor": lambda at: at["first_search_ms"]["processor"],
    "opening, processor": lambda at: at["opening_s"]["processor"],
    "resident memory": lambda at: at["resident_mb"]["searched"],
    "disk": lambda at: at["disk_mb"]["all"],
}


def exponents(figures: dict[int, Any]) -> dict[str, dict[str, float]]:
    """Of each figure, the exponent from each size to the next and from the second to the last."""
    sizes = sorted(figures)
    steps = list(itertools.pairwise(sizes))
    if len(sizes) > 3:
        steps.append((sizes[1], sizes[-1]))
    return {
        name: {
            f"{less} to {more}": round(
                exponent((less, of(figures[less])), (more, of(figures[more]))), 2
            )
            for less, more in steps
        }
        for name, of in FIGURES.items()
    }


if __name__ == "__main__":
    _, _, name, folder, seed = sys.argv
    _run_part(name, Path(folder), int(seed))

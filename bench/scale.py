"""One memory grown to a million passages: search, memory, opening, disk, and what grows with it.

    python -m bench scale [--sizes 10000,100000,300000,1000000] [--png GROWTH.png]

The corpus is the one of `indexing`; it grows, and so does one memory over it, words and graph by
`quipu index --no-embed`. The vectors are those of `searching`: the local model's of 2,000 other
passages, each repeated with noise, one a passage and one for each of its eight sentences. At each
size new processes open the memory and ask questions that no process before has asked, embedded by
the real model. An exponent is the slope of the logarithm of a figure over that of the number of
passages, between two sizes. A function `grows` when the time in it does so with more than the power
of one half; it is profiled apart from what is timed.

A million passages take some 15 GB of disk below `--folder`, removed afterwards unless kept. A run
that was stopped goes on with `--resume`.
"""

from __future__ import annotations

import argparse
import cProfile
import itertools
import json
import math
import os
import pstats
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before numpy

from bench.corpus import Pages, Words
from bench.measure import percentile, quipu, resident_mb, run
from bench.searching import base_vectors, fill_vectors
from quipu import Memory
from quipu.embed import MiniLM

SIZES = (10_000, 100_000, 300_000, 1_000_000)
QUESTIONS, WARM_UP, PROFILED = 150, 20, 50
GOAL = 0.5
_WAY = 8  # functions upward
_BASES = Path("bench/out/bases.npy")
_SHARE = 0.01  # of a search at the greatest size: below it a function is not worth a row


def main(arguments: list[str]) -> int:
    """Grow, measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench scale", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--folder", type=Path, default=Path("bench/out/scale"))
    parser.add_argument("--out", type=Path, default=Path("bench/out/scale.json"))
    parser.add_argument("--keep", action="store_true", help="leave the memory in --folder")
    parser.add_argument("--resume", action="store_true", help="go on from what was kept")
    parser.add_argument("--png", type=Path, help="draw the figures of --out there")
    parser.add_argument("--drawn", action="store_true", help="draw only; measure nothing")
    chosen = parser.parse_args(arguments)
    if not chosen.drawn:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        if not chosen.resume:
            shutil.rmtree(chosen.folder, ignore_errors=True)
            chosen.out.unlink(missing_ok=True)
        grow(chosen.folder, [int(size) for size in chosen.sizes.split(",")], chosen.out)
        if not chosen.keep:
            shutil.rmtree(chosen.folder)
    figures = json.loads(chosen.out.read_text(encoding="utf-8"))
    figures = {int(size): found for size, found in figures.items()}
    shown = {n: {k: v for k, v in at.items() if k != "profile"} for n, at in figures.items()}
    told = {"sizes": shown, "exponents": exponents(figures), "grows": growing(figures)}
    print(json.dumps(told, indent=2))
    if chosen.png:
        draw(figures, chosen.png)
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
        # Questions of a seed for each size and part: the embedder keeps those it was asked.
        found[str(size)] = {
            "indexing": indexing,
            "vectors": vectors,
            "disk_mb": _disk_mb(folder / ".quipu"),
            **_printed(_part("search", folder, 2 * number)),
            "profile": _printed(_part("profile", folder, 2 * number + 1)),
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


def _profile(memory: Memory, model: MiniLM, seed: int) -> dict[str, Any]:
    """Milliseconds a search in each function itself, of questions asked after a warm-up."""
    del model
    asked = _questions(seed, WARM_UP + PROFILED)
    for question in asked[:WARM_UP]:
        memory.search(question)
    profile = cProfile.Profile(time.process_time)
    profile.enable()
    for question in asked[WARM_UP:]:
        memory.search(question)
    profile.disable()
    rows: dict[Any, Any] = pstats.Stats(profile).stats  # pyright: ignore
    return {
        _named(*key): {
            "ms": 1e3 * own / PROFILED,
            "calls": calls / PROFILED,
            "called_by": _called_by(rows, key),
        }
        for key, (_, calls, own, *_) in rows.items()
        if own / PROFILED > 2e-6
    }


def _called_by(rows: dict[Any, Any], key: Any) -> list[str]:
    """The way up by who waited longest, our own functions only."""
    way: list[Any] = []
    while len(way) < _WAY and (callers := rows[key][4]):
        key = max(callers, key=lambda each: (callers[each][3], each))
        if key in way:
            break
        way.append(key)
    return [name for name in (_named(*each) for each in way) if name.startswith("quipu/")]


def _named(file: str, line: int, function: str) -> str:
    parts = Path(file).parts
    place = "/".join(parts[parts.index("quipu") :]) if "quipu" in parts else Path(file).name
    return f"{place}:{function}" if line else re.sub(r" at 0x[0-9a-f]+", "", function)


_PARTS: dict[str, Callable[[Memory, MiniLM, int], dict[str, Any]]] = {
    "fill": _fill,
    "search": _search,
    "profile": _profile,
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


def growing(figures: dict[int, Any]) -> list[dict[str, Any]]:
    """The functions that grow from the second size (100,000) to the last, the slowest first."""
    sizes = sorted(figures)
    if len(sizes) < 2:
        return []
    less, more = sizes[1] if len(sizes) > 2 else sizes[0], sizes[-1]
    before, after = figures[less]["profile"], figures[more]["profile"]
    least = _SHARE * sum(row["ms"] for row in after.values())
    found = [
        {
            "function": name,
            f"ms_at_{less}": round(before.get(name, {"ms": 0.0})["ms"], 3),
            f"ms_at_{more}": round(row["ms"], 3),
            "calls": round(row["calls"], 1),
            "called_by": row.get("called_by", []),
            "exponent": round(
                exponent((less, before.get(name, {"ms": 0.002})["ms"]), (more, row["ms"])), 2
            ),
        }
        for name, row in after.items()
        if row["ms"] >= least
    ]
    kept = [row for row in found if row["exponent"] > GOAL]
    return sorted(kept, key=lambda row: -row[f"ms_at_{more}"])


def draw(figures: dict[int, Any], path: Path) -> None:
    """Time and memory over the number of passages, both axes logarithmic."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    sizes = sorted(figures)
    shown, (times, memory) = plt.subplots(1, 2, figsize=(10, 4.2), constrained_layout=True)
    lines = [
        (times, "p95", "search, processor p95"),
        (times, "p50", "search, processor p50"),
        (memory, "disk", "disk"),
        (memory, "resident memory", "resident memory"),
    ]
    for axes, label, name in lines:
        values = [FIGURES[name](figures[size]) for size in sizes]
        power = exponent((sizes[0], values[0]), (sizes[-1], values[-1]))
        axes.plot(sizes, values, marker="o", label=f"{label} (power {power:.2f})")
        for size, value in zip(sizes, values, strict=True):
            axes.annotate(
                f"{value:,.0f}",
                (size, value),
                textcoords="offset points",
                xytext=(0, 6),
                ha="center",
                fontsize=8,
            )
    first = FIGURES["search, processor p50"](figures[sizes[0]])
    goal = [first * (size / sizes[0]) ** GOAL for size in sizes]
    times.plot(sizes, goal, "--", color="grey", label=f"what power {GOAL} would be")
    for axes, label in ((times, "processor time of a search, ms"), (memory, "MB")):
        axes.set(xscale="log", yscale="log", xlabel="passages", ylabel=label)
        low, high = axes.get_ylim()
        axes.set_ylim(low * 0.8, high * 1.3)
        axes.xaxis.set_major_locator(FixedLocator(sizes))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:,.0f}"))
        axes.yaxis.set_major_locator(FixedLocator([m * 10**n for n in range(5) for m in (1, 2, 5)]))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=9, loc="upper left")
    shown.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(shown)


if __name__ == "__main__":
    _, _, name, folder, seed = sys.argv
    _run_part(name, Path(folder), int(seed))

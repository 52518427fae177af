"""Refit the weights of the confidence in what is quoted (`quipu.answer.quoting.FORMULA`).

    python -m bench.fit_quoting collect OUT.jsonl DIRECTORY [--keep STORES]
    python -m bench.fit_quoting fit OUT.jsonl [OUT.jsonl ...] [--weight SET=3]

`collect` asks the questions of `quipu eval answers DIRECTORY` with floor 0 and writes a line a
question: its set, whether the answer was right, and the inputs of its confidence. `fit` minimises
the logistic loss, each set weighing the same unless `--weight` says otherwise, with a small ridge
by projected gradient: a weight never leaves the sign it has. It prints the weights, the AUROC of
every set held out once, and by the value that it then had the share of answers that were right.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quipu.answer.quoting import FORMULA
from quipu.config import AnswerConfig, Config
from quipu.evaluate.answers import JudgedAnswer, evaluate_answers
from quipu.evaluate.figures import auroc
from quipu.memory import Memory
from quipu.records.reply import Reply

BY_HAND = frozenset({"absent", "lacking", "opposed", "unknown_names"})
FITTED = tuple(term for term in FORMULA.table if term.name not in BY_HAND)
RIDGE, STEPS, RATE = 0.01, 20_000, 0.1
EDGES = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
Floats = NDArray[np.float64]


class _Noting:
    """A memory that notes the inputs of each answer it gives."""

    def __init__(self, memory: Memory, inputs: dict[str, dict[str, float | None]]) -> None:
        self._memory, self._inputs = memory, inputs
        self.index, self.search = memory.index, memory.search

    def __enter__(self) -> "_Noting":
        return self

    def __exit__(self, *_: object) -> None:
        self._memory.close()

    def ask(self, question: str) -> Reply:
        reply = self._memory.ask(question)
        self._inputs[reply.contract.answer] = reply.confidence.inputs
        return reply


def collect(out: Path, directory: Path, keep: Path | None) -> None:
    """Ask every question of the sets below `directory`; a JSON line each."""
    inputs: dict[str, dict[str, float | None]] = {}
    config = Config(answer=AnswerConfig(floor=0.0))

    def opened(path: str, home: Path) -> _Noting:
        return _Noting(Memory.open(path, home=home, config=config), inputs)

    found = evaluate_answers(directory, opened, folder=keep)
    with out.open("w") as lines:
        for each in found.answers:
            lines.write(json.dumps(_row(each, inputs.get(each.answer, {}))) + "\n")


def _row(each: JudgedAnswer, inputs: dict[str, float | None]) -> dict[str, Any]:
    return {"set": each.dataset, "right": each.verdict == "right", "inputs": inputs}


def fit(rows: list[dict[str, Any]], weights: Mapping[str, float]) -> tuple[float, Floats]:
    """(intercept, weights in the order of FITTED); a set weighs 1 where `weights` names it not."""
    x, y = _matrix(rows)
    counts = Counter(row["set"] for row in rows)
    share = np.array([weights.get(row["set"], 1.0) / counts[row["set"]] for row in rows])
    share /= share.sum()
    sign = np.sign([term.weight for term in FITTED])
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    scaled = (x - mean) / spread
    found, intercept = np.zeros(len(FITTED)), 0.0
    for _ in range(STEPS):
        error = (1 / (1 + np.exp(-(scaled @ found + intercept))) - y) * share
        found = found - RATE * (scaled.T @ error + 2 * RIDGE * found)
        found = np.where(found * sign < 0, 0.0, found)
        intercept -= RATE * float(error.sum())
    return intercept - float((found * mean / spread).sum()), found / spread


def _matrix(rows: list[dict[str, Any]]) -> tuple[Floats, Floats]:
    given = [
        [t.neutral if row["inputs"].get(t.name) is None else row["inputs"][t.name] for t in FITTED]
        for row in rows
    ]
    return np.array(given), np.array([float(row["right"]) for row in rows])


def report(rows: list[dict[str, Any]], weights: Mapping[str, float]) -> None:
    """Print what was fitted, each set's AUROC where it was held out, and the reliability then."""
    rows = [row for row in rows if row["inputs"].get("worth") is not None]
    held: list[tuple[float, float]] = []
    for name in sorted({row["set"] for row in rows}):
        intercept, found = fit([row for row in rows if row["set"] != name], weights)
        x, y = _matrix([row for row in rows if row["set"] == name])
        told = 1 / (1 + np.exp(-(x @ found + intercept)))
        held += zip(told.tolist(), y.tolist(), strict=True)
        print(f"{name}: AUROC {auroc(list(told[y > 0]), list(told[y == 0])):.3f} of {len(y)}")
    for low, high in pairwise(EDGES):
        right = [y for value, y in held if low <= value < high]
        if right:
            print(f"held out, {low:.1f} to {high:.1f}: {sum(right):.0f} of {len(right)} right")
    intercept, found = fit(rows, weights)
    print(f"intercept {intercept:.2f} (the table has {FORMULA.intercept:g})")
    for term, weight in zip(FITTED, found, strict=True):
        print(f"  {term.name:<12} {weight:5.2f} (the table has {term.weight:g})")


def _weight(said: str) -> tuple[str, float]:
    name, _, weight = said.partition("=")
    return name, float(weight)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("out", type=Path)
    collecting.add_argument("directory", type=Path)
    collecting.add_argument("--keep", type=Path)
    fitting = commands.add_parser("fit")
    fitting.add_argument("rows", nargs="+", type=Path)
    fitting.add_argument("--weight", type=_weight, action="append", default=[])
    given = parser.parse_args()
    if given.command == "collect":
        collect(given.out, given.directory, given.keep)
    else:
        lines = [line for path in given.rows for line in path.read_text().splitlines()]
        report([json.loads(line) for line in lines], dict(given.weight))


if __name__ == "__main__":
    main()

"""Fit the weights of a formula of confidence to answers that were right or wrong.

    python -m bench.teach.confidence collect OUT.jsonl answers:DIRECTORY | talk:SETS.tar.xz
    python -m bench.teach.confidence fit quipu.answer.confidence:QUOTED OUT.jsonl... [--hand NAME]

`collect` asks every question with floor 0 (of repositories as `quipu eval answers` takes them, or
of conversations in the format of `bench/everyday_memory.py`) and writes a line a question: its set,
whether the answer was right, and the inputs of its confidence. `fit` takes the answers that the
formula holds for and minimises the logistic loss with a small ridge by projected gradient; each set
weighs the same, a weight never leaves the sign it has, and those set by `--hand` stay as they are.
It prints the weights, and the AUROC of each set by a fit to the others.
"""

import argparse
import importlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench import everyday_memory
from quipu.answer.formula import ConfidenceFormula, Term
from quipu.config import AnswerConfig, Config
from quipu.evaluate.answers import evaluate_answers
from quipu.evaluate.figures import auroc
from quipu.memory import Memory
from quipu.records.reply import Reply

RIDGE, STEPS, RATE = 0.01, 5_000, 0.3
NO_FLOOR = Config(answer=AnswerConfig(floor=0.0))

Floats = NDArray[np.float64]
Row = dict[str, Any]


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


def answers(directory: Path) -> Iterator[Row]:
    """Yield a row for each question about the repositories below `directory`."""
    inputs: dict[str, dict[str, float | None]] = {}

    def opened(path: str, home: Path) -> _Noting:
        return _Noting(Memory.open(path, home=home, config=NO_FLOOR), inputs)

    for each in evaluate_answers(directory, opened).answers:
        right = each.verdict == "right"
        yield {"set": each.dataset, "right": right, "inputs": inputs.get(each.answer, {})}


def talk(archive: Path) -> Iterator[Row]:
    """Yield a row for each question about the conversations of `archive`."""
    for name, given in everyday_memory.sets(archive).items():
        with (
            tempfile.TemporaryDirectory() as folder,
            Memory.open(
                Path(folder) / "memory.db", clock=lambda: everyday_memory.LAST, config=NO_FLOOR
            ) as memory,
        ):
            everyday_memory.write(memory, given)
            for question, words, _ in given.questions:
                reply = memory.ask(question)
                right = everyday_memory.answers(words, reply.contract.answer)
                yield {"set": name, "right": right, "inputs": reply.confidence.inputs}


class _Problem(NamedTuple):
    """Inputs that are fitted, what the others add, what was right, and how much each row counts."""

    inputs: Floats
    fixed: Floats
    right: Floats
    share: Floats


def _problem(rows: Sequence[Row], fitted: Sequence[Term], fixed: Sequence[Term]) -> _Problem:
    def value(row: Row, term: Term) -> float:
        given = row["inputs"].get(term.name)
        return term.neutral if given is None else given

    size = Counter(row["set"] for row in rows)
    return _Problem(
        np.array([[value(row, term) for term in fitted] for row in rows]),
        np.array([sum(term.weight * value(row, term) for term in fixed) for row in rows]),
        np.array([float(row["right"]) for row in rows]),
        np.array([1 / size[row["set"]] / len(size) for row in rows]),
    )


def fit(problem: _Problem, sign: Floats) -> tuple[float, Floats]:
    """Return (intercept, weights of the fitted terms, each with its `sign` or 0)."""
    mean, spread = problem.inputs.mean(axis=0), problem.inputs.std(axis=0) + 1e-9
    scaled = (problem.inputs - mean) / spread
    found, intercept = np.zeros(len(sign)), 0.0
    for _ in range(STEPS):
        odds = scaled @ found + intercept + problem.fixed
        error = (1 / (1 + np.exp(-odds)) - problem.right) * problem.share
        found = found - RATE * (scaled.T @ error + 2 * RIDGE * found)
        found = np.where(found * sign < 0, 0.0, found)
        intercept -= RATE * float(error.sum())
    return intercept - float((found * mean / spread).sum()), found / spread


def report(formula: ConfidenceFormula, rows: Sequence[Row], hand: frozenset[str]) -> None:
    """Print the AUROC of each set where it was held out, and the weights of all."""
    fitted = [term for term in formula.table if term.name not in hand]
    fixed = [term for term in formula.table if term.name in hand]
    sign = np.sign([term.weight for term in fitted])
    for name in sorted({row["set"] for row in rows}):
        others = [row for row in rows if row["set"] != name]
        held = _problem([row for row in rows if row["set"] == name], fitted, fixed)
        if others and 0 < held.right.sum() < len(held.right):
            intercept, weights = fit(_problem(others, fitted, fixed), sign)
            odds, right = held.inputs @ weights + intercept + held.fixed, held.right > 0
            area = auroc(odds[right].tolist(), odds[~right].tolist())
            print(f"{name}: AUROC {area:.3f} of {len(odds)}")
    intercept, weights = fit(_problem(rows, fitted, fixed), sign)
    print(f"intercept {intercept:.2f} (the table has {formula.intercept:g})")
    for term, weight in zip(fitted, weights, strict=True):
        print(f"  {term.name:<14} {weight:5.2f} (the table has {term.weight:g})")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("out", type=Path)
    collecting.add_argument("set", metavar="answers:DIRECTORY|talk:ARCHIVE")
    fitting = commands.add_parser("fit")
    fitting.add_argument("formula", metavar="MODULE:NAME")
    fitting.add_argument("rows", nargs="+", type=Path)
    fitting.add_argument("--hand", default="", metavar="NAME,...")
    given = parser.parse_args()
    if given.command == "collect":
        kind, _, where = given.set.partition(":")
        with given.out.open("w") as lines:
            for row in {"answers": answers, "talk": talk}[kind](Path(where)):
                lines.write(json.dumps(row) + "\n")
        return
    module, _, name = given.formula.partition(":")
    formula: ConfidenceFormula = getattr(importlib.import_module(module), name)
    lines = [line for path in given.rows for line in path.read_text().splitlines()]
    rows = [row for row in map(json.loads, lines) if formula.holds(row["inputs"])]
    report(formula, rows, frozenset(given.hand.split(",")))


if __name__ == "__main__":
    main()

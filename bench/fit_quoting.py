"""Refit the weights of the confidence in what is quoted (`quipu.answer.quoting`).

    python -m bench.fit_quoting collect OUT.jsonl DIRECTORY [--keep STORES]
    python -m bench.fit_quoting fit OUT.jsonl [OUT.jsonl ...] [--weight SET=3]

`collect` asks the questions of `quipu eval answers DIRECTORY` with floor 0 and writes a line a
question: its set, whether the answer was right, and the inputs of its confidence. `fit` fits each
formula to the answers it holds for: it minimises the logistic loss with a small ridge by projected
gradient; a weight never leaves the sign it has, and those set by hand stay as they are. `--weight`
lets a set count more or less than its answers are. It prints the weights, the AUROC of every set
held out once, and how many were right that were then at least as sure. The first intercept
of the product is lower by 0.67.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.answer.formula import ConfidenceFormula, Term
from quipu.answer.quoting import BY_HAND, FORMULA, PLAIN
from quipu.config import AnswerConfig, Config
from quipu.evaluate.answers import JudgedAnswer, evaluate_answers
from quipu.evaluate.figures import auroc
from quipu.memory import Memory
from quipu.records.reply import Reply

FORMULAS = {"plain": PLAIN, "all else": FORMULA}
HAND = frozenset(term.name for term in BY_HAND)
RIDGE, STEPS, RATE = 0.01, 5_000, 0.3
EDGES = (0.7, 0.75, 0.8, 0.82, 0.85, 0.9)
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


class _Rows(NamedTuple):
    """The inputs that are fitted, what those by hand add, whether the answers were right, and how
    much each counts."""

    inputs: Floats
    hand: Floats
    right: Floats
    share: Floats


def fit(rows: _Rows, sign: Floats) -> tuple[float, Floats]:
    """(intercept, weights of the fitted terms, each with its `sign`)."""
    mean, spread = rows.inputs.mean(axis=0), rows.inputs.std(axis=0) + 1e-9
    scaled, share = (rows.inputs - mean) / spread, rows.share / rows.share.sum()
    found, intercept = np.zeros(len(sign)), 0.0
    for _ in range(STEPS):
        error = (_logistic(scaled @ found + intercept + rows.hand) - rows.right) * share
        found = found - RATE * (scaled.T @ error + 2 * RIDGE * found)
        found = np.where(found * sign < 0, 0.0, found)
        intercept -= RATE * float(error.sum())
    return intercept - float((found * mean / spread).sum()), found / spread


def _rows(
    lines: list[dict[str, Any]], terms: Sequence[Term], weights: Mapping[str, float]
) -> _Rows:
    def value(line: dict[str, Any], term: Term) -> float:
        given = line["inputs"].get(term.name)
        return term.neutral if given is None else given

    return _Rows(
        np.array([[value(line, term) for term in terms] for line in lines]),
        np.array([sum(t.weight * value(line, t) for t in BY_HAND) for line in lines]),
        np.array([float(line["right"]) for line in lines]),
        np.array([weights.get(line["set"], 1.0) for line in lines]),
    )


def report(
    title: str, formula: ConfidenceFormula, lines: list[dict[str, Any]], by_set: Mapping[str, float]
) -> None:
    """Print what was fitted, each set's AUROC where it was held out, and the reliability then."""
    terms = [term for term in formula.table if term.name not in HAND]
    sign = np.sign([term.weight for term in terms])
    held: list[tuple[float, float]] = []
    for name in sorted({line["set"] for line in lines}):
        others = _rows([line for line in lines if line["set"] != name], terms, by_set)
        intercept, found = fit(others, sign)
        mine = _rows([line for line in lines if line["set"] == name], terms, by_set)
        sure = _logistic(mine.inputs @ found + intercept + mine.hand)
        held += zip(sure.tolist(), mine.right.tolist(), strict=True)
        print(f"{title}, {name}: AUROC {_auroc(sure, mine.right)} of {len(sure)}")
    for least in EDGES:
        right = [was_right for value, was_right in held if value >= least]
        print(f"{title}, held out, from {least:g}: {sum(right):.0f} of {len(right)} right")
    intercept, found = fit(_rows(lines, terms, by_set), sign)
    print(f"intercept {intercept:.2f} (the table has {formula.intercept:g})")
    for term, weight in zip(terms, found, strict=True):
        print(f"  {term.name:<12} {weight:5.2f} (the table has {term.weight:g})")


def _auroc(sure: Floats, right: Floats) -> str:
    if right.all() or not right.any():
        return "-"
    return f"{auroc(list(sure[right > 0]), list(sure[right == 0])):.3f}"


def _logistic(total: Floats) -> Floats:
    return 1 / (1 + np.exp(-total))


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
        rows = [row for line in lines if FORMULA.holds((row := json.loads(line))["inputs"])]
        for title, formula in FORMULAS.items():
            mine = [row for row in rows if PLAIN.holds(row["inputs"]) is (formula is PLAIN)]
            if mine:
                report(title, formula, mine, dict(given.weight))


if __name__ == "__main__":
    main()

"""Refit the weights by which windows of files are chosen (`quipu.answer.worth.WEIGHTS`).

    python -m bench.fit_choosing collect OUT.jsonl DIRECTORY [--keep STORES]
    python -m bench.fit_choosing fit OUT.jsonl [OUT.jsonl ...]

`collect` asks the answerable questions of `quipu eval answers DIRECTORY` and writes a line each:
whatever might have been quoted, with its inputs, and whether it answers (all that `must` stand in a
right answer does). `fit` maximises the log-likelihood that a candidate which answers is drawn by
the softmax over all of a question, with a ridge; the weights are divided by `SCALE`, which gives
them the spread that worth always had. Each set is held out once: how many of its questions the
best three candidates answer, by the weights of the others and by those of the product.

`bench/repositories.tar.xz` holds questions about nine packages, and says which versions of them.
"""

import argparse
import json
import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from quipu.answer.choose import Choice, choose, weighed
from quipu.answer.gate import Evidence
from quipu.answer.intent import Asked
from quipu.answer.nearness import Nearness
from quipu.answer.worth import WEIGHTS
from quipu.evaluate.answers import evaluate_answers
from quipu.memory import Memory

BY_HAND = frozenset({"decided", "titled"})
NAMES = tuple(name for name in WEIGHTS if name not in BY_HAND)
RIDGE, STEPS, RATE, SCALE, SHOWN = 0.03, 300, 0.05, 5.0, 3
Floats = NDArray[np.float64]


class _Question(NamedTuple):
    dataset: str
    inputs: Floats
    answers: Floats


def collect(out: Path, directory: Path, keep: Path | None) -> None:
    """Ask every question of the sets below `directory`; a JSON line each that is answerable."""
    noted: dict[str, list[tuple[str, dict[str, float]]]] = {}

    def noting(
        asked: Asked,
        evidence: Sequence[Evidence],
        nearness: Nearness | None,
        *,
        decisions: frozenset[str] = frozenset(),
    ) -> list[Choice]:
        noted[asked.text] = weighed(asked, evidence, nearness)
        return choose(asked, evidence, nearness, decisions=decisions)

    writing = import_module("quipu.answer.write")  # the package names its function so
    with patch.object(writing, "choose", noting):
        evaluate_answers(directory, lambda p, home: Memory.open(p, home=home), folder=keep)
    with out.open("w") as lines:
        for questions in sorted(directory.glob("*.jsonl")):
            for question in map(json.loads, questions.read_text("utf-8").splitlines()):
                rows = noted.get(question["question"], [])
                if rows and question.get("answerable", True):
                    given = [
                        {"inputs": inputs, "answers": _answers(said, question["must"])}
                        for said, inputs in rows
                    ]
                    lines.write(json.dumps({"set": questions.stem, "candidates": given}) + "\n")


def _answers(said: str, must: Sequence[str]) -> bool:
    return all(re.search(pattern, said, re.IGNORECASE | re.DOTALL) for pattern in must)


def fit(questions: Sequence[_Question]) -> Floats:
    """The weights of NAMES, before they are scaled; only questions that something answers count."""
    told = [q for q in questions if q.answers.any()]
    rows = np.vstack([q.inputs for q in told])
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    found = np.zeros(len(NAMES))
    first, second = np.zeros(len(NAMES)), np.zeros(len(NAMES))
    for step in range(1, STEPS + 1):
        slope = 2 * RIDGE * found
        for question in told:
            scaled = (question.inputs - mean) / spread
            drawn = _softmax(scaled @ found)
            right = drawn * question.answers
            slope += scaled.T @ (drawn - right / right.sum()) / len(told)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        size = np.sqrt(second / (1 - 0.99**step)) + 1e-8
        found = found - RATE * first / (1 - 0.9**step) / size
    return found / spread


def report(questions: Sequence[_Question]) -> None:
    """Print each set held out once, and the weights that all of them give."""
    given = np.array([WEIGHTS[name] for name in NAMES])
    for name in sorted({q.dataset for q in questions}):
        weights = fit([q for q in questions if q.dataset != name])
        held = [q for q in questions if q.dataset == name]
        by_others, by_product = _answered(held, weights), _answered(held, given)
        print(f"{name}: {by_others} of {len(held)} held out, {by_product} as the product weighs")
    for name, weight in zip(NAMES, fit(questions) / SCALE, strict=True):
        print(f"  {name:<12} {weight:5.2f} (the table has {WEIGHTS[name]:g})")


def _answered(questions: Sequence[_Question], weights: Floats) -> int:
    best = [np.argsort(-(q.inputs @ weights), kind="stable")[:SHOWN] for q in questions]
    return sum(bool(q.answers[rows].any()) for q, rows in zip(questions, best, strict=True))


def _softmax(values: Floats) -> Floats:
    powers = np.exp(values - values.max())
    return powers / powers.sum()


def _question(line: dict[str, Any]) -> _Question:
    rows = line["candidates"]
    inputs = np.array([[row["inputs"][name] for name in NAMES] for row in rows])
    return _Question(line["set"], inputs, np.array([float(row["answers"]) for row in rows]))


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
    given = parser.parse_args()
    if given.command == "collect":
        collect(given.out, given.directory, given.keep)
    else:
        lines = [line for path in given.rows for line in path.read_text().splitlines()]
        report([_question(json.loads(line)) for line in lines])


if __name__ == "__main__":
    main()

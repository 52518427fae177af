"""Refit the weights of an answer's confidence (`quipu.answer.confidence.TABLE`).

    python -m bench.fit_confidence collect OUT.jsonl SET...   # labelled sets, see evaluate/dataset
    python -m bench.fit_confidence fit OUT.jsonl

`collect` writes a line a question: the inputs of its confidence, and whether it could be
answered. Each set is asked twice: half of its questions (by hash) find their gold taken away,
then the other half, so every question is once answerable and once not. `fit` minimises the
logistic loss with a small ridge by projected gradient: a weight never leaves the sign it has in
the table. It reports AUROC and loss on the half that was not fitted, and prints the table.
"""

import argparse
import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quipu.answer.confidence import INTERCEPT, TABLE
from quipu.evaluate.dataset import CORPUS, QUERIES, DatasetRow, read_grades, read_rows
from quipu.evaluate.figures import auroc
from quipu.memory import Memory
from quipu.records.passage import PassageInput

RIDGE = 0.02
STEPS = 20_000
RATE = 0.1


def half(query_id: str) -> int:
    """0 or 1, by hash."""
    return hashlib.sha256(query_id.encode()).digest()[0] & 1


def collect(
    out: Path, sets: Sequence[Path], *, questions: int, rows: int, folder: Path | None
) -> None:
    """Ask every question with and without its gold; one JSON line each. `folder` keeps the
    stores and their cache of vectors."""
    place = nullcontext(str(folder)) if folder else tempfile.TemporaryDirectory()
    with place as held, out.open("w") as lines:
        for directory in sets:
            for record in _collected(directory, Path(held), questions, rows):
                lines.write(json.dumps(record) + "\n")
                lines.flush()


def _collected(
    directory: Path, folder: Path, questions: int, most_rows: int
) -> Iterator[dict[str, Any]]:
    grades = read_grades(directory)
    gold = {q: {d for d, g in graded.items() if g > 0} for q, graded in grades.items()}
    asked = [row for row in read_rows(directory, QUERIES) if gold.get(row.id)][:questions]
    needed = {d for row in asked for d in gold[row.id]}
    rows = list(read_rows(directory, CORPUS))
    others = sorted((r for r in rows if r.id not in needed), key=lambda r: _digest(r.id))
    kept = [r for r in rows if r.id in needed] + others[: max(most_rows - len(needed), 0)]
    for taken in (0, 1):
        gone = {d for row in asked if half(row.id) == taken for d in gold[row.id]}
        url = folder / f"{directory.name}-{taken}.db"
        with Memory.open(url, home=folder) as memory:
            memory.add_documents(_passage(row) for row in kept if row.id not in gone)
            for row in asked:
                left = gold[row.id] - gone
                if left and left != gold[row.id]:
                    continue  # half answerable: neither one nor the other
                reply = memory.ask(row.text)
                yield {
                    "set": directory.name,
                    "question": row.id,
                    "half": half(row.id),
                    "answerable": bool(left),
                    "value": reply.confidence.value,
                    "inputs": reply.confidence.inputs,
                    "drafted": reply.contract.answer != "unknown",
                    "hits": len(left & {hit.path for hit in reply.hits[:3]}),
                }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _passage(row: DatasetRow) -> PassageInput:
    return PassageInput(source_ref=row.id, text=row.text or row.title, title=row.title)


def fit(records: Sequence[dict[str, Any]]) -> tuple[float, NDArray[np.float64]]:
    """(intercept, weights in the order of TABLE) that fit `records` best within their signs.

    The classes weigh the same. A term without data keeps the weight it has.
    """
    x, y = _matrix(records)
    signs = np.array([1.0 if term.weight > 0 else -1.0 for term in TABLE])
    start = np.array([term.weight for term in TABLE])
    moves = x.std(axis=0) > 1e-9
    share = np.where(y > 0, 0.5 / max(y.sum(), 1), 0.5 / max((1 - y).sum(), 1))
    weights, intercept = start.copy(), INTERCEPT
    for _ in range(STEPS):
        error = (1 / (1 + np.exp(-(x @ weights + intercept))) - y) * share
        weights -= RATE * np.where(moves, x.T @ error + RIDGE * (weights - start) / len(TABLE), 0)
        weights = np.where(weights * signs > 0, weights, 0.0)
        intercept -= RATE * float(error.sum())
    return intercept, weights


def _matrix(records: Sequence[dict[str, Any]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x = np.array(
        [
            [t.neutral if r["inputs"].get(t.name) is None else r["inputs"][t.name] for t in TABLE]
            for r in records
        ],
        dtype=np.float64,
    )
    return x, np.array([float(r["answerable"]) for r in records])


def _scores(records: Sequence[dict[str, Any]], intercept: float, weights: NDArray[np.float64]):
    x, y = _matrix(records)
    p = 1 / (1 + np.exp(-(x @ weights + intercept)))
    return p, y


def report(records: Sequence[dict[str, Any]]) -> None:
    """Print the weights fitted on everything, and the figures of fits on the other half."""
    for name in sorted({r["set"] for r in records}):
        ours = [r for r in records if r["set"] == name]
        found: list[float] = []
        truth: list[float] = []
        for checked in (0, 1):
            intercept, weights = fit([r for r in records if r["half"] != checked])
            p, y = _scores([r for r in ours if r["half"] == checked], intercept, weights)
            found += p.tolist()
            truth += y.tolist()
        now, _ = _scores(ours, INTERCEPT, np.array([t.weight for t in TABLE]))
        answerable = [p for p, t in zip(found, truth, strict=True) if t]
        others = [p for p, t in zip(found, truth, strict=True) if not t]
        before = [float(p) for p in now]
        was = auroc(
            [p for p, r in zip(before, ours, strict=True) if r["answerable"]],
            [p for p, r in zip(before, ours, strict=True) if not r["answerable"]],
        )
        floor = float(np.percentile(answerable, 5))
        rejected = sum(p < floor for p in others) / max(len(others), 1)
        print(
            f"{name}: AUROC {was:.3f} -> {auroc(answerable, others):.3f}; a floor of {floor:.2f} "
            f"keeps 95% and rejects {rejected:.0%}; n = {len(answerable)} + {len(others)}; "
            f"medians {np.median(answerable):.2f} / {np.median(others):.2f}"
        )
    intercept, weights = fit(records)
    print(f"INTERCEPT = {intercept:.2f}")
    for term, weight in zip(TABLE, weights, strict=True):
        print(f"  {term.name:<16} {term.weight:6.2f} -> {weight:6.2f}")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("out", type=Path)
    collecting.add_argument("sets", type=Path, nargs="+")
    collecting.add_argument("--questions", type=int, default=150)
    collecting.add_argument("--rows", type=int, default=2500)
    collecting.add_argument("--folder", type=Path)
    fitting = commands.add_parser("fit")
    fitting.add_argument("features", type=Path)
    given = parser.parse_args()
    if given.command == "collect":
        collect(
            given.out, given.sets, questions=given.questions, rows=given.rows, folder=given.folder
        )
    else:
        report([json.loads(line) for line in given.features.read_text().splitlines()])


if __name__ == "__main__":
    main()

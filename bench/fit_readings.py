"""Fit what tells a right reading from a wrong one (`quipu/extract/statements/readings.json`).

    python -m bench.fit_readings OUT.json

Every pair of phrases of the turns in the halves of `bench/everyday/` that may be looked at is right
when a fact of its turn has its owner and its value. A ridge-regularised logistic model on the named
features of `pairs.py` tells them apart. Printed is how it does on sets it was not fitted on: each
set by a model of the two others, and each session by a model without it.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.everyday_memory import FOLDER, HALVES, Gold, read
from quipu.embed import MiniLM
from quipu.extract.grammar import parse
from quipu.extract.statements.by_grammar import GrammarReader
from quipu.extract.statements.judged import Candidate, candidates
from quipu.extract.statements.phrases import Spoken, Utterance
from quipu.text import sentences, stems

RIDGE, LEAST, FOLDS = 4.0, 5, 6
NOW = "{}T10:00:00.000Z"
BIAS = "bias"


class Row(NamedTuple):
    """A pair, where it stands, and whether it is right."""

    set: str
    session: str
    sentence: tuple[int, int]
    candidate: Candidate
    right: bool


def rows_of(name: str, model: MiniLM) -> list[Row]:
    """The pairs of one file, turn by turn."""
    given = read(FOLDER / f"{name}.txt")
    spoken: dict[str, Spoken] = {}
    found: list[Row] = []
    for number, turn in enumerate(given.turns):
        if turn.role == "assistant":
            continue
        told = Utterance(
            speaker=turn.role, said_on=turn.day, now=NOW.format(turn.day),
            spoken=spoken.setdefault(turn.session, Spoken()),
        )  # fmt: skip
        reader = GrammarReader(turn.text, told)
        for sentence in parse(turn.text, model.read, list(sentences(turn.text))):
            read_off = reader.by_rule(sentence)
            for each in candidates(reader.here, read_off):
                right = any(_same(gold, each) for gold in turn.facts)
                found.append(Row(name, turn.session, (number, sentence.start), each, right))
            reader.here.spoken_of()
    return found


def _same(gold: Gold, each: Candidate) -> bool:
    owner, value = _words(gold.owner), set(stems(gold.value))
    sides = (_words(each.owner), set(stems(each.value)))
    return any(
        bool(one) and value <= other and (owner <= one or one <= owner)
        for one, other in (sides, sides[::-1])
    )


def _words(name: str) -> set[str]:
    return {"user"} if name.lower() in ("we", "us", "user") else set(stems(name))


class Model(NamedTuple):
    """A weight for each feature."""

    names: list[str]
    weights: NDArray[np.float64]

    def __call__(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        return 1 / (1 + np.exp(-_table(rows, self.names) @ self.weights))


def fit(rows: Sequence[Row]) -> Model:
    """By Newton's method, which needs no step; the bias is not held down."""
    counts = Counter(name for row in rows for name in row.candidate.features)
    names = [BIAS, *sorted(n for n, held in counts.items() if held >= LEAST and n != BIAS)]
    table, right = _table(rows, names), np.array([row.right for row in rows], np.float64)
    held = np.full(len(names), RIDGE)
    held[0] = 1e-3
    weights = np.zeros(len(names))
    for _ in range(50):
        share = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (share - right) + held * weights
        bend = (table * (share * (1 - share))[:, None]).T @ table + np.diag(held)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return Model(names, weights)


def _table(rows: Sequence[Row], names: Sequence[str]) -> NDArray[np.float64]:
    place = {name: at for at, name in enumerate(names)}
    table = np.zeros((len(rows), len(names)))
    for row, filled in zip(rows, table, strict=True):
        for name, amount in row.candidate.features.items():
            if name in place:
                filled[place[name]] = amount
    return table


def shown(title: str, rows: Sequence[Row], shares: NDArray[np.float64]) -> None:
    """Right ones among those above some shares, of what rules read and of what they do not."""
    for named, ruled in (("by rule", True), ("else", False)):
        parts = [
            f"{least:.1f}: {sum(row.right for row in kept)} of {len(kept)}"
            for least in (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
            for kept in [[r for r, share in zip(rows, shares, strict=True)
                          if share >= least and bool(r.candidate.said) == ruled]]
        ]  # fmt: skip
        print(f"{title:15} {named:8} {'; '.join(parts)}")


def main() -> None:
    """Fit on all, and show the figures on what was left out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    model = MiniLM()
    sets = {name: rows_of(name, model) for name in HALVES if name.endswith("tuned")}
    for name, rows in sets.items():
        others = [row for other in sets if other != name for row in sets[other]]
        shown(name, rows, fit(others)(rows))
    rows = [row for held in sets.values() for row in held]
    sessions = sorted({(row.set, row.session) for row in rows})
    fold = {one: n % FOLDS for n, one in enumerate(sessions)}
    shares = np.zeros(len(rows))
    part = np.array([fold[row.set, row.session] for row in rows])
    for n in range(FOLDS):
        fitted = fit([row for row, p in zip(rows, part, strict=True) if p != n])
        shares[part == n] = fitted([row for row, p in zip(rows, part, strict=True) if p == n])
    for name in sets:
        own = np.array([row.set == name for row in rows])
        shown(f"{name}, folds", [r for r in rows if r.set == name], shares[own])
    whole = fit(rows)
    held = {n: round(float(w), 3) for n, w in zip(whole.names, whole.weights, strict=True)}
    out.write_text(json.dumps(held, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

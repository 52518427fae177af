"""Refit the confidence of answers from turns (`quipu.kinds.conversations.confidence.TABLE`).

    quipu eval memory SET --keep FOLDER                        # writes the store, once
    python -m bench.fit_conversation collect SET FOLDER/*/evaluation.db OUT.jsonl
    python -m bench.fit_conversation fit OUT.jsonl

`collect` searches for every question inside its conversation, and for one in twelve of the
questions that other conversations answer, under the names of the speakers of this one: hardly any
of these was ever said here. `fit` minimises the logistic loss with a small ridge by projected
gradient, so that a weight never leaves the sign it has in the table; questions with an answer weigh
as much as those without, and of these the two kinds weigh the same. It prints what fits on the
other conversations say of each, then the weights of all.
"""

import argparse
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.evaluate.dataset import CORPUS, QUERIES, read_rows
from quipu.evaluate.figures import auroc
from quipu.kinds.conversations.confidence import FORMULA, TABLE
from quipu.memory import Memory
from quipu.records.scope import Scope

FITTED = ("misattributed", "attributed", "said", "cos1", "miss")
UNANSWERABLE = frozenset({"5", "abstention"})
ONE_IN = 12
RIDGE, STEPS, RATE, MOMENTUM = 1e-3, 600, 0.8, 0.9

Floats = NDArray[np.float64]


class Asked(NamedTuple):
    """A question as it is asked in a conversation."""

    id: str
    text: str
    conversation: str
    kind: str  # answer, none or elsewhere


def questions(directory: Path) -> Iterator[Asked]:
    """Those of the set, then others' under the names of a conversation's own speakers."""
    speakers: dict[str, dict[str, None]] = {}
    for row in read_rows(directory, CORPUS):
        named = str(row.more.get("speaker", "")).split()
        speakers.setdefault(str(row.more["conv"]), {}).update(dict.fromkeys(named[:1]))
    rows = list(read_rows(directory, QUERIES))
    for row in rows:
        group = str(row.more.get("category", row.more.get("ability", "")))
        kind = "none" if group in UNANSWERABLE else "answer"
        yield Asked(row.id, row.text, str(row.more["conv"]), kind)
    for conversation, own in speakers.items():
        for row in rows:
            theirs = str(row.more["conv"])
            drawn = hashlib.sha256(f"{row.id} {conversation}".encode()).digest()
            if theirs == conversation or int.from_bytes(drawn) % ONE_IN:
                continue
            text = _renamed(row.text, list(speakers[theirs]), list(own), drawn[-2] % 2)
            yield Asked(f"{row.id}@{conversation}", text, conversation, "elsewhere")


def _renamed(text: str, names: Sequence[str], own: Sequence[str], turn: int) -> str:
    for place, name in enumerate(names if own else ()):
        text = re.sub(rf"\b{re.escape(name)}\b", own[(place + turn) % len(own)], text)
    return text


def collect(directory: Path, store: Path, out: Path) -> None:
    """One JSON line a question: its kind and the inputs."""
    with Memory.open(store, read_only=True) as memory, out.open("w") as lines:
        for asked in questions(directory):
            scope = Scope(groups=frozenset({asked.conversation}))
            signals = memory.search(asked.text, limit=10, scope=scope).signals
            held = {name: signals.get(name) for name in FITTED}
            lines.write(json.dumps({**asked._asdict(), "inputs": held}) + "\n")


def fit(records: Sequence[dict[str, Any]]) -> tuple[float, Floats]:
    """(intercept, weights in the order of FITTED)."""
    x = _matrix(records)
    kinds = np.array([r["kind"] for r in records])
    share = np.zeros(len(x))
    absent = [k for k in ("none", "elsewhere") if (kinds == k).any()]
    for kind, weight in (("answer", 0.5), *((k, 0.5 / len(absent)) for k in absent)):
        share[kinds == kind] = weight / max((kinds == kind).sum(), 1)
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    scaled = np.c_[np.ones(len(x)), (x - mean) / spread]
    side = np.where(kinds == "answer", 1.0, -1.0)
    weight_of = {term.name: term.weight for term in TABLE}
    signs = np.array([0.0, *(np.sign(weight_of[name]) for name in FITTED)])
    ridge = np.array([0.0, *[2 * RIDGE] * len(FITTED)])
    found, speed = np.zeros(len(signs)), np.zeros(len(signs))
    for _ in range(STEPS):
        ahead = found + MOMENTUM * speed
        slope = scaled.T @ (-side * share / (1 + np.exp(side * (scaled @ ahead)))) + ridge * found
        speed = MOMENTUM * speed - RATE * slope
        found = found + speed
        wrong = found * signs < 0
        found[wrong] = speed[wrong] = 0.0
    weights = found[1:] / spread
    return float(found[0] - weights @ mean), weights


def _matrix(records: Sequence[dict[str, Any]]) -> Floats:
    neutral = {term.name: term.neutral for term in TABLE}
    return np.array(
        [
            [neutral[n] if r["inputs"][n] is None else r["inputs"][n] for n in FITTED]
            for r in records
        ],
        dtype=np.float64,
    )


def report(records: Sequence[dict[str, Any]]) -> None:
    """Print the weights and the figures, each conversation by a fit on the others."""
    of = np.array([r["conversation"] for r in records])
    odds = np.zeros(len(records))
    for conversation in np.unique(of):
        intercept, weights = fit([r for r in records if r["conversation"] != conversation])
        held = of == conversation
        odds[held] = _matrix([r for r in records if r["conversation"] == conversation]) @ weights
        odds[held] += intercept
    now = np.array([FORMULA.value_of(r["inputs"]) for r in records])
    for name, values in (("other conversations' fit", odds), ("as it stands", now)):
        _figures(name, values, records)
    intercept, weights = fit(records)
    print(f"INTERCEPT = {intercept:.2f}")
    was = {term.name: term.weight for term in TABLE}
    for name, weight in zip(FITTED, weights, strict=True):
        print(f"  {name:<14} {was[name]:6.2f} -> {weight:6.2f}")


def _figures(name: str, values: Floats, records: Sequence[dict[str, Any]]) -> None:
    kinds = np.array([r["kind"] for r in records])
    answered = values[kinds == "answer"]
    floor = float(np.percentile(answered, 5))
    for kind in ("none", "elsewhere"):
        if (kinds == kind).any():
            others = values[kinds == kind]
            area = auroc(answered.tolist(), others.tolist())
            print(
                f"{name}, {kind}: AUROC {area:.3f}; a floor of {floor:.2f} keeps 95% and rejects "
                f"{(others < floor).mean():.0%}; n = {len(answered)} + {len(others)}"
            )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("set", type=Path)
    collecting.add_argument("store", type=Path)
    collecting.add_argument("out", type=Path)
    fitting = commands.add_parser("fit")
    fitting.add_argument("inputs", type=Path)
    given = parser.parse_args()
    if given.command == "collect":
        collect(given.set, given.store, given.out)
    else:
        report([json.loads(line) for line in given.inputs.read_text().splitlines()])


if __name__ == "__main__":
    main()

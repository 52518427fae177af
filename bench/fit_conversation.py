"""Refit the confidence of answers from turns (`quipu.kinds.conversations.confidence`).

    quipu eval memory SET --keep FOLDER                        # writes the store, once
    python -m bench.fit_conversation collect SET FOLDER/*/evaluation.db OUT.jsonl
    python -m bench.fit_conversation fit OUT.jsonl             # TABLE: whether it was said
    python -m bench.fit_conversation correctness SET FOLDER/*/evaluation.db OUT.jsonl SETS NAMES
    python -m bench.fit_conversation fit-answering OUT.jsonl   # ANSWERING: whether it answers
    python -m bench.fit_conversation fit-correctness OUT.jsonl # CORRECTNESS: without a local model

`collect` searches for every question inside its conversation, and for one in twelve of the
questions that other conversations answer, under the names of the speakers of this one: hardly any
of these was ever said here. `correctness` asks the questions of SET and of those of the SETS
(`bench/stated.tar.xz`) that are named, which the head that says how likely a turn answers must not
have been fitted to; right is what cites a turn with the answer, or says it. A fit minimises the
logistic loss with a small ridge by projected gradient, so that a weight never leaves the sign it
has in the table; questions with an answer weigh as much as those without, and of these the two
kinds weigh the same; of what is told each conversation weighs the same. It prints what fits on the
other conversations say of each, then the weights of all.
"""

import argparse
import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from bench import everyday_memory
from quipu.answer.formula import ConfidenceFormula, Term
from quipu.config import AnswerConfig, Config
from quipu.evaluate.dataset import CORPUS, QUERIES, read_grades, read_rows
from quipu.evaluate.figures import auroc
from quipu.kinds.conversations.confidence import (
    ANSWERING,
    CORRECTNESS,
    FORMULA,
    TABLE,
    is_from_a_conversation,
)
from quipu.kinds.conversations.evaluate import TurnReferences
from quipu.memory import Memory
from quipu.records.reply import Reply
from quipu.records.scope import Scope

BY_HAND = frozenset({"unknown_names", "stated"})
FITTED = tuple(term for term in TABLE if term.name not in BY_HAND)
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
            held = {term.name: signals.get(term.name) for term in FITTED}
            lines.write(json.dumps({**asked._asdict(), "inputs": held}) + "\n")


def collect_correctness(directory: Path, store: Path, out: Path, archive: Path, of: str) -> None:
    """One JSON line a question: whether it was answered rightly, and the inputs."""
    config = Config(answer=AnswerConfig(floor=0.0))
    with out.open("w") as lines:
        rows, grades = TurnReferences(), read_grades(directory)
        for row in read_rows(directory, CORPUS):
            rows.line(row)
        with Memory.open(store, read_only=True, config=config) as memory:
            for asked in questions(directory):
                if asked.kind != "elsewhere":
                    scope = Scope(groups=frozenset({asked.conversation}))
                    reply = memory.ask(asked.text, limit=10, scope=scope)
                    cited = {rows.row(each.path) for each in reply.citations}
                    right = any(grades.get(asked.id, {}).get(each, 0) > 0 for each in cited)
                    _write(lines, asked.conversation, asked.kind, reply, right=right)
        for name, each in everyday_memory.sets(archive).items():
            if name in of.split(","):
                _tell_everyday(name, each, config, lines)


def _tell_everyday(name: str, given: everyday_memory.Set, config: Config, lines: TextIO) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(
            Path(folder) / "memory.db", clock=lambda: everyday_memory.LAST, config=config
        ) as memory,
    ):
        everyday_memory.write(memory, given)
        for question, words, _ in given.questions:
            reply = memory.ask(question)
            answered = everyday_memory.answers(words, reply.contract.answer)
            kind = "none" if words == everyday_memory.NEVER_SAID else "answer"
            _write(lines, name, kind, reply, right=answered)


def _write(lines: TextIO, conversation: str, kind: str, reply: Reply, *, right: bool) -> None:
    inputs = reply.confidence.inputs
    if is_from_a_conversation(inputs):
        terms = (*CORRECTNESS.table, *ANSWERING.table)
        held = {term.name: inputs.get(term.name) for term in terms}
        row = {"conversation": conversation, "kind": kind, "right": right, "inputs": held}
        lines.write(json.dumps(row) + "\n")


def fit_correctness(
    records: Sequence[dict[str, Any]], terms: Sequence[Term]
) -> tuple[float, Floats]:
    """(intercept, weights in the order of `terms`)."""
    of = Counter(r["conversation"] for r in records)
    share = np.array([1 / of[r["conversation"]] / len(of) for r in records])
    side = np.array([1.0 if r["right"] else -1.0 for r in records])
    return _descend(_matrix(records, terms), side, share, terms)


def report_correctness(records: Sequence[dict[str, Any]], formula: ConfidenceFormula) -> None:
    """Print the weights and how the right ones are told, each conversation by the others' fit."""
    right = np.array([r["right"] for r in records])
    odds = _held_out(records, partial(fit_correctness, terms=formula.table), formula.table)
    now = np.array([formula.value_of(r["inputs"]) for r in records])
    for name, values in (("other conversations' fit", odds), ("as it stands", now)):
        area = auroc(values[right].tolist(), values[~right].tolist())
        print(f"{name}: AUROC {area:.3f}; n = {right.sum()} + {(~right).sum()}")
    shares = 1 / (1 + np.exp(-odds))
    for low in (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9):
        within = (shares >= low) & (shares < low + (0.2 if low < 0.6 else 0.1))
        print(f"  from {low}: {right[within].sum()} of {within.sum()} right")
    found = fit_correctness(records, formula.table)
    _print_weights(*found, formula.intercept, formula.table)


def fit(records: Sequence[dict[str, Any]]) -> tuple[float, Floats]:
    """(intercept, weights in the order of FITTED)."""
    kinds = np.array([r["kind"] for r in records])
    share = np.zeros(len(records))
    absent = [k for k in ("none", "elsewhere") if (kinds == k).any()]
    for kind, weight in (("answer", 0.5), *((k, 0.5 / len(absent)) for k in absent)):
        share[kinds == kind] = weight / max((kinds == kind).sum(), 1)
    side = np.where(kinds == "answer", 1.0, -1.0)
    return _descend(_matrix(records, FITTED), side, share, FITTED)


def _descend(x: Floats, side: Floats, share: Floats, terms: Sequence[Term]) -> tuple[float, Floats]:
    """(intercept, weights) of least loss for the signs `side` of the rows of x."""
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    scaled = np.c_[np.ones(len(x)), (x - mean) / spread]
    signs = np.array([0.0, *(np.sign(term.weight) for term in terms)])
    ridge = np.array([0.0, *[2 * RIDGE] * len(terms)])
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


def _matrix(records: Sequence[dict[str, Any]], terms: Sequence[Term]) -> Floats:
    return np.array(
        [
            [t.neutral if r["inputs"][t.name] is None else r["inputs"][t.name] for t in terms]
            for r in records
        ],
        dtype=np.float64,
    )


def _held_out(
    records: Sequence[dict[str, Any]],
    fitted: Callable[[Sequence[dict[str, Any]]], tuple[float, Floats]],
    terms: Sequence[Term],
) -> Floats:
    """The log-odds of each record by what is fitted to the other conversations."""
    of = np.array([r["conversation"] for r in records])
    odds = np.zeros(len(records))
    for conversation in np.unique(of):
        intercept, weights = fitted([r for r in records if r["conversation"] != conversation])
        own = [r for r in records if r["conversation"] == conversation]
        odds[of == conversation] = _matrix(own, terms) @ weights + intercept
    return odds


def report(records: Sequence[dict[str, Any]]) -> None:
    """Print the weights and the figures, each conversation by a fit on the others."""
    odds = _held_out(records, fit, FITTED)
    now = np.array([FORMULA._replace(then=None).value_of(r["inputs"]) for r in records])
    for name, values in (("other conversations' fit", odds), ("as it stands", now)):
        _figures(name, values, records)
    _print_weights(*fit(records), FORMULA.intercept, FITTED)


def _print_weights(intercept: float, weights: Floats, before: float, terms: Sequence[Term]) -> None:
    print(f"intercept      {before:6.2f} -> {intercept:6.2f}")
    for term, weight in zip(terms, weights, strict=True):
        print(f"  {term.name:<14} {term.weight:6.2f} -> {weight:6.2f}")


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
    for name in ("collect", "correctness"):
        collecting = commands.add_parser(name)
        collecting.add_argument("set", type=Path)
        collecting.add_argument("store", type=Path)
        collecting.add_argument("out", type=Path)
        if name == "correctness":
            collecting.add_argument("sets", type=Path)
            collecting.add_argument("of", help="which of the sets are asked")
    for name in ("fit", "fit-correctness", "fit-answering"):
        commands.add_parser(name).add_argument("inputs", type=Path)
    given = parser.parse_args()
    if given.command == "collect":
        collect(given.set, given.store, given.out)
    elif given.command == "correctness":
        collect_correctness(given.set, given.store, given.out, given.sets, given.of)
    else:
        rows = [json.loads(line) for line in given.inputs.read_text().splitlines()]
        if given.command == "fit":
            report(rows)
        elif given.command == "fit-correctness":
            report_correctness([r for r in rows if r["kind"] == "answer"], CORRECTNESS)
        else:
            report_correctness([r for r in rows if ANSWERING.holds(r["inputs"])], ANSWERING)


if __name__ == "__main__":
    main()

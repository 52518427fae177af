"""Fit how likely a turn, where yes or no is asked for, says yes (`yes` of `answering.npz`).

    python -m bench.teach.replies HEAD.npz OUT.npz SETS.tar.xz … --leave v1,v2   # and their figures
    python -m bench.teach.replies … --stores FOLDER      # keeps the memories, to be asked again

HEAD.npz is what `bench.teach.answering` made, OUT.npz the same with these weights. The head stays
as it is: what it makes of the turn that most likely answers, seen beside the others, tells yes from
no by a logistic regression with a ridge (Newton's method). Questions of SETS whose answer is yes or
no are learnt from, but for those of the sets that are left out. Same input, same bytes.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.everyday_memory import LAST, REPLIES, Set, sets, write
from bench.teach.lessons import read, refs, said
from quipu.embed import MiniLM
from quipu.kinds.conversations.answering.head import AnswerHead, arrays_in
from quipu.kinds.conversations.answering.inputs import TURNS, AskedWords, inputs_of
from quipu.memory import Memory

RIDGE, STEPS, LITTLE = 0.03, 30, 1e-6
SURE = (0.5, 0.7, 0.8, 0.9)

Floats = NDArray[np.float64]


class Replying(NamedTuple):
    """What the head makes of the turn that most likely answers, float64[d], and whether the answer
    is yes."""

    turn: Floats
    yes: bool


def replying(given: Set, head: AnswerHead, model: MiniLM, store: Path) -> Iterator[Replying]:
    """The questions of a set whose answer is yes or no; its memory is at `store`, or is made."""
    words = [read(turn.text, turn.role, model) for turn in given.turns]
    places, new = refs(given), not store.exists()
    with Memory.open(store, clock=lambda: LAST) as memory:
        if new:
            write(memory, given)
        for question, answer, _ in given.questions:
            hits = memory.search(question, limit=TURNS).hits if answer in REPLIES else ()
            found = [(places[hit.path], hit.score) for hit in hits if hit.path in places]
            turns = [said(at, score, given, words) for at, score in found if words[at].forms]
            if turns:
                asking = AskedWords.of(read(question, "user", model), question)
                seen = head.seen(inputs_of(asking, turns))
                first = int(seen.scores.turns.argmax())
                yield Replying(seen.whole[first].astype(np.float64), answer == "yes")


def fit(found: list[Replying]) -> tuple[Floats, float]:
    """(weights float64[d], bias) by Newton's method."""
    turns = np.stack([each.turn for each in found])
    yes = np.array([each.yes for each in found], np.float64)
    mean, spread = turns.mean(0), turns.std(0) + LITTLE
    scaled = np.c_[np.ones(len(turns)), (turns - mean) / spread]
    ridge = np.diag([LITTLE, *[RIDGE * len(turns)] * turns.shape[1]])
    weights = np.zeros(scaled.shape[1])
    for _ in range(STEPS):
        told = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (told - yes) + ridge @ weights
        curve = scaled.T @ (scaled * (told * (1 - told))[:, None]) + ridge
        weights -= np.linalg.solve(curve, slope)
    own = weights[1:] / spread
    return own, float(weights[0] - own @ mean)


def measured(found: list[Replying], weights: Floats, bias: float) -> str:
    """How many replies are at least so sure, and how many of these are right."""
    told = 1 / (1 + np.exp(-(np.stack([each.turn for each in found]) @ weights + bias)))
    right = (told > 1 / 2) == np.array([each.yes for each in found])
    surely = np.maximum(told, 1 - told)
    within = [(least, right[surely >= least]) for least in SURE]
    return ", ".join(f"from {least}: {some.sum()} of {len(some)}" for least, some in within)


def main() -> None:
    """Read the sets, fit, write the head with what was fitted, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("head", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--leave", default="", help="sets that are measured, not learnt from")
    parser.add_argument("--stores", type=Path, help="where memories are kept")
    given = parser.parse_args()
    head, model = AnswerHead.load(given.head), MiniLM(threads=1)
    with tempfile.TemporaryDirectory() as folder:
        stores = given.stores or Path(folder)
        found = {
            name: list(replying(each, head, model, stores / f"{name}.db"))
            for path in given.sets
            for name, each in sets(path).items()
        }
    left = frozenset(given.leave.split(","))
    known = [each for name, some in found.items() if name not in left for each in some]
    others = [each for name, some in found.items() if name in left for each in some]
    weights, bias = fit(known)
    kept = {name: np.asarray(value, np.float16) for name, value in arrays_in(given.head).items()}
    kept |= {"yes": weights.astype(np.float16), "yes_bias": np.float16(bias)}
    np.savez(given.out, **kept)  # type: ignore[arg-type]
    print(f"{len(known)} questions: {measured(known, weights, bias)}")
    if others:
        print(f"{len(others)} left out: {measured(others, weights, bias)}")


if __name__ == "__main__":
    main()

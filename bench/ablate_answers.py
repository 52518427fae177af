"""What each part of answering is worth: the questions of `quipu eval answers`, a part taken away.

    python -m bench.ablate_answers DIRECTORY [DIRECTORY ...] [--keep STORES]

Every question is asked with everything and then without each part. A line a part: the share of the
answerable questions that are answered right with it and without it, the difference with its 95 %
interval (10,000 paired bootstrap samples of the questions, seed 1), and how many answers were sure
and wrong without it.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from quipu.answer.worth import WEIGHTS
from quipu.evaluate.answers import SURE, JudgedAnswer, evaluate_answers
from quipu.memory import Memory

SAMPLES, SEED = 10_000, 1
# Module, name, and what stands there where the part is taken away.
PARTS: dict[str, tuple[str, str, object]] = {
    "slots: the kind of thing asked for": ("intent", "kind_asked", lambda _: None),
    "what is wanted: reason, manner, place": ("intent", "_answer_type", lambda _: "any"),
    "roles of files": ("worth", "fit_of", lambda *_: 0.0),
    "windows of lines": ("choose", "_of_windows", lambda *_: iter(())),
    "statements of the graph": ("write", "state", lambda *_, **__: []),
    "meaning of windows": ("write", "Nearness", lambda *_: None),
    "the passage's similarity": ("worth", "WEIGHTS", {**WEIGHTS, "similarity": 0.0}),
    "a second and a third window": ("choose", "_MOST", 1),
}


@contextmanager
def without(part: str | None) -> Iterator[None]:
    """Answers are made without `part`; with everything for None."""
    import quipu.answer  # its modules stand in `sys.modules` then

    if part is None:
        yield
        return
    module, name, instead = PARTS[part]
    with patch.object(sys.modules[f"{quipu.answer.__name__}.{module}"], name, instead):
        yield


def asked(directories: list[Path], keep: Path | None, part: str | None) -> list[JudgedAnswer]:
    """The questions of all directories, as they are answered without `part`."""

    def opened(path: str, home: Path) -> Memory:
        return Memory.open(path, home=home)

    with without(part):
        return [
            each
            for directory in directories
            for each in evaluate_answers(directory, opened, folder=keep).answers
            if each.answerable
        ]


def interval(difference: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of the mean difference of paired answers."""
    draw = np.random.default_rng(SEED).integers(0, len(difference), (SAMPLES, len(difference)))
    low, high = np.quantile(difference[draw].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def report(directories: list[Path], keep: Path | None, say: Callable[[str], None]) -> None:
    """Print a line a part."""
    whole = asked(directories, keep, None)
    right = _right(whole)
    say(f"{len(whole)} questions, {right.mean():.1%} right, {_wrong(whole)} wrong and sure")
    for part in PARTS:
        bare = asked(directories, keep, part)
        worth = right - _right(bare)
        low, high = interval(worth)
        say(
            f"{part:<40} without it {_right(bare).mean():.1%}, worth {worth.mean():+.1%} "
            f"[{low:+.1%}, {high:+.1%}], {_wrong(bare)} wrong and sure"
        )


def _right(answers: list[JudgedAnswer]) -> NDArray[np.float64]:
    return np.array([float(each.verdict == "right") for each in answers])


def _wrong(answers: list[JudgedAnswer]) -> int:
    return sum(each.verdict == "wrong" and each.confidence >= SURE for each in answers)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    report(given.directories, given.keep, lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()

"""`python -m bench ablate SET [SET ...]`: what each part is worth, measured by taking it away.

A SET is `talk:NAME` (a half of `bench/everyday`, as `talk:kept`), `answers:DIR` (repositories with
questions, as `quipu eval answers` takes them) or `search:DIR` (corpus, questions and gold, as
`quipu eval retrieval` takes them). Every question is scored with everything and then without each
part of `SWITCHES`: 1 for a right answer, or the share of the gold in the first five hits. A line a
part: the mean without it, what it is worth, and the 95 % interval of that (10,000 paired bootstrap
samples of the questions, seed 1). A part whose interval does not lie above 0 earns nothing on
these sets. `--only WORD` keeps the parts whose name has the word, `--keep DIR` the stores.
"""

import argparse
import importlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bench.everyday_memory import HALVES, LAST, NEVER_SAID, SURE, answers, named, read, write
from quipu.evaluate.answers import evaluate_answers
from quipu.evaluate.figures import recall_at
from quipu.evaluate.retrieval import evaluate_retrieval
from quipu.memory import Memory

__all__ = ["SWITCHES", "Score", "Switch", "interval", "main", "without"]

SAMPLES, SEED, CUTOFF = 10_000, 1, 5
Replace = Callable[[Any], Any]


class Score(NamedTuple):
    """How a question went: `right` in [0, 1], and whether it was answered surely and wrong."""

    right: float
    sure_and_wrong: bool = False


class Switch(NamedTuple):
    """A part that can be taken away: the place `module:attribute` and what stands there instead,
    made from what stood there. `kinds` are the kinds of set that it can change."""

    place: str
    instead: Replace
    kinds: tuple[str, ...] = ("talk", "answers", "search")


def _nothing(_: Any) -> Any:
    return lambda *_, **__: None


def _always(value: Any) -> Replace:
    return lambda _: lambda *_, **__: value


def _zero(*names: str) -> Replace:
    return lambda weights: replace(weights, **dict.fromkeys(names, 0.0))


def _weight(name: str) -> Replace:
    return lambda weights: {**weights, name: 0.0}


ANSWERING = ("answers",)
TALKING = ("talk",)
SWITCHES: Mapping[str, tuple[Switch, ...]] = {
    "answer: statements of the graph": (
        Switch("quipu.answer.write:state", lambda _: lambda *_, **__: [], ("answers", "talk")),
    ),
    "answer: meaning of blocks": (Switch("quipu.answer.write:Nearness", _nothing, ANSWERING),),
    **{
        f"answer: {part} of a block": (
            Switch("quipu.answer.worth:WEIGHTS", _weight(name), ANSWERING),
        )
        for part, name in {
            "the words": "own",
            "the title": "above",
            "the words of each line": "dense",
            "the names": "names",
            "the place of its passage": "rank",
            "the meaning": "cosine",
        }.items()
    },
    "extract: plain statements": (
        Switch("quipu.extract.statements:plain_statements", lambda _: lambda *_: [], TALKING),
    ),
    "talk: which turn answers, by the head": (
        Switch("quipu.kinds.conversations.answer:likely", _nothing, TALKING),
    ),
    "talk: from which sentence": (
        Switch("quipu.kinds.conversations.answering:_telling", _always(""), TALKING),
    ),
    "talk: the search beside the head": (
        Switch("quipu.kinds.conversations.answering:_SEARCHED", lambda _: 0.0, TALKING),
    ),
    "talk: what is told first": (
        Switch(
            "quipu.kinds.conversations.answer:in_order", lambda _: lambda told, *_: told, TALKING
        ),
    ),
    "talk: a question with its reply": (
        Switch("quipu.kinds.conversations.answer:beside", _always({}), TALKING),
    ),
    **{
        f"talk: {part}": (Switch("quipu.kinds.conversations.score:TURNS", _zero(*names), TALKING),)
        for part, names in {
            "sentence vectors": ("sentence_cosine",),
            "words of the session": ("session_words",),
            "words of the turns around": ("before", "after", "two_away"),
            "who is named": ("named_speaker",),
            "who asks": ("asker",),
            "the time asked about": ("time",),
            "questions count less": ("question",),
            "what was asked for once and for all": ("standing",),
        }.items()
    },
    **{
        f"prose: {part}": (Switch("quipu.kinds.files.prose:PROSE", _zero(*names), ("search",)),)
        for part, names in {
            "the graph": ("graph_proximity",),
            "names": ("name",),
            "words": ("lexical",),
            "vectors of the passage": ("passage",),
            "vectors of its sentences": ("sentence",),
            "vectors of its windows": ("window",),
            "variety among the first ten": ("coverage",),
        }.items()
    },
}


@contextmanager
def without(part: str | None) -> Iterator[None]:
    """Everything runs without `part`; with everything for None."""
    with ExitStack() as stack:
        for switch in SWITCHES[part] if part else ():
            module, _, path = switch.place.partition(":")
            owner: Any = importlib.import_module(module)
            *holders, name = path.split(".")
            for holder in holders:
                owner = getattr(owner, holder)
            stack.enter_context(patch.object(owner, name, switch.instead(getattr(owner, name))))
        yield


def interval(difference: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of the mean difference of paired scores."""
    draw = np.random.default_rng(SEED).integers(0, len(difference), (SAMPLES, len(difference)))
    low, high = np.quantile(difference[draw].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def _talk(half: str, _: Path | None) -> list[Score]:
    given = read(named(half) if half in HALVES else Path(half))
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "memory.db", clock=lambda: LAST) as memory,
    ):
        write(memory, given)
        replies = [(asked, memory.ask(asked.question)) for asked in given.questions]
    found: list[Score] = []
    for asked, reply in replies:
        told = reply.contract.answer != "unknown"
        good = answers(asked.words, reply.contract.answer) if told else asked.words == NEVER_SAID
        found.append(Score(float(good), told and not good and reply.confidence.value >= SURE))
    return found


def _answers(directory: str, keep: Path | None) -> list[Score]:
    def opened(path: str, home: Path) -> Memory:
        return Memory.open(path, home=home)

    return [
        Score(
            float((each.verdict == "right") if each.answerable else each.verdict == "abstained"),
            each.verdict == "wrong" and each.confidence >= SURE,
        )
        for each in evaluate_answers(Path(directory), opened, folder=keep).answers
    ]


def _search(directory: str, keep: Path | None) -> list[Score]:
    asked = evaluate_retrieval(Path(directory), Memory.open, folder=keep).questions
    return [Score(recall_at(each.ranking, each.gold, CUTOFF)) for each in asked]


KINDS: Mapping[str, Callable[[str, Path | None], list[Score]]] = {
    "talk": _talk,
    "answers": _answers,
    "search": _search,
}


def _scores(sets: Sequence[str], keep: Path | None, part: str | None) -> list[Score]:
    with without(part):
        return [
            score
            for kind, _, where in (each.partition(":") for each in sets)
            for score in KINDS[kind](where, keep)
        ]


def report(sets: Sequence[str], keep: Path | None, only: str, say: Callable[[str], None]) -> None:
    """Print a line a part."""
    kinds = {each.partition(":")[0] for each in sets}
    whole = _scores(sets, keep, None)
    right = np.array([each.right for each in whole])
    wrong = sum(each.sure_and_wrong for each in whole)
    say(f"{len(whole)} questions, {right.mean():.1%} right, {wrong} wrong and sure")
    for part, switches in SWITCHES.items():
        if only not in part or not any(kinds & set(each.kinds) for each in switches):
            continue
        bare = _scores(sets, keep, part)
        worth = right - np.array([each.right for each in bare])
        low, high = interval(worth)
        wrong = sum(each.sure_and_wrong for each in bare)
        say(
            f"{part:<42} without it {right.mean() - worth.mean():.1%}, worth {worth.mean():+.1%} "
            f"[{low:+.1%}, {high:+.1%}], {wrong} wrong and sure"
        )


def main(arguments: Sequence[str]) -> int:
    """Print what each part is worth on the sets that are named."""
    parser = argparse.ArgumentParser(prog="python -m bench ablate", description=__doc__)
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    given = parser.parse_args(arguments)
    for each in given.sets:
        if each.partition(":")[0] not in KINDS:
            parser.error(f"{each!r} is no set: begin with {', '.join(f'{k}:' for k in KINDS)}")
    report(given.sets, given.keep, given.only, lambda line: print(line, flush=True))
    return 0

"""What lines or a sentence are worth as an answer: Σ weight · feature, by `WEIGHTS`."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from quipu.answer.gate import Evidence
from quipu.index import bm25
from quipu.ports import Planner
from quipu.question import Question
from quipu.text import fold, stems_in_parts

__all__ = ["WEIGHTS", "Candidate", "Weighing", "worth"]

WEIGHTS: Mapping[str, float] = {
    "own": 1.0,
    "above": 0.6,
    "dense": 0.1,
    "names": 0.6,
    "rank": 0.5,
    "cosine": 0.8,
}
"""By feature:

- `own`: the share of the question that they say, its stems weighed by their idf in the store;
  `above`: what only their title says of it; `dense`: the shares of their lines, added up
- `names`: the share of the question's names that stand in them or their title to the letter; 1 for
  a line of front matter of which the question names the key
- `rank`: 1 / the place of their passage among those found
- `cosine`: with the question

Set by hand: weights fitted to three of four repositories did no better on the fourth."""

_FIELDS = ("prose", "code", "turn")


class Candidate(NamedTuple):
    """What may be quoted. `place` is the rank of its passage and where it begins there, in
    characters, `end` where it ends; `own` and `above` are the stems of the question that it and its
    title say, `dense` the shares of the question that its lines say, added up; `on_subject` tells
    whether its passage speaks of what the question is about, `keyed` that it is a line of front
    matter, `lines` which lines of the passage it takes."""

    text: str
    place: tuple[int, int]
    evidence: Evidence
    own: frozenset[str]
    above: frozenset[str]
    on_subject: bool = True
    worth: float = 0.0
    similarity: float | None = None
    lines: tuple[int, int] | None = None
    end: int = 0
    keyed: bool = False
    dense: float = 0.0


class Weighing(NamedTuple):
    """What candidates are weighed for: the question, and the idf of each of its stems."""

    asked: Question
    idf: Mapping[str, float]

    @classmethod
    def of(cls, asked: Question, planner: Planner) -> "Weighing":
        """For passages of a store."""
        terms = sorted(asked.stem_set)
        found = [planner.frequencies(field, terms, np.zeros(0, np.int64)) for field in _FIELDS]
        count = sum(each.count for each in found)
        df = np.sum([each.df for each in found], axis=0).tolist()
        idf = {term: bm25.idf(min(n, count), count) for term, n in zip(terms, df, strict=True)}
        return cls(asked, idf)

    def share(self, said: frozenset[str]) -> float:
        """The share of the question that the stems `said` are."""
        total = math.fsum(self.idf.values())
        return math.fsum(self.idf[s] for s in sorted(said)) / total if total else 0.0

    def says(self, text: str) -> frozenset[str]:
        """Return the stems of the question that a text says; none of a line that asks it."""
        if "?" in text and fold(self.asked.text.strip()) in fold(text):
            return frozenset()
        return frozenset(stems_in_parts(text)) & self.idf.keys()


def worth(candidate: Candidate, weighing: Weighing) -> float:
    """What a candidate is worth, with its cosine where that is known."""
    names, title = weighing.asked.names, candidate.evidence.title
    stand = sum(name in candidate.text or name in title for name in names)
    features = {
        "own": weighing.share(candidate.own),
        "above": weighing.share(candidate.above - candidate.own),
        "dense": candidate.dense,
        "names": 1.0 if candidate.keyed else stand / max(len(names), 1),
        "rank": 1.0 / (1 + candidate.place[0]),
        "cosine": max(candidate.similarity or 0.0, 0.0),
    }
    return math.fsum(WEIGHTS[name] * value for name, value in features.items())

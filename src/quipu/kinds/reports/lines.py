"""The sentences that a report may quote, and which of them say best what it is about.

Prose is quoted as it stands, a turn with who said it, code by its documentation. Sentences are
chosen by maximal marginal relevance (Carbonell, Goldstein 1998): one is worth the cosine of its
stems with those of all candidates, how central its document is, and whether it opens its document;
what was chosen before it, from the same document above all, counts against it.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.quote import code_lead, code_span, in_short, is_order, plain, units
from quipu.records.passage import SPOKEN
from quipu.records.record import Chunk
from quipu.text import sentences, stems

__all__ = ["CandidateLine", "Line", "choose", "is_whole", "quotable"]

_DOCSTRING = re.compile(r"\A(?:\s*#[^\n]*\n)*\s*[rRuUbB]?(\"\"\"|''')(.*?)\1", re.DOTALL)
_SHORTEST, _LONGEST, _FEWEST_STEMS = 35, 320, 4
_LETTERS = 0.72
"""The share of letters and spaces in prose; code and tables have fewer."""
_LEANING = frozenset(
    "it this that these those they he she such both so but and or also then see for which".split()
)
"""Words that begin what leans on the sentence before it."""


class Line(NamedTuple):
    """A sentence and where it stands; `lead` says that it opens its document, `said` is it without
    who said it."""

    text: str
    start_line: int
    end_line: int
    lead: bool = False
    said: str = ""


class CandidateLine(NamedTuple):
    """A line, the passage and document it is of, and how central that is (0 to 1)."""

    line: Line
    chunk_id: str
    document_id: str
    centre: float


def quotable(chunk: Chunk) -> list[Line]:
    """Return the lines of `chunk`, in order; some may not be worth quoting."""
    if chunk.profile == "code":
        return list(_of_code(chunk))
    return list(_of_turn(chunk) if chunk.profile == SPOKEN else _of_prose(chunk))


def _of_code(chunk: Chunk) -> Iterator[Line]:
    opening = _DOCSTRING.match(chunk.text) if chunk.start_line == 1 else None
    if opening:
        if said := in_short(opening[2]):
            begin = opening.end(2) - len(opening[2].lstrip())
            yield _placed(chunk, said, begin, begin + len(opening[2].strip()), lead=True)
        return
    _, documentation = code_lead(chunk.text)
    if documentation and chunk.symbol and not chunk.symbol.rpartition(".")[2].startswith("_"):
        text = plain(f"{code_span(chunk.symbol)}: {documentation}", limit=_LONGEST)
        yield Line(text, chunk.start_line, chunk.end_line, said=documentation)


def _of_turn(chunk: Chunk) -> Iterator[Line]:
    speaker = chunk.title.partition(",")[0]
    for start, end in sentences(chunk.text):
        if not is_order(chunk.text[start:end]):
            said = plain(chunk.text[start:end], limit=_LONGEST)
            text = f"{speaker}: {said}" if speaker else said
            yield _placed(chunk, text, start, end, said=said)


def _of_prose(chunk: Chunk) -> Iterator[Line]:
    lead = chunk.position == 0
    for unit in units(chunk.text):
        if unit.kind == "sentence":
            yield _placed(chunk, unit.text, unit.start, unit.start + unit.length, lead=lead)
            lead = False


def _placed(
    chunk: Chunk, text: str, start: int, end: int, *, lead: bool = False, said: str = ""
) -> Line:
    first, last = (chunk.start_line + chunk.text[:at].count("\n") for at in (start, end))
    return Line(text, first, last, lead, said)


def is_whole(line: Line) -> bool:
    """Return whether a sentence can be understood where it is quoted: it is complete, is prose, and
    does not lean on the one before it."""
    text = (line.said or line.text).strip()
    letters = sum(c.isalpha() or c.isspace() for c in text)
    return (
        len(text) >= _SHORTEST
        and len(line.text) <= _LONGEST
        and (text[0].isupper() or text[0] in '`"“')
        and text.rstrip("\"')”’`")[-1:] in {".", "!"}
        and letters >= _LETTERS * len(text)
        and text.split()[0].lower().strip(",") not in _LEANING
        and len(_stems(line)) >= _FEWEST_STEMS
    )


def choose(candidates: Sequence[CandidateLine], most: int) -> list[CandidateLine]:
    """Return the best `most` candidates, in the order in which they were picked."""
    bags: dict[frozenset[str], CandidateLine] = {}
    for each in sorted(candidates, key=lambda c: (-c.centre, c.chunk_id, c.line.start_line)):
        bags.setdefault(_stems(each.line), each)  # of a sentence said twice the most central
    left = _worth(bags)
    chosen: dict[frozenset[str], CandidateLine] = {}

    def against(bag: frozenset[str]) -> float:
        """How much was said before, and how often its document had its turn."""
        alike = max((len(bag & other) / max(len(bag | other), 1) for other in chosen), default=0.0)
        again = sum(c.document_id == bags[bag].document_id for c in chosen.values())
        return alike + again / max(len(chosen), 1)

    while left and len(chosen) < most:
        gain = {bag: round(worth - against(bag), 6) for bag, worth in left.items()}
        best = max(left, key=lambda b: (gain[b], bags[b].chunk_id, -bags[b].line.start_line))
        if chosen and gain[best] <= 0:
            break
        chosen[best] = bags[best]
        del left[best]
    return list(chosen.values())


def _stems(line: Line) -> frozenset[str]:
    return frozenset(stems(line.said or line.text))


def _worth(bags: dict[frozenset[str], CandidateLine]) -> dict[frozenset[str], float]:
    df = Counter(stem for bag in bags for stem in bag)
    idf = {stem: math.log((len(bags) + 1) / n) for stem, n in df.items()}
    near = {
        bag: math.fsum(df[s] * idf[s] ** 2 for s in bag)
        / math.sqrt(math.fsum(idf[s] ** 2 for s in bag) or 1.0)
        for bag in bags
    }
    best = max(near.values(), default=0.0) or 1.0
    return {bag: near[bag] / best + each.centre + each.line.lead for bag, each in bags.items()}

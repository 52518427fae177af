"""The sentences that a report may quote.

Prose is quoted as it stands, a turn with who said it, code by its documentation; none that leans
on the sentence before it.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from quipu.answer.quote import code_lead, code_span, in_short, is_order, plain, units
from quipu.records.passage import SPOKEN
from quipu.records.record import Chunk
from quipu.text import sentences, stems

__all__ = ["Line", "quotable"]

_DOCSTRING = re.compile(r"\A(?:\s*#[^\n]*\n)*\s*[rRuUbB]?(\"\"\"|''')(.*?)\1", re.DOTALL)
_SHORTEST, _LONGEST, _FEWEST_STEMS = 35, 320, 4
_LETTERS = 0.72
"""The share of letters and spaces in prose; code and tables have fewer."""
_LEANING = frozenset(
    "it this that these those they he she such both so but and or also then see for which".split()
)
"""Words that begin what leans on the sentence before it."""


class Line(NamedTuple):
    """A sentence and where it stands; `stems` are those of what is said, without who said it."""

    text: str
    start_line: int
    end_line: int
    stems: frozenset[str]


def quotable(chunk: Chunk) -> Iterator[Line]:
    """Yield the sentences of `chunk` that can be understood where they are quoted, in order."""
    for text, said, start, end in _said(chunk):
        found = frozenset(stems(said))
        if _is_whole(said.strip()) and len(text) <= _LONGEST and len(found) >= _FEWEST_STEMS:
            first, last = (chunk.start_line + chunk.text[:at].count("\n") for at in (start, end))
            yield Line(text, first, last, found)


def _said(chunk: Chunk) -> Iterator[tuple[str, str, int, int]]:
    """What may be quoted, what is said in it, and its characters in the passage."""
    whole = chunk.text
    if chunk.profile == "code":
        opening = _DOCSTRING.match(whole) if chunk.start_line == 1 else None
        if opening:
            said = in_short(opening[2])
            start = opening.end(2) - len(opening[2].lstrip())
            yield said, said, start, opening.end(2)
            return
        _, said = code_lead(whole)
        if chunk.symbol and not chunk.symbol.rpartition(".")[2].startswith("_"):
            text = plain(f"{code_span(chunk.symbol)}: {said}", limit=_LONGEST)
            yield text, said, 0, len(whole)
    elif chunk.profile == SPOKEN:
        speaker = chunk.title.partition(",")[0]
        for start, end in sentences(whole):
            if not is_order(whole[start:end]):
                said = plain(whole[start:end], limit=_LONGEST)
                yield f"{speaker}: {said}" if speaker else said, said, start, end
    else:
        for unit in units(whole):
            if unit.kind == "sentence":
                yield unit.text, unit.text, unit.start, unit.start + unit.length


def _is_whole(said: str) -> bool:
    """Whether a sentence is complete, is prose, and does not lean on the one before it."""
    letters = sum(c.isalpha() or c.isspace() for c in said)
    return (
        len(said) >= _SHORTEST
        and (said[0].isupper() or said[0] in '`"“')
        and said.rstrip("\"')”’`")[-1:] in {".", "!"}
        and letters >= _LETTERS * len(said)
        and said.split(maxsplit=1)[0].lower().strip(",") not in _LEANING
    )

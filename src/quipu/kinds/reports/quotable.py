"""The sentences of a passage that a report may quote: prose as it stands, turns with who said
them, code by its documentation."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from quipu.answer.quote import code_lead, code_span, in_short, is_order, plain, units
from quipu.records.passage import SPOKEN
from quipu.records.record import Chunk
from quipu.text import sentences

__all__ = ["Line", "quotable"]

_DOCSTRING = re.compile(r"\A(?:\s*#[^\n]*\n)*\s*[rRuUbB]?(\"\"\"|''')(.*?)\1", re.DOTALL)
_LIMIT = 320


class Line(NamedTuple):
    """A sentence that could be quoted and where it stands; `lead` that it opens its document or
    says what a definition does; `said` is the sentence without who said it."""

    text: str
    start_line: int
    end_line: int
    lead: bool = False
    said: str = ""


def quotable(chunk: Chunk) -> list[Line]:
    """The lines of `chunk`, in order; some may not be worth quoting."""
    if chunk.profile == "code":
        return list(_of_code(chunk))
    if chunk.profile == SPOKEN:
        return list(_of_turn(chunk))
    return list(_of_prose(chunk))


def _of_code(chunk: Chunk) -> Iterator[Line]:
    opening = _DOCSTRING.match(chunk.text) if chunk.start_line == 1 else None
    if opening:
        said = in_short(opening[2])
        begin = opening.end(2) - len(opening[2].lstrip())
        first = chunk.start_line + chunk.text[:begin].count("\n")
        if said:
            yield Line(said, first, first + opening[2].strip().count("\n"), lead=True)
        return
    _, documentation = code_lead(chunk.text)
    if documentation and chunk.symbol and not chunk.symbol.rpartition(".")[2].startswith("_"):
        text = plain(f"{code_span(chunk.symbol)}: {documentation}", limit=_LIMIT)
        yield Line(text, chunk.start_line, chunk.end_line, said=documentation)


def _of_turn(chunk: Chunk) -> Iterator[Line]:
    speaker = chunk.title.partition(",")[0]
    for start, end in sentences(chunk.text):
        if is_order(chunk.text[start:end]):
            continue
        said = plain(chunk.text[start:end], limit=_LIMIT)
        first = chunk.start_line + chunk.text[:start].count("\n")
        last = chunk.start_line + chunk.text[:end].count("\n")
        yield Line(f"{speaker}: {said}" if speaker else said, first, last, said=said)


def _of_prose(chunk: Chunk) -> Iterator[Line]:
    lead = chunk.position == 0
    for unit in units(chunk.text):
        if unit.kind != "sentence":
            continue
        first = chunk.start_line + chunk.text[: unit.start].count("\n")
        last = first + chunk.text[unit.start : unit.start + unit.length].count("\n")
        yield Line(unit.text, first, last, lead=lead)
        lead = False

"""Whether the evidence of an answer says what its sentences say, as far as words can tell.

A sentence is `quoted` when its words stand in a cited source one after another, `recorded` when a
cited record states it (both ends of a relation in their order, or a fact, and no other words than
theirs and the source's), `reworded` when one cited sentence holds its names, its numbers and most
of its words and denies as much (`by_model.supported`), or one cited passage all that it has in
backticks and its words but for a verb. Else it is `not found`: it may still be
true, and somebody has to read.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, NamedTuple, TypeAlias

import msgspec

from quipu.answer.by_model import supported
from quipu.answer.contract import CODE_SPAN, FENCED, MARK, PLACE
from quipu.answer.dated_facts import said
from quipu.answer.wording import verb
from quipu.ports import Planner
from quipu.records.record import Entity, Fact, Relation
from quipu.records.schema import row_of
from quipu.text import STOP_WORDS, denies, sentences, stems, stems_in_parts

__all__ = ["Bearing", "BearingSource", "SentenceCheck", "borne"]

Bearing: TypeAlias = Literal["quoted", "recorded", "reworded", "not found"]

_WORD = re.compile(r"[^\W_]+")
_LINK = re.compile(r"\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_PIECE = re.compile(r"…|:\s")
_PLACED = re.compile(r"\s+(?:is\s+)?in\s+`+([^`]+)`+(?:\s+of\s+`+([^`]+)`+)?\W*$")
_LINES = re.compile(r"(?<=\w):\d+(?:-\d+)?(?=`)")
_NAME = re.compile(r"[@\d_]|\w[A-Z]|(?<=[a-z,] )[A-Z]")
_LEADS = frozenset({"yes", "no", "later", "another source says"})
_CLOSED = re.compile(r"\s*[.;:,!?]*")


class BearingSource(NamedTuple):
    """What one piece of evidence may say: its texts, and the ids of its records."""

    texts: tuple[str, ...]
    paths: tuple[str, ...]
    graph_ids: tuple[str, ...]


class SentenceCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence of an answer, and whether what it cites says it."""

    text: Annotated[str, "the sentence"]
    marks: Annotated[tuple[int, ...], "the numbers of the evidence that it cites"]
    found: Annotated[
        Bearing,
        "`quoted`: its words stand there; `recorded`: a cited record states it; `reworded`: a "
        "cited sentence has its names, numbers and most of its words; else `not found`",
    ]


def borne(
    answer: str, sources: Sequence[BearingSource], planner: Planner
) -> tuple[SentenceCheck, ...]:
    """Each sentence of `answer` with how the evidence that it cites bears it; one without a mark
    may rest on any of it."""
    checks: list[SentenceCheck] = []
    for text, marks in _sentences(answer):
        own = [sources[n - 1] for n in marks if 0 < n <= len(sources)] or list(sources)
        checks.append(SentenceCheck(text=text, marks=marks, found=_found(text, own, planner)))
    return tuple(checks)


def _sentences(answer: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """(sentence or block of code, the numbers it cites): those of the next marks after it, of a
    block below a place the place's. Places say nothing."""
    waiting: list[str] = []
    at = 0
    for block in (*FENCED.finditer(answer), None):
        prose, at = answer[at : block.start() if block else None], block.end() if block else at
        places = [*PLACE.finditer(prose)]
        below = bool(block and places and not prose[places[-1].end() :].strip())
        prose = PLACE.sub("", prose)
        code = [span.span() for span in CODE_SPAN.finditer(prose)]
        start = 0
        for mark in MARK.finditer(prose):
            if any(first < mark.start() < last for first, last in code):
                continue
            waiting += _split(prose[start : mark.start()])
            numbers = tuple(int(n) for n in mark[1].split(","))
            yield from ((each, numbers) for each in waiting)
            waiting = []
            closed = _CLOSED.match(prose, mark.end())
            start = closed.end() if closed else mark.end()
        waiting += _split(prose[start:])
        if block and below:
            yield block.group(), (int(places[-1]["n"]),)
        elif block:
            waiting.append(block.group())
    yield from ((each, ()) for each in waiting)


def _split(text: str) -> list[str]:
    return [
        line[start:end]
        for line in text.split("\n")
        for start, end in sentences(line)
        if _WORD.search(line[start:end]) and not _is_lead(line[start:end].rstrip(":"))
    ]


def _found(text: str, own: Sequence[BearingSource], planner: Planner) -> Bearing:
    text = _LINES.sub("", text)
    if _is_quoted(text, own):
        return "quoted"
    if _is_recorded(text, own, planner):
        return "recorded"
    passages = [(" ".join(each.paths), one) for each in own for one in each.texts]
    reworded = supported(text, passages) or _is_of_code(text, own)
    return "reworded" if reworded else "not found"


def _is_of_code(text: str, own: Sequence[BearingSource]) -> bool:
    """Whether all that stands in backticks does so in one cited text, or names its path, and of
    the words beside it, none of them a name, no more than one, such as "takes", is not of it."""
    spans = [span.group() for span in CODE_SPAN.finditer(text)]
    prose = CODE_SPAN.sub(" ", text)
    said = set(stems(prose)) - STOP_WORDS
    plainly = not FENCED.fullmatch(text) and not _NAME.search(prose)
    return (
        bool(spans)
        and plainly
        and any(
            all(_stands(span, [_in_words(one), *map(_in_words, each.paths)]) for span in spans)
            and len(said - set(stems_in_parts(one))) <= 1
            and not denies(text)
            for each in own
            for one in each.texts
        )
    )


def _is_quoted(text: str, own: Sequence[BearingSource]) -> bool:
    """Whether every piece stands in a text, word for word; of a block of code every line."""
    texts = [_in_words(_LINK.sub("]", one)) for each in own for one in each.texts]
    texts += [_in_words(one) for each in own for one in each.texts]
    names = [_in_words(path) for each in own for path in each.paths]
    if FENCED.fullmatch(text):
        pieces = [piece for line in text.split("\n")[1:-1] for piece in line.split("…")]
    else:
        placed = _PLACED.search(text)
        if placed and all(_stands(each, names) for each in placed.groups() if each):
            text = text[: placed.start()]
        pieces = _PIECE.split(text)
    told = [each for each in pieces if _in_words(each).strip() and not _is_lead(each)]
    return bool(told) and all(_stands(each, [*texts, *names]) for each in told)


def _is_lead(piece: str) -> bool:
    return _in_words(piece).strip() in _LEADS or re.fullmatch(r"In `+[^`]+`+", piece) is not None


def _stands(piece: str, texts: Sequence[str]) -> bool:
    words = _in_words(piece)
    return any(words in text for text in texts)


def _in_words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _is_recorded(text: str, own: Sequence[BearingSource], planner: Planner) -> bool:
    """Whether a relation or a fact that is cited states it: it names both ends in their order, and
    says nothing that is not theirs or their source's, and no more "not" than they do."""
    records = planner.get(sorted({id_ for each in own for id_ in each.graph_ids}))
    sentence = " ".join(_WORD.findall(text.casefold()))
    known = {s for each in own for one in (*each.texts, *each.paths) for s in stems_in_parts(one)}
    stated = False
    for record in records.values():
        if isinstance(record, Fact):
            known |= set(stems_in_parts(f"{said(record)} {record.subject} {record.object}"))
            ends = (record.subject, record.object)
        elif isinstance(record, Relation):
            both = planner.get([record.source_entity_id, record.target_entity_id])
            ends = tuple(
                _name(both.get(id_)) for id_ in (record.source_entity_id, record.target_entity_id)
            )
            row = row_of(record.type)
            words = f"{verb(record.type, 1)} {verb(record.type, 2)} {row.between_symbols}"
            known |= set(stems_in_parts(f"{' '.join(ends)} {words}"))
        else:
            continue
        places = [sentence.find(" ".join(_WORD.findall(end.casefold()))) for end in ends if end]
        stated |= len(places) == len(ends) and -1 not in places and places == sorted(places)
    left = {s for s in stems(text) if s not in STOP_WORDS} - known
    denied = any(isinstance(r, Fact) and denies(said(r)) for r in records.values())
    return stated and not left and denies(text) <= denied


def _name(record: object) -> str:
    return record.name if isinstance(record, Entity) else ""

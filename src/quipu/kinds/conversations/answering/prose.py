"""The sentences of documents that are read as turns are: what was written may hold no more, since
it was said otherwise, or the turns that were found say nothing of what a document tells. Minutes
and notes, which are of a day, tell as turns do what was so on it, and the next may change it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.gate import Evidence, is_turn
from quipu.answer.quote import units
from quipu.records.reply import Hit
from quipu.records.role import Role
from quipu.text import stems, tokens
from quipu.when.instants import begins_day

__all__ = [
    "BESIDE_A_TURN",
    "Sentence",
    "is_prose",
    "is_record",
    "place_of",
    "sentences_of",
    "speaks_on",
    "told_on",
]

BESIDE_A_TURN = 0.06
"""What a sentence of a document counts beside a turn: a document says a thing in the words in which
it is asked for, and as a rule has said it for long."""
_PASSAGES, _MOST = 4, 6
_RECORDS, _MOST_OF_RECORDS = 12, 10
_FEWEST, _FULL = 3, 60
_WRITTEN: Role = "documentation"
_SAYING = frozenset({"sentence", "key"})
_PRONOUNS = frozenset("it they he she this that these those them him her its their his".split())
_BEGINNING = 3


class Sentence(NamedTuple):
    """A sentence of a passage of a document, and the heading that it stands below."""

    passage: Evidence
    heading: str
    text: str


def is_prose(of: Evidence | Hit) -> bool:
    """Whether a passage is prose of a document, so that its sentences can be read beside turns."""
    return of.role == _WRITTEN


def is_record(of: Evidence | Hit) -> bool:
    """Whether a passage is prose of a document that names its day, as minutes and notes do."""
    return is_prose(of) and begins_day(of.updated_at)


def told_on(each: Evidence) -> str:
    """When something was told (ISO 8601). A sentence of a document that names no day as its own may
    be as old as any: "", before all; its file's time is that of its last change."""
    return each.updated_at if is_turn(each) or is_record(each) else ""


def place_of(each: Evidence) -> int:
    """The place of a turn in its session, from 1; 0 where that is not known."""
    place = each.path.rpartition("#")[2]
    return int(place) if place.isdigit() else 0


def sentences_of(about: frozenset[str], evidence: Sequence[Evidence]) -> list[Sentence]:
    """Those of the first documents that say most of a question, which says the stems `about`, in
    their order; none where neither a turn nor a record was found."""
    written = [each for each in evidence if is_prose(each) and not is_turn(each)]
    records = list(filter(is_record, written))
    if not records and not any(map(is_turn, evidence)):
        return []
    others = [each for each in written if not is_record(each)]
    return [
        *_chosen(about, records[:_RECORDS], _MOST_OF_RECORDS),
        *_chosen(about, others[:_PASSAGES], _MOST),
    ]


def _chosen(about: frozenset[str], passages: Sequence[Evidence], most: int) -> list[Sentence]:
    """The sentences of some passages that say most of what is asked, in their order."""
    found = [sentence for each in passages for sentence in _sentences(each)]
    shared = [len(about & frozenset(stems(f"{s.heading} {s.text}"))) for s in found]
    ranked = sorted(range(len(found)), key=lambda at: (-shared[at], at))
    return [found[at] for at in sorted(at for at in ranked[:most] if shared[at])]


def _sentences(each: Evidence) -> Iterator[Sentence]:
    heading = each.title.rpartition("›")[2].strip()
    columns: list[str] = []
    before = ""
    for unit in units(each.text):
        if unit.kind == "heading":
            columns = _cells(unit.text)
        said = _row(columns, unit.text) if unit.kind == "key" else unit.text
        if unit.kind == "sentence" and before and speaks_on(said):
            said = f"{before} {said}"
        before = unit.text if unit.kind == "sentence" else ""
        if unit.kind in _SAYING and _FEWEST <= len(said.split()) <= _FULL:
            yield Sentence(each, heading, said)


def speaks_on(sentence: str) -> bool:
    """Whether a sentence begins with a pronoun for what the one before it names: "It lasts 90
    days", "If they insist, …"."""
    return not _PRONOUNS.isdisjoint(token.word for token in tokens(sentence)[:_BEGINNING])


def _row(columns: Sequence[str], text: str) -> str:
    """A row of a table with what its `columns` are named: "Private lesson: Price 55 €, Length 1
    hour"; what else stands on a line of its own as it is."""
    first, *others = _cells(text)
    if len(columns) != len(others) + 1 or not others:
        return text
    told = [f"{name} {cell}" for name, cell in zip(columns[1:], others, strict=True) if cell]
    return f"{first}: {', '.join(told)}"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]

"""The sentences of documents that are read beside turns: what was written may hold no more, since
it was said otherwise, or the turns that were found say nothing of what a document tells.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.gate import Evidence, is_turn
from quipu.answer.quote import units
from quipu.records.reply import Hit
from quipu.records.role import Role
from quipu.text import stems
from quipu.when.instants import begins_day

__all__ = ["BESIDE_A_TURN", "Sentence", "is_prose", "sentences_of", "told_on"]

BESIDE_A_TURN = 0.15
"""What a sentence of a document counts beside a turn: a document says a thing in the words in which
it is asked for, and as a rule has said it for long."""
_PASSAGES, _MOST = 4, 6
_FEWEST, _FULL = 3, 60
_WRITTEN: Role = "documentation"


class Sentence(NamedTuple):
    """A sentence of a passage of a document, and the heading that it stands below."""

    passage: Evidence
    heading: str
    text: str


def is_prose(of: Evidence | Hit) -> bool:
    """Whether a passage is prose of a document, so that its sentences can be read beside turns."""
    return of.role == _WRITTEN


def told_on(each: Evidence) -> str:
    """When something was told (ISO 8601). A sentence of a document that names no day as its own may
    be as old as any: "", before all; its file's time is that of its last change."""
    return each.updated_at if is_turn(each) or begins_day(each.updated_at) else ""


def sentences_of(question: str, evidence: Sequence[Evidence]) -> list[Sentence]:
    """Those of the first documents that say most of a question, in their order; none where no turn
    was found."""
    if not any(map(is_turn, evidence)):
        return []
    about = frozenset(stems(question))
    found = list(_written(evidence))
    shared = [len(about & frozenset(stems(f"{s.heading} {s.text}"))) for s in found]
    ranked = sorted(range(len(found)), key=lambda at: (-shared[at], at))
    return [found[at] for at in sorted(at for at in ranked[:_MOST] if shared[at])]


def _written(evidence: Sequence[Evidence]) -> Iterator[Sentence]:
    prose = (e for e in evidence if not is_turn(e) and not e.is_code and is_prose(e))
    for each, _ in zip(prose, range(_PASSAGES), strict=False):
        heading = each.title.rpartition("›")[2].strip()
        for unit in units(each.text):
            if unit.kind == "sentence" and _FEWEST <= len(unit.text.split()) <= _FULL:
                yield Sentence(each, heading, unit.text)

"""A turn as it is quoted: with who said it and when, from the sentence on that tells what is asked.

What a turn says before that ("Thank you, that was quick!") is left out, but for a sentence that the
next one speaks on of. A question is quoted with its reply, and a short reply with the question that
it answers (`exchanges`).
"""

from collections.abc import Sequence
from typing import NamedTuple

from quipu.answer.gate import Evidence, is_turn
from quipu.answer.kinds import Likely, Quotation
from quipu.answer.quote import plain, units
from quipu.answer.support import from_chunk
from quipu.answer.worth import Candidate, Weighing
from quipu.answer.worth import worth as worth_of
from quipu.kinds.conversations.answering.prose import speaks_on, told_on
from quipu.kinds.conversations.exchanges import Beside, asks, last_sentence, speaker_of
from quipu.ports import Planner
from quipu.records.record import Chunk, Entity
from quipu.text import stems

__all__ = ["TurnReader"]

_LONGEST = 280
_BRIEF = 3
_UNANSWERED = 0.5
_YEAR, _DAY = len("2026"), len("2026-01-01")


class TurnReader(NamedTuple):
    """What turns are read with."""

    weighing: Weighing
    planner: Planner
    sides: dict[str, Beside]
    likely: Likely | None

    def read(self, candidate: Candidate) -> Quotation:
        """A turn as it is quoted: from its best sentence on, with its reply or its question."""
        own = candidate.evidence
        sides = self.sides.get(own.id)
        if sides is None:
            return Quotation(_led(own, candidate.text), (own,), candidate)
        own = _timed(own, sides.own)
        if not asks(candidate.text) or not asks(last_sentence(own.text)):
            if sides.question is not None:
                asked = plain(last_sentence(sides.question.text))
                turns = self._evidence(sides.question, own), own
                return self._exchange(candidate, turns, asked, sides.own, candidate.text)
            return Quotation(
                _led(own, self._part(own.id, own.text, candidate.text)), (own,), candidate
            )
        if sides.reply is None:
            lower = candidate._replace(worth=candidate.worth - _UNANSWERED)
            return Quotation(_led(own, candidate.text), (own,), lower)
        turns = own, self._evidence(sides.reply, own)
        return self._exchange(candidate, turns, candidate.text, sides.reply)

    def _exchange(
        self,
        candidate: Candidate,
        turns: tuple[Evidence, Evidence],
        question: str,
        reply: Chunk,
        about: str = "",
    ) -> Quotation:
        """A question and its reply, worth what they are together, but no less than one of them."""
        part = self._part(reply.chunk_id, reply.text, about)
        text = f"{question} {speaker_of(reply)}: {part}"
        said = candidate.own | (frozenset(stems(text)) & frozenset(self.weighing.asked.stems))
        both = candidate._replace(text=text, own=said)
        value = worth_of(both, self.weighing) + max(candidate.similarity or 0.0, 0.0)
        both = both._replace(worth=max(value, candidate.worth))
        return Quotation(_led(turns[0], text), turns, both)

    def _part(self, id_: str, text: str, about: str) -> str:
        """A turn from the sentence on that would answer; around `about`, where nobody knows which
        does."""
        read = self.likely.read.get(id_) if self.likely is not None else None
        if read is None or not read.sentence:
            return _around(text, about)
        return _from(text, plain(read.sentence))

    def _evidence(self, turn: Chunk, near: Evidence) -> Evidence:
        """A turn that stands beside one that was found, as evidence."""
        session = self.planner.get([turn.document_id]).get(turn.document_id)
        if not isinstance(session, Entity):
            return near
        return _timed(from_chunk(turn, self.planner, (turn.document_id,), session), turn)


def _timed(each: Evidence, turn: Chunk) -> Evidence:
    """A turn with the time at which it was said; its session's is that of the last one there."""
    said = turn.heading_path[2] if len(turn.heading_path) > 2 else ""
    return each._replace(updated_at=said) if said else each


def _led(each: Evidence, text: str) -> str:
    """What was said, after who said it and when; what was recorded, after where and when."""
    title = plain(each.title, limit=90)
    day = told_on(each)[:_DAY]
    if title and not is_turn(each) and day[:_YEAR] not in title:
        title = f"{title}, {day}"
    return f"{title}: {text}" if title else text


def _around(text: str, about: str) -> str:
    """A turn, or of a long one the sentences around `about`."""
    read = _sentences(text)
    at = _place(read, about)
    last, room = _onward(read, at)
    first = at
    while first and len(read[first - 1]) < room:
        first -= 1
        room -= len(read[first]) + 1
    return plain(" ".join(read[first : last + 1]))


def _from(text: str, about: str) -> str:
    """A turn from the sentence `about` on, with the one before it where it speaks on of what that
    names."""
    read = _sentences(text)
    at = _place(read, about)
    if at and (speaks_on(read[at]) or len(read[at].split()) <= _BRIEF):
        at -= 1
    return plain(" ".join(read[at : _onward(read, at)[0] + 1]))


def _sentences(text: str) -> list[str]:
    return [unit.text for unit in units(text) if unit.kind != "code"] or [text]


def _place(sentences: Sequence[str], about: str) -> int:
    """Which of the sentences of a turn is `about`; the first, where none is."""
    alike = (n for n, said in enumerate(sentences) if about and (said in about or about in said))
    return next(alike, 0)


def _onward(sentences: Sequence[str], first: int) -> tuple[int, int]:
    """The last of the sentences from one on that may be quoted, and the room that is left."""
    last, room = first, _LONGEST - len(sentences[first])
    while last + 1 < len(sentences) and len(sentences[last + 1]) < room:
        last += 1
        room -= len(sentences[last]) + 1
    return last, room

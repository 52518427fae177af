"""Which turns are quoted, how, and in which order.

Up to three are: the likeliest to answer, and those that are not much less likely. Of those about as
likely as the likeliest the newest comes first, since what was said later holds; where a time is
asked for, the newest until then, where the beginning is, the oldest. A turn is quoted with who said
it and when, from the sentence on that tells what is asked; a question with its reply, and a short
reply with its question (`exchanges`). Sentences of documents that were read beside the turns
(`answering.prose`) are told among them.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from quipu.answer.answer_type import holds, kind_asked
from quipu.answer.gate import Evidence, is_turn
from quipu.answer.intent import asks_of_past
from quipu.answer.kinds import Likely, Quotation
from quipu.answer.quote import plain, units
from quipu.answer.support import from_chunk
from quipu.answer.worth import Candidate
from quipu.kinds.conversations.answering.inputs import asked_until
from quipu.kinds.conversations.answering.prose import (
    BESIDE_A_TURN,
    is_record,
    place_of,
    speaks_on,
    told_on,
)
from quipu.kinds.conversations.exchanges import Beside, asks, beside, last_sentence, speaker_of
from quipu.ports import Planner
from quipu.records.record import Chunk, Entity
from quipu.records.scope import Scope

__all__ = ["in_order", "quotations"]

_MOST_TOLD = 3
_FAIRLY_LIKELY, _NEARLY_WORTH = 0.1, 0.6
"""The share of the best one's worth that others need to be quoted beside it: of how likely they
answer, or, where nobody knows that, of e to the power of what they were chosen by."""
_ABOUT_AS_LIKELY, _TELLS_OF_A_CHANGE = 0.5, 0.3
"""The share that one needs to be told before the best: less, where it changes what that tells, for
it says less of what is asked."""
_RATHER_LIKELY = 0.5
_AS_GOOD = 0.6
_UNANSWERED = 0.5
_LONGEST_QUOTE, _BRIEF_WORDS, _LONGEST_TITLE = 280, 3, 90
_YEAR, _DAY = len("2026"), len("2026-01-01")
_FIRST = re.compile(
    r"\b(?:original(?:ly)?|initial(?:ly)?|at first|to begin with"
    r"|first (?:\w+ed|set|meant|told|said))\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\W*when (?:was|were|did)\b", re.IGNORECASE)
"""Asks for the day of what has happened: that which was told last."""


def quotations(
    ordered: Sequence[Candidate],
    planner: Planner,
    *,
    question: str,
    scope: Scope,
    likely: Likely | None,
) -> list[Quotation]:
    """Return what is quoted, in the order in which it is told; nothing where the best is no turn
    and none surely answers. `ordered` are the sentences that may be quoted, the best first."""
    if likely is not None and likely.written:
        best = _of_documents(ordered, likely)
    else:
        best = _best(ordered, likely)
        first_is_turn = bool(ordered) and is_turn(ordered[0].evidence)
        documents = likely is not None and bool(likely.first(of_document=True))
        sure = likely is not None and likely.surest(best) >= _RATHER_LIKELY
        if not (documents or first_is_turn or sure):
            return []
    turns = (each.evidence for each in best.values() if is_turn(each.evidence))
    sessions = {turn.id: turn.document_id for turn in turns}
    reader = _TurnReader(planner, beside(sessions, planner, scope), likely)
    told = _likeliest(reader, best, likely)
    if likely is None:
        return [quotation for quotation, _ in in_order(told, question)]
    if likely.written and not is_record(ordered[0].evidence):
        chosen = told
    else:
        chosen = in_order(told, question, likely)
    return [
        quotation._replace(by=quotation.by._replace(worth=worth))
        if is_turn(quotation.evidence[-1])
        else quotation._replace(by=best[quotation.evidence[-1].id])
        for quotation, worth in chosen
    ]


def _of_documents(ordered: Sequence[Candidate], likely: Likely) -> dict[str, Candidate]:
    """The sentences of documents that would answer, where the best that may be quoted was read and
    is a record or fairly likely answers; with records only records."""
    first = ordered[0].evidence if ordered else None
    if first is None or first.id not in likely.read:
        return {}
    dated = is_record(first)
    if not dated and likely.surest([first.id]) < _FAIRLY_LIKELY:
        return {}
    least = ordered[0].worth - _AS_GOOD
    alike = [c for c in ordered if c.worth >= least and is_record(c.evidence) == dated]
    return _best(alike, likely)


def _best(ordered: Sequence[Candidate], likely: Likely | None) -> dict[str, Candidate]:
    """The best of each turn, and of a document that was read beside them the sentence that would
    answer, by their ids."""
    best: dict[str, Candidate] = {}
    for candidate in ordered:
        id_ = candidate.evidence.id
        read = likely.read.get(id_) if likely is not None else None
        if read is not None and read.of_document:
            best.setdefault(id_, candidate._replace(text=read.sentence))
        elif is_turn(candidate.evidence):
            best.setdefault(id_, candidate)
    return best


class Told(NamedTuple):
    """A quotation and what it is worth beside the others."""

    quotation: Quotation
    worth: float

    @property
    def id(self) -> str:
        """The passage that answers: of a question and its reply the reply."""
        return self.quotation.evidence[-1].id

    @property
    def said_on(self) -> tuple[str, int]:
        """When it was told, and at which place of its session."""
        last = self.quotation.evidence[-1]
        return told_on(last), place_of(last)


def _likeliest(
    reader: "_TurnReader", best: Mapping[str, Candidate], likely: Likely | None
) -> list[Told]:
    """What most likely answers, and at most two that are not much less likely to; less so where
    they speak of what a document says. A question and its reply are told but once."""
    found: dict[str, Told] = {}
    for id_, candidate in best.items():
        said = reader.read(candidate)
        if likely is None:
            worth = math.exp(said.by.worth)
        else:
            worth = likely.read[id_].worth if id_ in likely.read else 0.0
        known = found.get(said.evidence[-1].id)
        if known is None or worth > known.worth:
            found[said.evidence[-1].id] = Told(said, worth)
    ranked = sorted(found.values(), key=lambda each: -each.worth)[:_MOST_TOLD]
    spoken = likely.spoken if likely is not None else frozenset[str]()
    share = _NEARLY_WORTH if likely is None else _FAIRLY_LIKELY
    return [
        each
        for each in ranked
        if each.worth >= (BESIDE_A_TURN if each.id in spoken else share) * ranked[0].worth
    ]


def in_order(told: Sequence[Told], question: str, likely: Likely | None = None) -> list[Told]:
    """Return what is told in the order in which it is: what speaks of the same as the best by
    time, then the rest."""
    if not told:
        return []
    best = max(told, key=lambda each: each.worth)
    of_it, rest = list(told), list[Told]()
    if likely is not None and likely.first(of_document=True):
        of_it = [each for each in told if each is best or each.id in likely.spoken]
        rest = [each for each in told if each not in of_it]
        of_it = _raised(of_it, best, oldest=_FIRST.search(question) is not None)
    later = likely.later if likely is not None else frozenset[str]()
    until = asked_until(question)
    then = [each for each in of_it if until and each.said_on[0][: len(until)] <= until]
    if then:
        first: Told | None = max(_as_likely(then, question, later), key=lambda each: each.said_on)
    elif _FIRST.search(question):
        first = min(_of_kind(of_it, question), key=lambda each: each.said_on)
    elif asks_of_past(question) and not _WHEN.match(question):
        first = None
    else:
        first = max(_as_likely(of_it, question, later), key=lambda each: each.said_on)
    led = [first] if first is not None else []
    after = [each for each in then if each is not first]
    others = [each for each in of_it if each is not first and each not in then]
    return [*led, *after, *others, *rest]


def _raised(told: Sequence[Told], best: Told, *, oldest: bool) -> list[Told]:
    """With what speaks of the same later than a likelier document counting as much as that, for a
    document says a thing in the words in which it is asked for; so a record that is later than the
    likeliest turn. Where the `oldest` is asked for, what speaks of it earlier."""

    def counts(each: Told) -> bool:
        turns = (is_turn(one.quotation.evidence[-1]) for one in (best, each))
        beyond = each.said_on < best.said_on if oldest else each.said_on > best.said_on
        return beyond and not all(turns) and each.worth >= BESIDE_A_TURN * best.worth

    return [each._replace(worth=best.worth) if counts(each) else each for each in told]


def _as_likely(told: Sequence[Told], question: str, later: Collection[str]) -> list[Told]:
    """Those that are about as likely to answer as the likeliest, of the kind that is asked for."""
    most = max(each.worth for each in told)
    shares = dict.fromkeys(later, _TELLS_OF_A_CHANGE)
    likely = [q for q in told if q.worth >= shares.get(q.id, _ABOUT_AS_LIKELY) * most]
    return _of_kind(likely, question)


def _of_kind(told: Sequence[Told], question: str) -> list[Told]:
    """Those that tell something of the kind that is asked for, if one does; else all."""
    kind = kind_asked(question)
    giving = [q for q in told if kind and holds(kind, q.quotation.by.text, question)]
    return giving or [*told]


class _TurnReader(NamedTuple):
    """What turns are read with."""

    planner: Planner
    sides: dict[str, Beside]
    likely: Likely | None

    def read(self, candidate: Candidate) -> Quotation:
        """Return a turn as it is quoted: from its best sentence on, with its reply or question."""
        own = candidate.evidence
        sides = self.sides.get(own.id)
        if sides is None:
            return Quotation(_led(own, candidate.text), (own,), candidate)
        own = _timed(own, sides.own)
        said = self._part(own.id, own.text, candidate.text)
        if not asks(candidate.text) or not asks(own.text):
            asked = sides.question
            if asked is None:
                return Quotation(_led(own, said), (own,), candidate)
            turns = self._evidence(asked, own), own
            text = f"{plain(last_sentence(asked.text))} {speaker_of(sides.own)}: {said}"
            return Quotation(_led(turns[0], text), turns, candidate._replace(text=text))
        if sides.reply is None:
            lower = candidate._replace(worth=candidate.worth - _UNANSWERED)
            return Quotation(_led(own, candidate.text), (own,), lower)
        turns = own, self._evidence(sides.reply, own)
        reply = self._part(sides.reply.chunk_id, sides.reply.text, "")
        text = f"{candidate.text} {speaker_of(sides.reply)}: {reply}"
        return Quotation(_led(own, text), turns, candidate._replace(text=text))

    def _part(self, id_: str, text: str, about: str) -> str:
        """A turn from the sentence on that would answer; where nobody knows which does, a short one
        whole, and a long one from `about` on."""
        read = self.likely.read.get(id_) if self.likely is not None else None
        if read is not None and read.sentence:
            return _from(text, plain(read.sentence))
        return plain(text) if len(text) <= _LONGEST_QUOTE else _from(text, about)

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
    title = plain(each.title, limit=_LONGEST_TITLE)
    day = told_on(each)[:_DAY]
    if title and not is_turn(each) and day[:_YEAR] not in title:
        title = f"{title}, {day}"
    return f"{title}: {text}" if title else text


def _from(text: str, about: str) -> str:
    """A turn from the sentence `about` on, as far as may be quoted, with the one before it where it
    speaks on of what that names."""
    read = [unit.text for unit in units(text) if unit.kind != "code"] or [text]
    alike = (n for n, said in enumerate(read) if about and (said in about or about in said))
    at = next(alike, 0)
    if at and (speaks_on(read[at]) or len(read[at].split()) <= _BRIEF_WORDS):
        at -= 1
    last, room = at, _LONGEST_QUOTE - len(read[at])
    while last + 1 < len(read) and len(read[last + 1]) < room:
        last += 1
        room -= len(read[last]) + 1
    return plain(" ".join(read[at : last + 1]))

"""Turns as answers: which of them are read and quoted, in which order, and how sure an answer is.

Up to three turns are quoted: the likeliest to answer, and those that are not much less likely. Of
those about as likely as the likeliest the newest comes first, since what was said later holds;
where a time is asked for, the newest until then, where the beginning is, the oldest. A turn is
quoted with who said it and when, from the sentence on that tells what is asked; a question with its
reply, and a short reply with its question (`exchanges`).

How sure an answer is rests on how likely one of the cited turns answers, which the head says that
reads them (`answering`). Where nobody knows that (another encoder, or none), the formulas of any
other quotation count.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from quipu.answer.formula import Inputs, named_formula, scaled_log_odds
from quipu.answer.gate import AnswerDraft, Evidence, is_turn
from quipu.answer.kinds import Answers, Likely, Quotation
from quipu.answer.quote import plain, units
from quipu.answer.support import from_chunk
from quipu.answer.worth import Candidate
from quipu.kinds.conversations.answering import TURNS, likely
from quipu.kinds.conversations.answering.inputs import asked_until
from quipu.kinds.conversations.exchanges import (
    Beside,
    asks,
    beside,
    last_sentence,
    place_of,
    speaker_of,
)
from quipu.ports import Embedder, LayerReader, Planner
from quipu.question import Question
from quipu.records.passage import SPOKEN
from quipu.records.record import Chunk, Entity
from quipu.records.reply import Hit
from quipu.records.scope import Scope
from quipu.text import tokens

__all__ = [
    "ANSWERING",
    "ANSWERS",
    "in_order",
    "quotations",
]

_MOST_TOLD = 3
_FAIRLY_LIKELY, _NEARLY_WORTH = 0.1, 0.6
"""The share of the best one's worth that others need to be quoted beside it: of how likely they
answer, or, where nobody knows that, of e to the power of what they were chosen by."""
_ABOUT_AS_LIKELY = 0.5
"""The share that one needs to be told before the best."""
_RATHER_LIKELY = 0.5
_UNANSWERED = 0.5
_LONGEST_QUOTE, _BRIEF_WORDS, _LONGEST_TITLE = 280, 3, 90
_PRONOUNS = frozenset("it they he she this that these those them him her its their his".split())
_FIRST = re.compile(r"\b(?:original(?:ly)?|initial(?:ly)?|at first|to begin with)\b", re.IGNORECASE)


def quotations(
    ordered: Sequence[Candidate],
    planner: Planner,
    *,
    question: Question,
    scope: Scope,
    likely: Likely | None,
) -> list[Quotation]:
    """Return what is quoted, in the order in which it is told; nothing where the best is no turn
    and none surely answers. `ordered` are the sentences that may be quoted, the best first."""
    best: dict[str, Candidate] = {}
    for candidate in ordered:
        if is_turn(candidate.evidence):
            best.setdefault(candidate.evidence.id, candidate)
    sure = likely is not None and likely.surest(best) >= _RATHER_LIKELY
    if not best or not (sure or is_turn(ordered[0].evidence)):
        return []
    sessions = {id_: candidate.evidence.document_id for id_, candidate in best.items()}
    reader = _TurnReader(beside(sessions, planner, scope), planner, likely)
    found: dict[str, Quotation] = {}
    for candidate in best.values():  # a question and its reply are told but once
        quotation = reader.read(candidate)
        known = found.get(quotation.evidence[-1].id)
        if known is None or quotation.by.worth > known.by.worth:
            found[quotation.evidence[-1].id] = quotation
    ranked = sorted(found.values(), key=lambda quotation: -quotation.by.worth)[:_MOST_TOLD]
    least = ranked[0].by.worth * (_FAIRLY_LIKELY if likely is not None else _NEARLY_WORTH)
    told = in_order([each for each in ranked if each.by.worth >= least], question)
    if likely is not None:
        return told
    return [q._replace(by=q.by._replace(worth=math.log(q.by.worth))) for q in told]


def in_order(told: Sequence[Quotation], question: Question) -> list[Quotation]:
    """Return what is told in the order in which it is: what answers first leads, then the rest by
    worth. `told` is ranked, the best first."""
    least = _ABOUT_AS_LIKELY * max(each.by.worth for each in told)
    likely = [each for each in told if each.by.worth >= least]
    until = asked_until(question.text)
    then = [each for each in told if until and _said_on(each)[0][: len(until)] <= until]
    if then:
        first = max(then, key=_said_on)
    else:
        first = (min if _FIRST.search(question.text) else max)(likely, key=_said_on)
    return [first, *(each for each in told if each is not first)]


def _said_on(quotation: Quotation) -> tuple[str, int]:
    """When it was told, and at which place of its session."""
    last = quotation.evidence[-1]
    return last.updated_at, place_of(last)


class _TurnReader(NamedTuple):
    """What turns are read with."""

    sides: dict[str, Beside]
    planner: Planner
    likely: Likely | None

    def read(self, candidate: Candidate) -> Quotation:
        """Return a turn as it is quoted: from its best sentence on, with its reply or question;
        `by.worth` is how likely it answers."""
        sides = self.sides.get(candidate.evidence.id)
        if sides is None:
            return self._quoted(candidate, candidate.text, candidate.evidence)
        own = _timed(candidate.evidence, sides.own)
        if not asks(candidate.text) or not asks(own.text):
            said = self._part(own.id, own.text, candidate.text)
            asked = sides.question
            if asked is None:
                return self._quoted(candidate, said, own)
            text = f"{plain(last_sentence(asked.text))} {speaker_of(sides.own)}: {said}"
            return self._quoted(candidate, text, self._evidence(asked, own), own)
        if sides.reply is None:
            lower = candidate._replace(worth=candidate.worth - _UNANSWERED)
            return self._quoted(lower, candidate.text, own)
        reply = self._part(sides.reply.chunk_id, sides.reply.text, "")
        text = f"{candidate.text} {speaker_of(sides.reply)}: {reply}"
        return self._quoted(candidate, text, own, self._evidence(sides.reply, own))

    def _quoted(self, candidate: Candidate, text: str, *turns: Evidence) -> Quotation:
        """What was said, after who said it and when."""
        if self.likely is None:
            worth = math.exp(candidate.worth)
        else:
            read = self.likely.read.get(candidate.evidence.id)
            worth = read.worth if read is not None else 0.0
        title = plain(turns[0].title, limit=_LONGEST_TITLE)
        led = f"{title}: {text}" if title else text
        by = candidate._replace(worth=worth, text=text if len(turns) > 1 else candidate.text)
        return Quotation(led, turns, by)

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


def _from(text: str, about: str) -> str:
    """A turn from the sentence `about` on, as far as may be quoted; with the one before it where it
    has a few words, or begins with a pronoun for what that names."""
    read = [unit.text for unit in units(text) if not unit.of_code] or [text]
    alike = (n for n, said in enumerate(read) if about and (said in about or about in said))
    at = next(alike, 0)
    begins = {token.word for token in tokens(read[at])[:_BRIEF_WORDS]}
    if at and (len(read[at].split()) <= _BRIEF_WORDS or begins & _PRONOUNS):
        at -= 1
    last, room = at, _LONGEST_QUOTE - len(read[at])
    while last + 1 < len(read) and len(read[last + 1]) < room:
        last += 1
        room -= len(read[last]) + 1
    return plain(" ".join(read[at : last + 1]))


_LEAST_STATED = 0.15
"""The `likely` that what a fact states counts at least."""


def _is_read(inputs: Inputs) -> bool:
    """Whether turns were read for how likely they answer."""
    return inputs.get("likely") is not None


ANSWERING = named_formula("turns", _is_read)


class TurnAnswers(Answers):
    """How turns are quoted, and how sure an answer is that rests on them."""

    reads = TURNS
    formulas = (ANSWERING,)

    def is_of(self, hit: Hit) -> bool:
        """Whether it is a turn."""
        return hit.why_ranked.profile == SPOKEN

    def likely(
        self,
        question: Question,
        evidence: Sequence[Evidence],
        planner: Planner,
        embedder: Embedder,
        *,
        scope: Scope,
    ) -> Likely | None:
        """See `answering`."""
        if not any(map(is_turn, evidence)) or not isinstance(embedder, LayerReader):
            return None
        return likely(question, evidence, planner, embedder, scope=scope)

    def quoted(
        self,
        ordered: Sequence[Candidate],
        planner: Planner,
        *,
        question: Question,
        scope: Scope,
        likely: Likely | None,
    ) -> Sequence[Quotation]:
        """See `quoted`."""
        return quotations(ordered, planner, question=question, scope=scope, likely=likely)

    def inputs(self, draft: AnswerDraft, score1: float | None) -> dict[str, float | None]:
        """Return how likely an answer is: not known where no turn is cited, and no less than
        `_LEAST_STATED` where facts state it. Where nobody knows that, and facts of turns state all
        of it, the words and the score of what was found say nothing."""
        if draft.likely is None:
            of_turns = draft.stated >= 1 and all(map(is_turn, draft.evidence))
            known = of_turns and score1 is not None
            return {"miss": 0.0, "score1": max(score1 or 0.0, 0.0)} if known else {}
        if draft.evidence and not any(map(is_turn, draft.evidence)):
            return {"likely": None}
        if not draft.stated or not all(map(is_turn, draft.evidence)):
            return {}
        return {"likely": max(scaled_log_odds(draft.likely), _LEAST_STATED)}


ANSWERS = TurnAnswers()

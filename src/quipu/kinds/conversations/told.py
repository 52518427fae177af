"""Which turns are quoted, and in which order: up to three that tell of the same.

What one turn says of a thing another may say otherwise, later. Of the turns that are about as
likely to answer as the likeliest, or worth nearly as much as the best, the newest comes first.
Where a time is asked for, what was said until then does; where the beginning is, the oldest. How
each is quoted: `quoted`.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from quipu.answer.answer_type import holds, kind_asked
from quipu.answer.gate import is_turn
from quipu.answer.intent import asks_of_past
from quipu.answer.kinds import Likely, Quotation
from quipu.answer.worth import Candidate, Weighing
from quipu.kinds.conversations.answering.inputs import asked_until
from quipu.kinds.conversations.answering.prose import BESIDE_A_TURN, is_record, place_of, told_on
from quipu.kinds.conversations.exchanges import beside
from quipu.kinds.conversations.quoted import TurnReader
from quipu.ports import Planner
from quipu.records.scope import Scope

__all__ = ["former_first", "newest_first", "oldest_first", "quotations"]

_MOST = 3
_AS_GOOD = 0.6
_NEARLY = 0.5
_FAIRLY, _LITTLE = 0.1, 1e-6
_ABOUT_AS, _OF_A_CHANGE = 0.5, 0.3
"""How likely what is told first must be beside the likeliest: less, where one tells of a change and
the other what held until then, for the same words ask for both."""
_RATHER = 0.5
_FIRST = re.compile(
    r"\b(?:original(?:ly)?|initial(?:ly)?|at first|to begin with"
    r"|first (?:\w+ed|set|meant|told|said))\b",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|used? to|earlier)\b", re.IGNORECASE
)
"""Asks for what was so until something changed."""
_WHEN = re.compile(r"\W*when (?:was|were|did)\b", re.IGNORECASE)
"""Asks for the day of what has happened: that which was told last."""


def quotations(
    ordered: Sequence[Candidate],
    weighing: Weighing,
    planner: Planner,
    *,
    question: str,
    scope: Scope,
    likely: Likely | None,
) -> list[Quotation]:
    """What is quoted where the best is a turn, one of them answers rather than not, or says instead
    what documents tell, in the order in which it is told; nothing elsewhere. `ordered` are the
    sentences that may be quoted, the best first; where it is known how `likely` each turn answers,
    the likeliest are quoted."""
    if likely is not None and likely.written:
        return _written(ordered, weighing, planner, likely, question)
    best = _best(ordered, likely)
    surely = likely.surest(best) if likely is not None else 0.0
    read = likely is not None and bool(likely.first(of_document=True))
    if not best or not (read or is_turn(ordered[0].evidence) or surely >= _RATHER):
        return []
    turns = (each.evidence for each in best.values() if is_turn(each.evidence))
    sessions = {turn.id: turn.document_id for turn in turns}
    reader = TurnReader(weighing, planner, beside(sessions, planner, scope), likely)
    if likely is None:
        return _in_time(_worthiest(reader, best), question)
    told = _likeliest(reader, best, likely)
    in_order = _beside(told, likely, question) if read else _in_time(told, question, likely.later)
    return [_as_found(quotation, best) for quotation in in_order]


def _written(
    ordered: Sequence[Candidate],
    weighing: Weighing,
    planner: Planner,
    likely: Likely,
    question: str,
) -> list[Quotation]:
    """Of documents, where the best that may be quoted is one that was read and is a record or
    fairly likely answers, the sentences that would answer; of records in the order in which they
    are told: the next may have changed what one says."""
    first = ordered[0].evidence if ordered else None
    if first is None or first.id not in likely.read:
        return []
    dated = is_record(first)
    if not dated and likely.surest([first.id]) < _FAIRLY:
        return []
    found: dict[str, Candidate] = {}
    for candidate in ordered:
        alike = is_record(candidate.evidence) == dated
        if alike and candidate.worth >= ordered[0].worth - _AS_GOOD:
            found.setdefault(candidate.evidence.id, candidate)
    best = _best(list(found.values()), likely)
    told = _likeliest(TurnReader(weighing, planner, {}, likely), best, likely)
    in_order = _beside(told, likely, question) if dated else told
    return [_as_found(quotation, found) for quotation in in_order]


def _beside(told: Sequence[Quotation], likely: Likely, question: str) -> list[Quotation]:
    """What documents and turns tell, in the order in which it is told: of all that speaks of what
    is asked, and then the rest."""
    first = max(told, key=lambda q: q.by.worth, default=None)
    spoken = [q for q in told if q is first or q.evidence[-1].id in likely.spoken]
    rest = [q for q in told if q not in spoken]
    oldest = _FIRST.search(question) is not None
    raised = _raised(spoken, likely.spoken, oldest=oldest)
    return [*_in_time(raised, question, likely.later), *rest]


def _in_time(
    told: Sequence[Quotation], question: str, later: Collection[str] = ()
) -> list[Quotation]:
    """In the order in which it is told: of what was told by the time that is asked about, the
    newest; what was so at first, where that is asked for; unless the past is, the newest."""
    if not told:
        return []
    until = asked_until(question)
    if then := [q for q in told if until and _day(q)[: len(until)] <= until]:
        return [*newest_first(then, question), *(q for q in told if q not in then)]
    if _FIRST.search(question):
        return oldest_first(told, question)
    if _FORMER.search(question):
        return former_first(told, question)
    if asks_of_past(question) and not _WHEN.match(question):
        return [*told]
    return newest_first(_still_so(told), question, later)


def _worthiest(reader: TurnReader, best: Mapping[str, Candidate]) -> list[Quotation]:
    """What is worth most, and at most two that are worth nearly as much; what a question and its
    reply say but once."""
    found: dict[str, Quotation] = {}
    for said in sorted(map(reader.read, best.values()), key=lambda q: -q.by.worth):
        found.setdefault(said.evidence[-1].id, said)
    ranked = list(found.values())[:_MOST]
    return [q for q in ranked if q.by.worth >= ranked[0].by.worth - _NEARLY]


def _best(ordered: Sequence[Candidate], likely: Likely | None) -> dict[str, Candidate]:
    """The best of each turn, and of a document that was read beside them the sentence that would
    answer."""
    best: dict[str, Candidate] = {}
    for candidate in ordered:
        id_ = candidate.evidence.id
        read = likely.read.get(id_) if likely is not None else None
        if read is not None and read.of_document:
            best.setdefault(id_, candidate._replace(text=read.sentence))
        elif is_turn(candidate.evidence):
            best.setdefault(id_, candidate)
    return best


def _likeliest(
    reader: TurnReader, best: Mapping[str, Candidate], likely: Likely
) -> list[Quotation]:
    """What most likely answers, and at most two that are not much less likely to; less so where
    they speak of what a document says."""
    worth = {id_: each.worth for id_, each in likely.read.items()}
    found: dict[str, Quotation] = {}
    ranked = sorted(best, key=lambda id_: -worth.get(id_, 0.0))
    for id_ in ranked[:_MOST]:
        own = worth.get(id_, 0.0)
        fairly = BESIDE_A_TURN if id_ in likely.spoken else _FAIRLY
        if own >= fairly * worth.get(ranked[0], 0.0):
            said = reader.read(best[id_])
            found.setdefault(said.evidence[-1].id, _worth(said, own))
    return list(found.values())


def _as_found(quotation: Quotation, best: Mapping[str, Candidate]) -> Quotation:
    """A sentence of a document is worth what it was found by."""
    each = quotation.evidence[-1]
    return quotation if is_turn(each) else quotation._replace(by=best[each.id])


def _still_so(told: Sequence[Quotation]) -> list[Quotation]:
    """Without what holds no more, where something later is quoted: the newest stands for it."""
    newest = max(told, key=_said_on)
    over = [q for q in told if q.evidence[-1].outdated and q is not newest]
    if not over:
        return [*told]
    worth = max(q.by.worth for q in (newest, *over))
    instead = newest._replace(
        by=newest.by._replace(worth=worth), instead_of=tuple(q.evidence[-1].id for q in over)
    )
    kept = [instead if q is newest else q for q in told if q not in over]
    return sorted(kept, key=lambda q: -q.by.worth)


def newest_first(
    told: Sequence[Quotation], question: str, later: Collection[str] = ()
) -> list[Quotation]:
    """The newest before the others, of those that may as well be told first: what was said later
    holds, and sooner so what names what the likeliest tells (`later`, by its ids)."""
    return _before(max(_as_likely(told, question, later), key=_said_on), told)


def oldest_first(told: Sequence[Quotation], question: str) -> list[Quotation]:
    """The oldest before the others, of those that tell something of the kind that is asked for:
    what was so at first is said in fewer of the question's words than what became of it."""
    return _before(min(_of_kind(told, question), key=_said_on), told)


def former_first(told: Sequence[Quotation], question: str) -> list[Quotation]:
    """Where the newest would be told first, which tells of the change, the likeliest of those that
    are older before it, if it is not much less likely."""
    newest = max(told, key=_said_on)
    least = _OF_A_CHANGE * newest.by.worth
    older = [q for q in told if _said_on(q) < _said_on(newest) and q.by.worth >= least]
    if told[0] is not newest or not older:
        return [*told]
    return _before(_of_kind(older, question)[0], told)


def _before(first: Quotation, told: Sequence[Quotation]) -> list[Quotation]:
    return [first, *(quotation for quotation in told if quotation is not first)]


def _said_on(quotation: Quotation) -> tuple[str, int]:
    """When it was told, and at which place of its session."""
    return _day(quotation), place_of(quotation.evidence[-1])


def _day(quotation: Quotation) -> str:
    return told_on(quotation.evidence[-1])


def _as_likely(told: Sequence[Quotation], question: str, later: Collection[str]) -> list[Quotation]:
    """Those that are about as likely to answer as the likeliest, of the kind that is asked for."""
    most = max(quotation.by.worth for quotation in told)
    shares = dict.fromkeys(later, _OF_A_CHANGE)
    likely = [q for q in told if q.by.worth >= shares.get(q.evidence[-1].id, _ABOUT_AS) * most]
    return _of_kind(likely, question)


def _of_kind(told: Sequence[Quotation], question: str) -> list[Quotation]:
    """Those that tell something of the kind that is asked for, if one does; else all."""
    kind = kind_asked(question)
    giving = [q for q in told if kind is not None and holds(kind, q.by.text, question)]
    return giving or [*told]


def _raised(told: Sequence[Quotation], spoken: Collection[str], *, oldest: bool) -> list[Quotation]:
    """With the likeliest of what later speaks of what a likelier document says counting as much as
    that, for a document says a thing in the words in which it is asked for; and so a record that is
    later than the likeliest turn. Where the `oldest` is asked for, of what speaks of it earlier."""
    if not told:
        return []
    first = max(told, key=lambda q: q.by.worth)
    others = [
        q
        for q in told
        if q.evidence[-1].id in spoken
        and (_said_on(q) < _said_on(first) if oldest else _said_on(q) > _said_on(first))
        and not (is_turn(first.evidence[-1]) and is_turn(q.evidence[-1]))
    ]
    best = max((q.by.worth for q in others), default=0.0)
    if best < max(BESIDE_A_TURN * first.by.worth, _LITTLE):
        return [*told]
    times = first.by.worth / best
    return [_worth(q, times * q.by.worth) if q in others else q for q in told]


def _worth(quotation: Quotation, worth: float) -> Quotation:
    return quotation._replace(by=quotation.by._replace(worth=worth))

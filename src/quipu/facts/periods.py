"""The periods in which something is so, by every statement of its key: interval logic alone.

    begins, ends, is denied, gives way to another value → whether it is so in a stretch of time

Each statement sets how things stand from a date on, until the next one does: "uses Redis" in
January, "no longer" in June and "again" in February are three periods. What only says when it ended
says that it was so until then.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from quipu.facts.attributes import Attributes
from quipu.facts.chains import Chain, FactStanding, is_ending, value_of
from quipu.facts.keys import asked_by, is_negated
from quipu.records.record import Fact
from quipu.text import denies, name_key, stems, tokens
from quipu.when.intervals import CalendarDate, Interval, read_iso

__all__ = ["Reply", "Turning", "proposed", "reply_to", "state_in"]

_NOW_AND_AGAIN = frozenset(
    stems(
        "still currently anymore really actually now nowadays today always already yet ever again"
    )
)
_PERSONS = {"we": frozenset({"we", "our", "us"}), "user": frozenset({"i", "my", "user"})}
_EVER = (-1, 0)
_MID_YEAR, _MID_MONTH = 7, 15


def proposed(question: str, chain: Chain, table: Attributes) -> str:
    """The value, folded, of which a question for yes or no asks whether it is so, by what the chain
    is of; empty where it asks for anything else or more."""
    if denies(question):
        return ""
    words = {token.word for token in tokens(question)}
    asked = set(stems(question)) - _NOW_AND_AGAIN
    for fact in (standing.fact for standing in chain.standings):
        owner = set(stems(fact.subject))
        persons = _PERSONS.get(name_key(fact.subject))
        value = set(stems(fact.object))
        named = bool(persons & words) if persons else owner <= asked
        said = owner | value | set(stems(asked_by(fact, table)))
        if named and value and value <= asked and asked <= said:
            return value_of(fact)
    return ""


class Turning(NamedTuple):
    """From when on it is so, or not, and the statement that says it; dates as (month, day)."""

    at: tuple[int, int]
    holds: bool
    by: Fact


class Reply(NamedTuple):
    """Whether what a question for yes or no asks is so in a stretch of time, None where nothing
    tells or it changed in between; the statement that says it last, and all of it."""

    holds: bool | None
    by: Fact | None
    stated: frozenset[str]


def reply_to(
    question: str, drawn: Sequence[Chain], asked: Interval, table: Attributes
) -> Reply | None:
    """What all chains that state it reply; None where none does, or it asks something else."""
    every = {each.fact.fact_id: each.fact for chain in drawn for each in chain.standings}
    meant = [(chain, value) for chain in drawn if (value := proposed(question, chain, table))]
    turns = [turn for chain, value in meant for turn in _turnings(chain, value, every)]
    if not turns:
        return None
    turns.sort(key=lambda turn: (turn.at, turn.by.updated_at))
    values = {value for _, value in meant}
    stated = frozenset(id_ for id_, fact in every.items() if value_of(fact) in values)
    return Reply(*state_in(turns, asked), stated)


def _turnings(chain: Chain, value: str, every: Mapping[str, Fact]) -> list[Turning]:
    """When a chain turns to `value` (its folded name) and away from it."""
    return [
        turn
        for standing in chain.standings
        for turn in _of(standing, value, every, alone=chain.functional)
    ]


def state_in(turns: Sequence[Turning], asked: Interval) -> tuple[bool | None, Fact | None]:
    """Whether it is so in all of `asked`, and the statement that says it last; None where nothing
    tells, or where it changed in between."""
    first = _begin(asked.start) if asked.start else _EVER
    last = _end(asked.end) if asked.end else None
    before = [turn for turn in turns if turn.at <= first]
    within = [turn for turn in turns if turn.at > first and (last is None or turn.at <= last)]
    known = [*before[-1:], *within]
    states = {turn.holds for turn in known}
    if len(states) != 1 or not before:
        return None, None
    return known[-1].holds, known[-1].by


def _of(
    standing: FactStanding, value: str, by_id: Mapping[str, Fact], *, alone: bool
) -> Iterable[Turning]:
    fact = standing.fact
    begin = read_iso(standing.valid_from) if standing.valid_from else None
    end = read_iso(standing.valid_to) if standing.valid_to else None
    if value_of(fact) != value:
        if alone and begin and not is_negated(fact):
            yield Turning(_begin(begin), holds=False, by=fact)
        return
    if is_ending(fact) and end:
        yield Turning(_EVER, holds=True, by=fact)
        yield Turning(_ended(end), holds=False, by=fact)
        return
    yield Turning(_begin(begin) if begin else _EVER, holds=not is_negated(fact), by=fact)
    if end and not is_negated(fact):
        by = by_id.get(standing.superseded_by or "", fact)
        yield Turning(_ended(end), holds=False, by=by)


def _begin(date: CalendarDate) -> tuple[int, int]:
    return date.first, max(date.day, 1)


def _end(date: CalendarDate) -> tuple[int, int]:
    return date.last, date.day or 31


def _ended(date: CalendarDate) -> tuple[int, int]:
    """When something ended that is told to have by a date: in the middle of a month or year."""
    if not date.month:
        return CalendarDate(date.year, _MID_YEAR).first, 1
    return date.first, date.day or _MID_MONTH

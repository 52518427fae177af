"""Dates as people give them to a memory: a year, a month, a day or an instant."""

from quipu.errors import InvalidInput
from quipu.records.record import Fact
from quipu.when.instants import parse_instant
from quipu.when.intervals import CalendarDate, following, iso, read_iso

__all__ = ["asked_moment", "first_instant", "holds_in"]


def asked_moment(text: str) -> CalendarDate | str:
    """`text` as what it asks for: a year or a month as such, anything finer as an instant.

    Raises InvalidInput for what is no date.
    """
    date = read_iso(text)
    if date is None:
        raise InvalidInput(
            f"{text!r} is no date: write it as 2026, 2026-01, 2026-01-31 or 2026-01-31T08:00:00Z"
        )
    return parse_instant(text) if date.day else date


def first_instant(text: str) -> str:
    """The first instant of the year, month, day or instant in `text`; InvalidInput for no date."""
    asked = asked_moment(text)
    return asked if isinstance(asked, str) else _begin(asked)


def holds_in(fact: Fact, asked: CalendarDate | str, *, until: str | None) -> bool:
    """Whether a fact that lasts `until` holds at an instant, or at some moment of a year or
    month."""
    if isinstance(asked, str):
        begun = fact.valid_from is None or _moment(fact.valid_from) <= asked
        return begun and (until is None or _moment(until) > asked)
    begun = fact.valid_from is None or _moment(fact.valid_from) < _begin(following(asked))
    return begun and (until is None or _moment(until) > _begin(asked))


def _begin(date: CalendarDate) -> str:
    if date.year > 9999:
        return "A"  # after every instant
    return parse_instant(iso(CalendarDate(date.year, date.month or 1, date.day or 1)))


def _moment(written: str) -> str:
    """A fact's own date; what is none there compares as text, as stores have it."""
    try:
        return first_instant(written)
    except InvalidInput:
        return written

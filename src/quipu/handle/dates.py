"""Dates as people give them to a memory: a year, a month, a day, an instant, a window of time."""

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from quipu.errors import InvalidInput
from quipu.records.record import Fact
from quipu.when import read_question_time
from quipu.when.instants import Clock, instant, parse_instant
from quipu.when.intervals import CalendarDate, following, iso, read_iso

__all__ = ["asked_moment", "first_instant", "holds_in", "read_window"]

_LENGTH = re.compile(r"(?:last\s+)?(\d{1,4})\s*(h|hours?|d|days?|w|weeks?)")
_HOURS = {"h": 1, "d": 24, "w": 168}


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


class TimeWindow(NamedTuple):
    """From `after` (included) to `before` (excluded); None is open."""

    after: str | None
    before: str | None


def read_window(text: str, clock: Clock) -> TimeWindow:
    """`7d`, `24h`, `2w`; `2026-01-01..2026-02-01` with either side left out; words such as
    "last week" or "in June 2025". Raises InvalidInput."""
    written = text.strip()
    if match := _LENGTH.fullmatch(written.lower()):
        hours = int(match[1]) * _HOURS[match[2][0]]
        begin = datetime.fromisoformat(clock()) - timedelta(hours=hours)
        return TimeWindow(instant(begin), None)
    if ".." in written:
        after, before = (side.strip() for side in written.split("..", 1))
        window = TimeWindow(
            parse_instant(after) if after else None, parse_instant(before) if before else None
        )
        if window.after and window.before and window.after >= window.before:
            raise InvalidInput(f"the time window {text!r} ends before it begins: swap its sides")
        return window
    found = read_question_time(written, now=clock()).interval
    if found is None or (found.start is None and found.end is None):
        raise InvalidInput(
            f"{text!r} is no time window: write 7d, 24h, 2026-01-01..2026-02-01 or 'last week'"
        )
    return TimeWindow(
        _begin(found.start) if found.start else None,
        _begin(following(found.end)) if found.end else None,
    )

"""Stretches of time as texts give them: calendar dates of any precision, and what lies between.

Arithmetic counts months (year · 12 + month − 1), because that is how finely most statements are
dated; days decide only where both sides name them. Open ends are None.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from typing import NamedTuple

__all__ = [
    "CalendarDate",
    "Interval",
    "calendar_date",
    "gap",
    "iso",
    "overlap",
    "read_iso",
    "shown",
    "touches",
    "validity",
]

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ].{0,40})?)?)?", re.DOTALL)


class CalendarDate(NamedTuple):
    """A year, a month or a day; `month` and `day` are 0 where the text is not that precise."""

    year: int
    month: int = 0
    day: int = 0

    @property
    def first(self) -> int:
        """The month it begins in."""
        return self.year * 12 + max(self.month, 1) - 1

    @property
    def last(self) -> int:
        """The month it ends in."""
        return self.year * 12 + (self.month or 12) - 1


@dataclass(frozen=True, slots=True)
class Interval:
    """From the beginning of `start` to the end of `end`; None is open on that side."""

    start: CalendarDate | None = None
    end: CalendarDate | None = None

    @property
    def first(self) -> int | None:
        """The month it begins in, or None."""
        return None if self.start is None else self.start.first

    @property
    def last(self) -> int | None:
        """The month it ends in, or None."""
        return None if self.end is None else self.end.last

    @property
    def backwards(self) -> bool:
        """Whether it ends before it begins, so that it says nothing."""
        return not _not_after(self.start, self.end)


def calendar_date(year: int, month: int = 0, day: int = 0) -> CalendarDate | None:
    """The date, or None when there is no such day in the calendar."""
    if not 1 <= year <= 9999 or not 0 <= month <= 12 or (day and not month):
        return None
    if day and not 1 <= day <= days_in(year, month):
        return None
    return CalendarDate(year, month, day)


def days_in(year: int, month: int) -> int:
    """How many days a month has."""
    return monthrange(year, month)[1]


def month_of(count: int) -> CalendarDate:
    """The month that has this number."""
    return CalendarDate(count // 12, count % 12 + 1)


def overlap(one: Interval, other: Interval) -> bool:
    """Whether they share a moment, as far as they can be told apart."""
    return _not_after(one.start, other.end) and _not_after(other.start, one.end)


def touches(one: Interval, other: Interval) -> bool:
    """Whether `one` reaches no further into `other` than the date at which one of them ends and
    the other begins, though it lasts longer than that date."""
    if _meet(one.start, one.end):
        return False
    return _meet(one.end, other.start) or _meet(one.start, other.end)


def gap(earlier: Interval, later: Interval) -> int | None:
    """Months from the end of `earlier` to the beginning of `later`: negative when they overlap,
    None when either end is open."""
    if earlier.last is None or later.first is None:
        return None
    return later.first - earlier.last


def iso(date: CalendarDate) -> str:
    """`2006`, `2006-01` or `2006-01-31`."""
    text = f"{date.year:04d}"
    if date.month:
        text += f"-{date.month:02d}"
    return f"{text}-{date.day:02d}" if date.day else text


def read_iso(text: str) -> CalendarDate | None:
    """The date of an ISO date (of any precision) or instant; None when it is not one."""
    found = _ISO.fullmatch(text.strip())
    if not found:
        return None
    year, month, day = (int(part or 0) for part in found.groups())
    if (found[2] and not month) or (found[3] and not day):
        return None
    return calendar_date(year, month, day)


def following(date: CalendarDate) -> CalendarDate:
    """The next day, month or year: the first moment that is no longer in `date`."""
    if date.day and date.day < days_in(date.year, date.month):
        return CalendarDate(date.year, date.month, date.day + 1)
    if date.month:
        year, month = (date.year + 1, 1) if date.month == 12 else (date.year, date.month + 1)
        return CalendarDate(year, month, 1 if date.day else 0)
    return CalendarDate(date.year + 1)


def validity(interval: Interval, *, stated_end: bool) -> tuple[str | None, str | None]:
    """`valid_from` and `valid_to` of a fact that holds in `interval`.

    `valid_to` is excluded. An end that the text states ("to Jan 2015") is when it changed and is
    kept as written; a date alone ("in 2005") lasts until the next one begins.
    """
    start = None if interval.start is None else iso(interval.start)
    if interval.end is None:
        return start, None
    return start, iso(interval.end if stated_end else following(interval.end))


def shown(interval: Interval) -> str:
    """As a person writes it: `from Jan 2006 to Jan 2015`, `since 2003`, `until 5 May 2010`,
    `1990`; an interval without ends is `always`."""
    start, end = interval.start, interval.end
    if start is None and end is None:
        return "always"
    if end is None:
        return f"since {_written(start)}"
    if start is None:
        return f"until {_written(end)}"
    if start == end:
        return _written(start)
    return f"from {_written(start)} to {_written(end)}"


def _written(date: CalendarDate | None) -> str:
    if date is None:
        return ""
    words = [str(date.day)] if date.day else []
    words += [MONTHS[date.month - 1]] if date.month else []
    return " ".join([*words, f"{date.year:04d}"])


def _not_after(start: CalendarDate | None, end: CalendarDate | None) -> bool:
    if start is None or end is None:
        return True
    if start.first != end.last:
        return start.first < end.last
    same = start.month and end.month and start.day and end.day
    return not same or start.day <= end.day


def _meet(end: CalendarDate | None, start: CalendarDate | None) -> bool:
    """Whether two dates are one as far as both are told."""
    if end is None or start is None:
        return False
    pairs = zip(end, start, strict=True)
    return end.year == start.year and all(a == b or not (a and b) for a, b in pairs)

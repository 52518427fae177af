"""Times that are told from the present: yesterday, last spring, three weeks ago, this year.

The present is an argument, as everywhere.
"""

import re
from datetime import date, timedelta

from quipu.patterns import late
from quipu.when.dates import MONTH, SEASONS, Item, month_number
from quipu.when.intervals import CalendarDate, Interval, days_in, month_of, read_iso

__all__ = ["COUNT", "UNIT", "WEEKDAYS", "ago", "count_of", "day_of", "find_relative"]

_COUNTS = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), 1
    )
} | {"a": 1, "an": 1, "a couple of": 2, "a few": 3, "few": 3, "several": 4}
COUNT = rf"(?:\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})".replace(" ", "[ ]")
UNIT = r"days?|weeks?|months?|years?"
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_RELATIVE = late(
    rf"""\b(?:
      (?P<day>the\ day\ before\ yesterday|yesterday|last\ night|today|tonight|this\ morning|
        tomorrow)
    | (?P<ago_n>{COUNT})\ (?P<ago_u>{UNIT})\ (?:ago|earlier|back)
    | (?:in|over|during|within)\ the\ (?:last|past)\ (?P<past_n>{COUNT})?\ ?(?P<past_u>{UNIT})
    | (?P<which>last|this|previous|past|next)\ (?P<what>week|month|year|quarter|decade|
        spring|summer|autumn|fall|winter|{"|".join(WEEKDAYS)}|{MONTH})
    )\b""",
    re.VERBOSE,
)

_DAYS = {"the day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1}


def find_relative(lowered: str, now: str) -> list[Item]:
    """Every such time in folded, lower-cased text, seen from the instant `now`."""
    present = read_iso(now)
    if present is None or not present.day:
        return []
    today = date(*present)
    found: list[Item] = []
    for match in _RELATIVE.finditer(lowered):
        try:
            interval = _read(match, today)
        except (ValueError, OverflowError):  # a year before 1 or after 9999
            continue
        found.append(Item(interval, match.start(), match.end()))
    return found


def _read(match: re.Match[str], today: date) -> Interval:
    if match["day"]:
        return _days(today + timedelta(days=_DAYS.get(match["day"], 0)))
    if match["ago_u"]:
        return ago(count_of(match["ago_n"]), match["ago_u"].rstrip("s"), today)
    if match["past_u"]:
        back = ago(count_of(match["past_n"] or "1"), match["past_u"].rstrip("s"), today)
        return Interval(back.start, day_of(today))
    return _named(match["which"], match["what"], today)


def count_of(word: str) -> int:
    """The number that a word of a count tells: 3 for "three" and "3"."""
    return int(word) if word.isdigit() else _COUNTS[word]


def ago(count: int, unit: str, today: date) -> Interval:
    """When so many units (`day`, `week`, `month` or `year`) ago was."""
    if unit == "day":
        return _days(today - timedelta(days=count))
    if unit == "week":
        middle = today - timedelta(weeks=count)
        return Interval(day_of(middle - timedelta(days=3)), day_of(middle + timedelta(days=3)))
    if unit == "month":
        month = month_of(_month(today) - count)
        return Interval(month, month)
    year = CalendarDate(date(today.year - count, 1, 1).year)
    return Interval(year, year)


def _named(which: str, what: str, today: date) -> Interval:
    step = {"this": 0, "next": 1}.get(which, -1)
    if what in WEEKDAYS:
        return _weekday(WEEKDAYS.index(what), step, today)
    if what == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        return Interval(day_of(monday), day_of(monday + timedelta(days=6)))
    if what == "month":
        month = month_of(_month(today) + step)
        return Interval(month, month)
    if what == "quarter":
        first = _month(today) // 3 * 3 + 3 * step
        return Interval(month_of(first), month_of(first + 2))
    if what in ("year", "decade"):
        size = 1 if what == "year" else 10
        first = date(today.year // size * size + size * step, 1, 1).year
        return Interval(CalendarDate(first), CalendarDate(first + size - 1))
    return _yearly(what, step, today)


def _yearly(what: str, step: int, today: date) -> Interval:
    """The season or month of that name that came last, comes next, or is this year's."""
    length = 3 if what in SEASONS else 1
    number = SEASONS[what] if what in SEASONS else month_number(what)
    first = today.year * 12 + number - 1
    while step < 0 and first + length - 1 >= _month(today):
        first -= 12
    if step > 0 and first <= _month(today):
        first += 12
    if step == 0 and number == 12 and length == 3 and today.month < 3:
        first -= 12
    return Interval(month_of(first), month_of(first + length - 1))


def _weekday(weekday: int, step: int, today: date) -> Interval:
    if step < 0:
        return _days(today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1))
    ahead = (weekday - today.weekday() - step) % 7 + step
    return _days(today + timedelta(days=ahead))


def _days(day: date) -> Interval:
    return Interval(day_of(day), day_of(day))


def day_of(day: date) -> CalendarDate:
    """A day of the calendar, as a date of the grammar."""
    return CalendarDate(day.year, day.month, min(day.day, days_in(day.year, day.month)))


def _month(today: date) -> int:
    return today.year * 12 + today.month - 1

"""Times of which a part is left out, seen from when they are told or asked about: a day or a month
without its year, a day without its month, a weekday, and for how long something has been so.

    PARTIAL := (since | as of | from | until | in | on | …) [the] (day month | month day | month
               | ordinal | weekday | end of [the] (week | month | year))
             | for [the last] count (days | weeks | months | years)

The present is an argument, as everywhere: "since September" is the last one that has begun by then,
"until the 14th" the next, "from August" the nearest, "for ten years" what began so long ago.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Literal, TypeAlias

from quipu.patterns import late
from quipu.text import fold, lower
from quipu.when.dates import MONTH, month_number
from quipu.when.intervals import CalendarDate, Interval, days_in, month_of, read_iso
from quipu.when.relative import COUNT, UNIT, WEEKDAYS, ago, count_of, day_of
from quipu.when.spans import TimeSpan, bounded_by

__all__ = ["find_partial"]

Way: TypeAlias = Literal["last", "next", "nearest"]

_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_WEEKDAY = "|".join(WEEKDAYS)
_PARTIAL = late(
    rf"\b(?P<word>since|as of|from|starting|beginning|effective|until|till|up to|in|on)\s"
    rf"(?:in |on |from )?(?:the )?(?:(?P<d1>{_DAY}) (?:of )?(?P<m1>{MONTH})|(?P<m2>{MONTH})\.? "
    rf"(?P<d2>{_DAY})|(?:(?:early|mid|late)[ -])?(?P<m3>{MONTH})|(?P<d3>\d{{1,2}}(?:st|nd|rd|th))"
    rf"|(?P<weekday>{_WEEKDAY})|end of (?:the )?(?:(?P<unit>week|month|year)|(?P<m4>{MONTH})))"
    r"\b(?!,? ?\d|-)"
    rf"(?!\s?(?:to|until|till|through|thru|and|or|–)\s(?:the )?(?:\d|{MONTH}\b|{_WEEKDAY}))"
)
_LASTING = late(rf"\bfor (?:the (?:last|past) )?(?P<count>{COUNT}) (?P<what>{UNIT})\b")
_BEGINNING = frozenset({"from", "starting", "beginning", "effective"})
_ENDING = frozenset({"until", "till", "up to"})
_YEARS, _MONTHS = 8, 12


def find_partial(text: str, *, now: str) -> list[TimeSpan]:
    """Every such time in `text`, told at the instant `now`, in order.

    Which one is only placed "in" or "on" is sure of what is past alone: that is of kind `date`. How
    long something has been so tells when it began of what is so still: that is of kind `range`,
    from then to now. What is in no calendar is none. Never raises.
    """
    lowered, today = lower(fold(text)), _today(now)
    found: list[TimeSpan] = []
    if today is None:
        return found
    with suppress(ValueError, OverflowError):  # a year before 1 or after 9999
        found += [span for match in _PARTIAL.finditer(lowered) for span in _placed(match, today)]
        found += [_lasting(match, today) for match in _LASTING.finditer(lowered)]
    return sorted(found, key=lambda span: span.start)


def _today(now: str) -> date | None:
    """The day of an instant; None where it tells none."""
    present = read_iso(now)
    return date(*present) if present is not None and present.day else None


def _placed(match: re.Match[str], today: date) -> list[TimeSpan]:
    word = match["word"]
    way: Way = "next" if word in _ENDING else "last"
    if word in _BEGINNING:
        way = "next" if match["weekday"] else "nearest"
    meant = _meant(_known(match, today), way, today)
    if meant is None:
        return []
    kind, interval = bounded_by(word, Interval(meant, meant))
    return [TimeSpan(kind, interval, match.start(), match.end())]


def _lasting(match: re.Match[str], today: date) -> TimeSpan:
    begun = ago(count_of(match["count"]), match["what"].rstrip("s"), today).start
    return TimeSpan("range", Interval(begun, day_of(today)), match.start(), match.end())


def _known(match: re.Match[str], today: date) -> list[CalendarDate]:
    """The days, months or years around the present that have what is told, in order."""
    if match["weekday"]:
        days = (today + timedelta(days=step) for step in range(-7, 8))
        named = WEEKDAYS.index(str(match["weekday"]))
        return [day_of(d) for d in days if d.weekday() == named]
    if match["unit"]:
        sunday = today + timedelta(days=6 - today.weekday())
        return {
            "week": [day_of(sunday)],
            "month": [CalendarDate(today.year, today.month)],
            "year": [CalendarDate(today.year)],
        }[match["unit"]]
    written = match["d1"] or match["d2"] or match["d3"]
    day = int(re.sub(r"\D", "", written)) if written else 0
    month = match["m1"] or match["m2"] or match["m3"] or match["m4"]
    if month:
        years = range(today.year - _YEARS, today.year + _YEARS + 1)
        months = [CalendarDate(year, month_number(month)) for year in years]
    else:
        this = today.year * 12 + today.month - 1
        months = [month_of(this + step) for step in range(-_MONTHS, _MONTHS + 1)]
    return [m._replace(day=day) for m in months if day <= days_in(m.year, m.month)]


def _meant(known: Sequence[CalendarDate], way: Way, today: date) -> CalendarDate | None:
    """The one that is meant: the last that has begun, the next that is not over, or the nearer of
    the two."""
    present = today.year, today.month, today.day
    last = [each for each in known if (each.year, each.month or 1, each.day or 1) <= present][-1:]
    following = [e for e in known if (e.year, e.month or 12, e.day or 31) >= present][:1]
    near = sorted({*last, *following}, key=lambda each: abs((_first(each) - today).days))
    chosen = {"last": last, "next": following, "nearest": near}[way]
    return chosen[0] if chosen else None


def _first(each: CalendarDate) -> date:
    return date(each.year, each.month or 1, each.day or 1)

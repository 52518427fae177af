"""Days and months without their year, seen from when they are told or asked about.

    YEARLESS := (since | as of | from | until | in | on | …) [the] (day month | month day | month)

The present is an argument, as everywhere: "since September" is the last one that has begun by then,
"until June" the next, "from August" the nearest.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Literal, TypeAlias

from quipu.patterns import late
from quipu.text import fold, lower
from quipu.when.dates import MONTH, month_number
from quipu.when.intervals import CalendarDate, Interval, read_iso
from quipu.when.spans import KIND_OF, Kind, TimeSpan

__all__ = ["find_yearless"]

Way: TypeAlias = Literal["last", "next", "nearest"]

_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_MONTHS = late(rf"\b{MONTH}\b")
_YEARLESS = late(
    rf"\b(?P<word>since|as of|from|starting|beginning|effective|until|till|up to|in|on)\s"
    rf"(?:in |on |from )?(?:the )?(?:(?P<d1>{_DAY}) (?:of )?(?P<m1>{MONTH})|(?P<m2>{MONTH})\.? "
    rf"(?P<d2>{_DAY})|(?:(?:early|mid|late)[ -])?(?P<m3>{MONTH}))\b(?!,? ?\d|-)"
    rf"(?!\s?(?:to|until|till|through|thru|and|or|–)\s(?:the )?(?:\d|{MONTH}\b))"
)
_WAYS: dict[Kind, Way] = {"since": "last", "until": "next", "date": "last"}
_BEGINNING = frozenset({"from", "starting", "beginning", "effective"})
_YEARS = 8


def find_yearless(text: str, *, now: str) -> list[TimeSpan]:
    """Every such day or month in `text`, told at the instant `now`, in order.

    Which one is only placed "in" or "on" is sure of what is past alone: that is of kind `date`.
    What is in no calendar is none. Never raises.
    """
    lowered = lower(fold(text))
    present = read_iso(now)
    if present is None or not present.day or not _MONTHS.search(lowered):
        return []
    today = date(*present)
    return [span for match in _YEARLESS.finditer(lowered) for span in _spans(match, today)]


def _spans(match: re.Match[str], today: date) -> Iterator[TimeSpan]:
    kind = KIND_OF.get(match["word"], "date")
    way = "nearest" if match["word"] in _BEGINNING else _WAYS[kind]
    month = month_number(match["m1"] or match["m2"] or match["m3"])
    written = match["d1"] or match["d2"]
    meant = _meant(month, int(re.sub(r"\D", "", written)) if written else 0, way, today)
    if meant is not None:
        interval = {
            "since": Interval(meant, None),
            "until": Interval(None, meant),
        }.get(kind, Interval(meant, meant))
        yield TimeSpan(kind, interval, match.start(), match.end())


def _meant(month: int, day: int, way: Way, today: date) -> CalendarDate | None:
    """The one of that name that is meant; one that not every year has may be years away."""
    steps = range(_YEARS + 1)
    years = [today.year - step for step in reversed(steps)] + [today.year + s for s in steps[1:]]
    exist = [year for year in years if _exists(year, month, day)]
    begun = [year for year in exist if date(year, month, day or 1) <= today]
    to_come = [
        year for year in exist if (year, month, day or 31) >= (today.year, today.month, today.day)
    ]
    last, following = begun[-1:], to_come[:1]
    near = sorted({*last, *following}, key=lambda y: abs((date(y, month, day or 1) - today).days))
    chosen = {"last": last, "next": following, "nearest": near}[way]
    return CalendarDate(chosen[0], month, day) if chosen else None


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day or 1)
    except ValueError:
        return False
    return True

"""Days that a question names without their year: "on 3 May", "on June 14th".

They are read in questions only, where they mean the last such day; in a text they could be of any
year.
"""

from datetime import date

from quipu.patterns import late
from quipu.text import fold, lower
from quipu.when.dates import MONTH, month_number
from quipu.when.intervals import CalendarDate, Interval, read_iso
from quipu.when.spans import TimeSpan

__all__ = ["find_days"]

_DAY = late(
    rf"\bon (?:the )?(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m1>{MONTH})"
    rf"|(?P<m2>{MONTH})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?)\b(?!,? ?\d)"
)
_YEARS_BACK = 8


def find_days(text: str, *, now: str) -> list[TimeSpan]:
    """Every such day in a question asked at the instant `now`; what is in no calendar is none."""
    lowered = lower(fold(text))
    found: list[TimeSpan] = []
    for match in _DAY.finditer(lowered):
        month = month_number(match["m1"] or match["m2"])
        day = _last_day(month, int(match["d1"] or match["d2"]), now=now)
        if day is not None:
            found.append(TimeSpan("date", Interval(day, day), match.start(), match.end()))
    return found


def _last_day(month: int, day: int, *, now: str) -> CalendarDate | None:
    """The last such day that has begun by `now`; None where there is none in eight years."""
    present = read_iso(now)
    if present is None:
        return None
    for back in range(_YEARS_BACK + 1):
        try:
            asked = date(present.year - back, month, day)
        except ValueError:
            continue
        if (asked.month, asked.day) <= (present.month or 12, present.day or 31) or back:
            return CalendarDate(asked.year, month, day)
    return None

"""The DATE of the grammar: one expression that names a stretch of the calendar by itself.

    DATE := day month year | month day year | month [,] year | season year | quarter year | ISO
            | day.month.year | day/month/year | 1990s | year

One pattern with bounded parts finds them all, so reading takes time linear in the text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from quipu.language import language_of, month_names
from quipu.patterns import late
from quipu.when.intervals import MONTHS, CalendarDate, Interval, calendar_date, month_of

__all__ = ["MONTH", "MONTH_NAMES", "SEASONS", "Item", "find_abroad", "find_items", "month_number"]

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
MONTH_NAMES = frozenset(
    "january february march april may june july august september october november december jan feb "
    "mar apr jun jul aug sep sept oct nov dec".split()
)
"""The names of months in lower case, as `MONTH` reads them."""
_YEAR = r"[12]\d{3}"
_COMMA = r"(?:[ ]{0,2},[ ]{0,2}|\.[ ]{0,2},?[ ]?|[ ]{1,2})"
_TH = r"(?:st|nd|rd|th)?"
_FORMS = {
    "dmy": rf"(?P<d>\d{{1,2}}){_TH}\ (?:of\ )?(?P<m>{MONTH}){_COMMA}(?P<y>{_YEAR})",
    "mdy": rf"(?P<m>{MONTH})\.?\ (?P<d>\d{{1,2}}){_TH}\ ?,?\ (?P<y>{_YEAR})",
    "my": rf"(?P<m>{MONTH})(?:{_COMMA}|\ of\ )(?P<y>{_YEAR})",
    "season": rf"(?P<season>spring|summer|autumn|fall|winter)(?:\ of)?,?\ (?P<y>{_YEAR})",
    "quarter": rf"q(?P<q>[1-4])[ /-]?(?P<y>{_YEAR})",
    "yearfirst": rf"(?P<y>{_YEAR})[ /-]?q(?P<q>[1-4])",
    "iso": r"(?P<y>\d{4})-(?P<m>\d{2})(?:-(?P<d>\d{2})"
    r"(?:t\d{2}:\d{2}(?::\d{2})?(?:\.\d{1,9})?(?:z|[+-]\d{2}:?\d{2})?)?)?",
    "dots": rf"(?P<d>\d{{1,2}})\.(?P<m>\d{{1,2}})\.(?P<y>{_YEAR})",
    "bars": rf"(?P<d>\d{{1,2}})/(?P<m>\d{{1,2}})/(?P<y>{_YEAR})",
    "split": rf"(?P<y>{_YEAR})/(?P<z>\d{{2}}|{_YEAR})",
    "decade": r"(?P<y>[12]\d{2}0)'?s",
    "year": rf"(?P<y>{_YEAR})",
    "lone": rf"(?P<m>{MONTH})",
}
"""How a date is written, with its parts by name: year, month, day, quarter, last year of two."""
_PARTS = ("y", "m", "d", "q", "z", "season")
_DATE = late(
    r"(?<![\w$£€#/])(?:"
    + "|".join(f"(?P<{n}>{form.replace('(?P<', f'(?P<{n}_')})" for n, form in _FORMS.items())
    + r")(?![\w%$£€]|[.,]\d|/\d)",
    re.VERBOSE,
)
_MONTHS = [month.lower() for month in MONTHS]
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_EARLIEST_BARE = 1500
# A number after these is a year however early; alone it must look like one.
_LEADS = late(
    r"(?:in|since|from|until|till|to|by|before|after|during|of|between|and|year|about|around|"
    r"circa|c\.|ca\.|through|thru|[-–—(])\s{0,2}(?:the\s)?(?:years?\s)?$"
)
_GOES_ON = late(rf"\s?(?:to|until|-|–)\s?{_YEAR}\b")
_MEASURED = late(
    r"\s{0,2}(?:people|men|women|soldiers|troops|inhabitants|km|kilomet|met(?:re|er)s?|miles?|"
    r"feet|ft|m\b|kg|lbs?|tons?|tonnes?|acres?|dollars|euros?|pounds|bytes?|kb|mb|gb|ms|"
    r"seconds|minutes|hours|days|copies|votes|seats|students|words|lines|items|requests|times)"
)


_ABROAD = late(
    r"(?<![\w./-])(?P<day>\d{1,2})(?:\.|º|er)? (?:de )?(?P<name>[^\W\d_][^\d\s.,;]{2,12})\.?"
    rf" (?:de |del )?(?P<year>{_YEAR})(?!\w)"
    rf"|(?<!\d)(?P<cjk_y>{_YEAR}) ?[年년](?: ?(?P<cjk_m>\d{{1,2}}) ?[月월]"
    r"(?: ?(?P<cjk_d>\d{1,2}) ?[日일])?)?"
)


class Item(NamedTuple):
    """A date where it stands. A `lone` month has no year of its own and no interval."""

    interval: Interval | None
    start: int
    end: int
    month: int = 0


def month_number(word: str) -> int:
    """1 to 12 for a month's name or the beginning of one, in lower case."""
    return _MONTHS.index(word[:3]) + 1


def find_items(lowered: str) -> Iterator[Item]:
    """Every date in folded, lower-cased text, in order; days that do not exist are left out."""
    for match in _DATE.finditer(lowered):
        form = next(name for name in _FORMS if match[name] is not None)
        named = match.groupdict()
        parts = {part: said for part in _PARTS if (said := named.get(f"{form}_{part}"))}
        if form == "lone":
            yield Item(None, match.start("lone"), match.end(), month_number(parts["m"]))
        elif (form != "year" or _is_year(lowered, match)) and (found := _read(form, parts)):
            yield Item(found, match.start(), match.end())


def find_abroad(text: str) -> Iterator[Item]:
    """The dates of `text` as they are written in other languages than English: `12. März 2026`,
    `3 de mayo de 2026`, `12 марта 2026`, `2026年3月12日`. None for a month that English has too,
    unless the text is in another language."""
    for match in _ABROAD.finditer(text):
        if match["cjk_y"]:
            interval = _one(*(int(match[key] or 0) for key in ("cjk_y", "cjk_m", "cjk_d")))
        else:
            name = match["name"].lower()
            if name in MONTH_NAMES and language_of(text) is None:
                continue
            month = month_names().get(name)
            interval = month and _one(int(match["year"]), month, int(match["day"]))
        if interval:
            yield Item(interval, match.start(), match.end())


def _is_year(lowered: str, match: re.Match[str]) -> bool:
    if _MEASURED.match(lowered, match.end()):
        return False
    led = _LEADS.search(lowered, max(0, match.start() - 24), match.start())
    if not led and _GOES_ON.match(lowered, match.end()):
        return True
    return bool(led) or _EARLIEST_BARE <= int(match["year"]) <= 2099


def _read(form: str, parts: dict[str, str]) -> Interval | None:
    """The stretch of a date with these parts; None where no calendar has it."""
    year, month, day = int(parts["y"]), parts.get("m", ""), int(parts.get("d", 0))
    number = int(month or 0) if month.isdigit() or not month else month_number(month)
    if form == "season" or "q" in parts:
        first = SEASONS[parts["season"]] if form == "season" else 3 * int(parts["q"]) - 2
        return Interval(month_of(year * 12 + first - 1), month_of(year * 12 + first + 1))
    if form == "decade":
        return Interval(CalendarDate(year), CalendarDate(year + (99 if year % 100 == 0 else 9)))
    is_range = form == "iso" and not day and not (1 <= number <= 12 and number != (year + 1) % 100)
    if form == "split" or is_range:  # 2018/19, 2018/2019, 2010-11
        last = int(parts.get("z", number))
        is_next = last < 100 or last == year + 1
        return short_range(CalendarDate(year), last % 100) if is_next else None
    if form == "bars" and day != number:  # only where one order can be meant
        if day <= 12 and number <= 12:
            return _one(year)
        day, number = (day, number) if day > 12 else (number, day)
    return _one(year, number, day)


def _one(year: int, month: int = 0, day: int = 0) -> Interval | None:
    date = calendar_date(year, month, day)
    return None if date is None else Interval(date, date)


def short_range(start: CalendarDate, digits: int) -> Interval | None:
    """From a year to a later one that is written with its last two digits."""
    year = start.year - start.year % 100 + digits
    if year <= start.year:
        year += 100
    return Interval(start, CalendarDate(year)) if year - start.year < 60 else None

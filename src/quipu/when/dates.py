"""The DATE of the grammar: one expression that names a stretch of the calendar by itself.

    DATE := [early | mid | late] { day month year | month day year | month [,] year |
            season year | quarter year | ISO | day.month.year | 1990s | year | 19th century }

One pattern with bounded parts finds them all, so reading takes time linear in the text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from quipu.language import language_of, month_names
from quipu.patterns import late
from quipu.when.intervals import MONTHS, CalendarDate, Interval, calendar_date, month_of

__all__ = ["MONTH", "MONTH_NAMES", "Item", "find_abroad", "find_items", "month_number"]

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
_ORDINAL = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
        "twentieth twenty-first".split(),
        1,
    )
}
_DATE = late(
    rf"""(?<![\w$£€#/])(?P<part>(?:early|mid|late)[ -]{{1,2}})?(?:
      (?P<dmy>(?P<dmy_d>\d{{1,2}})(?:st|nd|rd|th)?\ (?:of\ )?(?P<dmy_m>{MONTH}){_COMMA}
        (?P<dmy_y>{_YEAR}))
    | (?P<mdy>(?P<mdy_m>{MONTH})\.?\ (?P<mdy_d>\d{{1,2}})(?:st|nd|rd|th)?\ ?,?\ (?P<mdy_y>{_YEAR}))
    | (?P<my>(?P<my_m>{MONTH})(?:{_COMMA}|\ of\ )(?P<my_y>{_YEAR}))
    | (?P<season>(?P<season_n>spring|summer|autumn|fall|winter)(?:\ of)?,?\ (?P<season_y>{_YEAR}))
    | (?P<quarter>q(?P<quarter_n>[1-4])[ /-]?(?P<quarter_y>{_YEAR})
        | (?P<quarter_y2>{_YEAR})[ /-]?q(?P<quarter_n2>[1-4]))
    | (?P<iso>(?P<iso_y>\d{{4}})-(?P<iso_m>\d{{2}})(?:-(?P<iso_d>\d{{2}})
        (?:t\d{{2}}:\d{{2}}(?::\d{{2}})?(?:\.\d{{1,9}})?(?:z|[+-]\d{{2}}:?\d{{2}})?)?)?)
    | (?P<dots>(?P<dots_d>\d{{1,2}})\.(?P<dots_m>\d{{1,2}})\.(?P<dots_y>{_YEAR}))
    | (?P<bars>(?P<bars_a>\d{{1,2}})/(?P<bars_b>\d{{1,2}})/(?P<bars_y>{_YEAR}))
    | (?P<split>(?P<split_y>{_YEAR})/(?P<split_z>{_YEAR}|\d{{2}}))
    | (?P<decade>(?P<decade_y>[12]\d{{2}}0)'?s)
    | (?P<century>(?P<century_n>\d{{1,2}})(?:st|nd|rd|th)[ -]century
        | (?P<century_w>{"|".join(_ORDINAL)})[ -]century)
    | (?P<year>{_YEAR})
    | (?P<old>(?<=\bin\ )\d{{3}}(?=\ ?[?.,;:)]|$))
    | (?P<lone>{MONTH})
    )(?![\w%$£€]|[.,]\d|/\d)""",
    re.VERBOSE,
)
_MONTHS = [month.lower() for month in MONTHS]
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
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
        kind = match.lastgroup or ""
        kind = next((k for k in _READERS if match[k] is not None), kind)
        if kind == "lone":
            yield Item(None, match.start("lone"), match.end(), month_number(match["lone"]))
            continue
        if kind == "year" and not _is_year(lowered, match):
            continue
        interval = _READERS[kind](match)
        if interval is not None:
            if match["part"]:
                interval = _third(interval, match["part"].rstrip(" -"))
            yield Item(interval, match.start(), match.end())


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


def _one(year: int, month: int = 0, day: int = 0) -> Interval | None:
    date = calendar_date(year, month, day)
    return None if date is None else Interval(date, date)


def _dmy(match: re.Match[str]) -> Interval | None:
    return _one(int(match["dmy_y"]), month_number(match["dmy_m"]), int(match["dmy_d"]))


def _mdy(match: re.Match[str]) -> Interval | None:
    return _one(int(match["mdy_y"]), month_number(match["mdy_m"]), int(match["mdy_d"]))


def _my(match: re.Match[str]) -> Interval | None:
    return _one(int(match["my_y"]), month_number(match["my_m"]))


def _season(match: re.Match[str]) -> Interval:
    first = int(match["season_y"]) * 12 + _SEASONS[match["season_n"]] - 1
    return Interval(month_of(first), month_of(first + 2))


def _quarter(match: re.Match[str]) -> Interval:
    year = int(match["quarter_y"] or match["quarter_y2"])
    first = year * 12 + 3 * (int(match["quarter_n"] or match["quarter_n2"]) - 1)
    return Interval(month_of(first), month_of(first + 2))


def _iso(match: re.Match[str]) -> Interval | None:
    year, month = int(match["iso_y"]), int(match["iso_m"])
    if match["iso_d"]:
        return _one(year, month, int(match["iso_d"]))
    if 1 <= month <= 12 and month != (year + 1) % 100:
        return _one(year, month)
    # "2010-11" and "1916-20" are years written short.
    return short_range(CalendarDate(year), month)


def short_range(start: CalendarDate, digits: int) -> Interval | None:
    """From a year to a later one that is written with its last two digits."""
    year = start.year - start.year % 100 + digits
    if year <= start.year:
        year += 100
    return Interval(start, CalendarDate(year)) if year - start.year < 60 else None


def _dots(match: re.Match[str]) -> Interval | None:
    return _one(int(match["dots_y"]), int(match["dots_m"]), int(match["dots_d"]))


def _bars(match: re.Match[str]) -> Interval | None:
    """Day and month where only one order can be meant, else no more than the year."""
    year, a, b = int(match["bars_y"]), int(match["bars_a"]), int(match["bars_b"])
    if a > 12 or a == b:
        return _one(year, b, a)
    return _one(year, a, b) if b > 12 else _one(year)


def _split(match: re.Match[str]) -> Interval | None:
    """A season over the turn of a year: 2018/19."""
    start, end = CalendarDate(int(match["split_y"])), int(match["split_z"])
    return short_range(start, end % 100) if end < 100 or end == start.year + 1 else None


def _decade(match: re.Match[str]) -> Interval:
    year = int(match["decade_y"])
    return Interval(CalendarDate(year), CalendarDate(year + (99 if year % 100 == 0 else 9)))


def _century(match: re.Match[str]) -> Interval | None:
    number = int(match["century_n"]) if match["century_n"] else _ORDINAL[match["century_w"]]
    if not 1 <= number <= 21:
        return None
    return Interval(CalendarDate(100 * number - 99), CalendarDate(100 * number))


def _year(match: re.Match[str]) -> Interval | None:
    return _one(int(match["year"]))


def _old(match: re.Match[str]) -> Interval | None:
    return _one(int(match["old"]))


_READERS = {
    "dmy": _dmy,
    "mdy": _mdy,
    "my": _my,
    "season": _season,
    "quarter": _quarter,
    "iso": _iso,
    "dots": _dots,
    "bars": _bars,
    "split": _split,
    "decade": _decade,
    "century": _century,
    "year": _year,
    "old": _old,
    "lone": _year,
}


def _third(interval: Interval, part: str) -> Interval:
    """The first, middle or last third of a stretch; a month or a day is not divided."""
    first, last = interval.first, interval.last
    if first is None or last is None or last - first < 2:
        return interval
    size = (last - first + 1) // 3
    begin = {"early": first, "mid": first + size, "late": last - size + 1}[part]
    return Interval(month_of(begin), month_of(begin + size - 1))

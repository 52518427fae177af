"""RANGE, since and until: dates put together, each with the characters it covers.

    RANGE := [from | between | during] DATE (to | until | till | through | and | –)
             (DATE | two digits | present)
    since | from | after DATE      open to the right
    until | till | by | before DATE    open to the left

"and" counts only after "between"; a lone first month takes the second date's year.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from quipu.patterns import late
from quipu.text import fold, lower
from quipu.when.dates import Item, find_abroad, find_items, short_range
from quipu.when.intervals import CalendarDate, Interval, validity
from quipu.when.relative import find_relative

__all__ = ["Kind", "TimeSpan", "bounded_by", "fact_dates", "find_spans"]

Kind: TypeAlias = Literal["date", "range", "since", "after", "until", "before"]

_CONNECTOR = late(r"\s{0,3}(?:to|until|till|up to|through|thru|-|–|—|and)\s{0,3}(?:the )?")
_OPENER = late(
    r"\b(?P<word>from|between|during|since|as of|after|until|till|up to|by|before|prior to|in|on|"
    r"at|throughout|starting|beginning|effective)\s{1,3}(?:in |on |from )?(?:the )?(?:years? )?$"
)
_TAIL = late(
    r"\s{0,3}(?:to|until|till|up to|through|-|–|—)\s{0,3}"
    r"(?:(?P<open>(?:the )?(?:present(?: day)?|now|today|date)\b)|(?P<short>\d{2})(?![\d\w.-]))"
)
_OPENER_REACH = 32
_DIGIT = late(r"\d")
_BARE = late(r"\d{4}(?:[-/–]\d{2,4})?")  # "Turris 1944", "the 1701-02 Parliament"
_KIND_OF: dict[str, Kind] = {
    "since": "since",
    "from": "since",
    "as of": "since",
    "starting": "since",
    "beginning": "since",
    "effective": "since",
    "after": "after",
    "until": "until",
    "till": "until",
    "up to": "until",
    "by": "until",
    "before": "before",
    "prior to": "before",
}


class TimeSpan(NamedTuple):
    """A time named in a text: what kind, which stretch, and the characters it covers.

    `dated` is false for a bare year that no preposition leads to: it may belong to a name.
    """

    kind: Kind
    interval: Interval
    start: int
    end: int
    dated: bool = True


def find_spans(text: str, *, now: str | None = None) -> list[TimeSpan]:
    """Every time in `text`, in order and without overlap.

    With `now` (an instant), relative ones ("yesterday", "last spring", "3 weeks ago") count as
    well. Never raises; a range that ends before it begins is read as two dates.
    """
    lowered = lower(fold(text))
    relative = find_relative(lowered, now) if now is not None else []
    if not relative and "century" not in lowered and not _DIGIT.search(lowered):
        return []  # no more than months without a year
    items = list(find_items(lowered))
    if more := [*relative, *find_abroad(text)]:
        items = _without_overlap(items, more)
    return list(_joined(lowered, items))


def fact_dates(span: TimeSpan) -> tuple[str | None, str | None]:
    """`valid_from` and `valid_to` of what a text says with this time."""
    return validity(span.interval, stated_end=span.kind != "date")


def _without_overlap(items: list[Item], more: list[Item]) -> list[Item]:
    kept: list[Item] = []
    for item in sorted([*items, *more], key=lambda i: (i.start, -i.end)):
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    return kept


def _joined(lowered: str, items: list[Item]) -> Iterator[TimeSpan]:
    position = covered = 0
    while position < len(items):
        item = items[position]
        opener = _OPENER.search(lowered, max(covered, item.start - _OPENER_REACH), item.start)
        word = opener["word"] if opener else ""
        start = opener.start() if opener else item.start
        following = items[position + 1] if position + 1 < len(items) else None
        joined = _range(lowered, item, following, word)
        if joined and following:
            yield TimeSpan("range", joined, start, following.end)
            covered = following.end
            position += 2
            continue
        covered = item.end
        position += 1
        if item.interval is None:
            continue
        tail = _TAIL.match(lowered, item.end)
        clear = tail is not None and (following is None or tail.end() <= following.start)
        if tail and clear and (ended := _tailed(item.interval, tail)):
            yield TimeSpan("range" if ended.end else "since", ended, start, tail.end())
            covered = tail.end()
            continue
        yield _single(lowered, item, item.interval, word, start)


def _range(lowered: str, item: Item, following: Item | None, word: str) -> Interval | None:
    if following is None or following.interval is None:
        return None
    connector = _CONNECTOR.fullmatch(lowered, item.end, following.start)
    if not connector or ("and" in connector.group() and word != "between"):
        return None
    first = item.interval
    end = following.interval
    if first is None and end.end is not None:  # "April to September 1932"
        year = end.end.year
        date = CalendarDate(year, item.month)
        first = Interval(date, date)
    return None if first is None else _bounded(first, end)


def _bounded(first: Interval, last: Interval) -> Interval | None:
    joined = Interval(first.start, last.end)
    return None if joined.backwards else joined


def _tailed(interval: Interval, tail: re.Match[str]) -> Interval | None:
    if tail["open"]:
        return Interval(interval.start, None)
    start = interval.start
    if start is None or start.month or interval.end != start:
        return None
    return short_range(start, int(tail["short"]))


def _single(lowered: str, item: Item, interval: Interval, word: str, start: int) -> TimeSpan:
    kind, bounded = bounded_by(word, interval)
    written = lowered[item.start : item.end]
    bare = not word and _BARE.fullmatch(written) is not None
    return TimeSpan(kind, bounded, start, item.end, kind != "date" or not bare)


def bounded_by(word: str, interval: Interval) -> tuple[Kind, Interval]:
    """What kind of time a date is behind a word that leads to it, and which stretch that means:
    "since" is open to the right."""
    kind = _KIND_OF.get(word, "date")
    bounds: dict[Kind, Interval] = {
        "since": Interval(interval.start, None),
        "after": Interval(interval.end, None),
        "until": Interval(None, interval.end),
        "before": Interval(None, interval.start),
    }
    return kind, bounds.get(kind, interval)

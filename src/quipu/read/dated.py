"""The day on which a document says that it was written.

Minutes, notes and records of decisions say of which day they are, and speak as of it: in their
front matter, in the name of the file, in a heading or a line of their first ones. The time of the
file is that of a copy, and that of a commit the day on which a whole folder was taken in.
"""

import re
from pathlib import PurePosixPath

from quipu.records.record import Properties
from quipu.records.role import role_of
from quipu.when import find_spans
from quipu.when.instants import parse_instant
from quipu.when.intervals import iso, read_iso

__all__ = ["written_on"]

_KEYS = ("updated", "last_updated", "modified", "date")
_NAME = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)")
_FIRST_LINES, _LONGEST = 6, 100
_LINE = re.compile(
    r"\s*(?:#{1,6}\s|[*_]{0,2}(?:date|day|(?:last )?updated|written|held|as of|minutes of)\b)",
    re.IGNORECASE,
)


def written_on(path: str, text: str, properties: Properties, *, until: str) -> str:
    """The instant (ISO 8601) at which the day begins that a document names as its own; "" where it
    names none, or one that is later than `until`, the time of its file. What tells of many days, a
    list of changes, names none."""
    if role_of(path, code=False) == "changelog":
        return ""
    kept = next((_day_of(properties[key]) for key in _KEYS if key in properties), "")
    day = kept or _of_name(PurePosixPath(path).name) or _of_first_lines(text)
    return instant if day and (instant := parse_instant(day)) <= until else ""


def _of_name(name: str) -> str:
    found = _NAME.search(name)
    day = read_iso(f"{found[1]}-{found[3]}-{found[4]}") if found else None
    return iso(day) if day is not None else ""


def _of_first_lines(text: str) -> str:
    """Of the first heading, or line that says so, that names one day."""
    lines = [line for line in text[: _FIRST_LINES * _LONGEST].splitlines() if line.strip()]
    named = (_day_of(line) for line in lines[:_FIRST_LINES] if _LINE.match(line[:_LONGEST]))
    return next(filter(None, named), "")


def _day_of(value: object) -> str:
    """The one day that a value names."""
    days = {
        iso(at)
        for span in find_spans(str(value)[:_LONGEST])
        if span.dated and (at := span.interval.start) is not None and at.month and at.day
    }
    return days.pop() if len(days) == 1 else ""

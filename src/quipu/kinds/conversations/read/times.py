"""The time of a turn, in the ways transcripts write it."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from quipu.errors import InvalidInput
from quipu.kinds.conversations.read.values import shown
from quipu.when import find_spans
from quipu.when.instants import UNKNOWN_TIME, from_epoch, instant, parse_instant

__all__ = ["read_time"]

_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap])?\.?(?:m\b)?")
_JOINED = re.compile(r"(?<=[a-z])-(?=\d)|(?<=\d)-(?=[a-z]|\d{4}\b)", re.IGNORECASE)  # March-15-2024
_DIGITS = re.compile(r"(?<![\d./-])(\d{4})[./-](\d{1,2})[./-](\d{1,2})(?!\d)")  # 2024.1.7
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}T")
_ZONED = re.compile(r"(?:\s[+-]\d{4}|GMT|UTC)(?: \(\w+\))?$")
_MILLISECONDS, _MICROSECONDS = 1e11, 1e14
_EARLIEST = 1e8  # March 1973: a smaller number stands for no time, or counts from elsewhere
_LONGEST = 100


def read_time(value: object) -> str:
    """`value` as an instant: seconds, milliseconds or microseconds since 1970, ISO, a mail date,
    or a date in English with or without a time of day; UNKNOWN_TIME for nothing.

    A date without a zone is UTC. Raises InvalidInput for anything else, so for a number that lies
    before any message: -1, 0, seconds from the beginning of a recording.
    """
    if value is None or value == "":
        return UNKNOWN_TIME
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise InvalidInput(f"the time {shown(value)} is no date")
    try:
        return _from_text(value)
    except (OverflowError, OSError) as error:  # a zone moves it out of the years 1 to 9999
        raise InvalidInput(f"the time {shown(value)} is no date") from error


def _from_number(value: float) -> str:
    if value < _EARLIEST:
        raise InvalidInput(
            f"the time {shown(value)} is no date: a number counts seconds since 1970, and no "
            "message is that old"
        )
    try:
        seconds = float(value)
        if abs(seconds) >= _MICROSECONDS:
            seconds /= 1e6
        elif abs(seconds) >= _MILLISECONDS:
            seconds /= 1e3
        return from_epoch(seconds)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(f"the time {shown(value)} is no date") from error


def _from_text(value: str) -> str:
    try:
        return parse_instant(value)
    except InvalidInput:
        pass
    mailed = _ZONED.search(value)
    found = _mail_date(value) if mailed else _written(value)
    if found is None:
        raise InvalidInput(f"the time {shown(value)} is no date")
    return instant(found)


def _written(text: str) -> datetime | None:
    """A date in English or in digits, with the time of day beside it."""
    if _ISO.match(text):
        return None  # an instant that could not be read is no date
    digits = _DIGITS.sub(lambda m: f"{m[1]}-{m[2]:0>2}-{m[3]:0>2}", text)
    found = (span.interval.start for span in find_spans(_JOINED.sub(" ", digits.replace("/", "-"))))
    day = next((start for start in found if start is not None and start.day), None)
    if day is None:
        return None
    try:
        return datetime(day.year, day.month, day.day, *_clock(text.lower()), tzinfo=UTC)
    except ValueError as error:
        raise InvalidInput(f"the time {shown(text)} does not exist") from error


def _clock(text: str) -> tuple[int, int, int]:
    match = _CLOCK.search(text)
    if match is None:
        return 0, 0, 0
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if match[4]:
        hour = hour % 12 + (12 if match[4] == "p" else 0)
    return hour, minute, second


def _mail_date(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None

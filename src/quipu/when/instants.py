"""Instants: UTC, RFC 3339, always 24 characters, so that text order is time order."""

from collections.abc import Callable
from datetime import UTC, datetime

from quipu.errors import InvalidInput

Clock = Callable[[], str]
"""Gives the present instant; the clock is always an argument, never read inside a rule."""

UNKNOWN_TIME = "0001-01-01T00:00:00.000Z"
"""Stands where a source has no known time; it sorts before every real instant."""


def instant(moment: datetime) -> str:
    """`moment` as an instant in UTC with milliseconds; a naive one is taken as UTC."""
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def from_epoch(seconds: float) -> str:
    """The instant that lies `seconds` after 1970; InvalidInput outside the years 1 to 9999."""
    try:
        return instant(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(
            f"{seconds!r} seconds after 1970 is no moment of the years 1 to 9999: give seconds, "
            "not milliseconds, or a date"
        ) from error


def to_epoch(text: str) -> float:
    """Seconds from 1970 to the instant `text`; negative before."""
    return datetime.fromisoformat(text).timestamp()


def parse_instant(text: str) -> str:
    """`text` (any ISO-8601 date or date-time) as an instant; a bare date is its midnight."""
    try:
        return instant(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{text!r} is not a date: write it as 2026-01-31 or 2026-01-31T08:00:00Z"
        ) from error


def system_clock() -> str:
    """The present instant by the machine's clock."""
    return instant(datetime.now(UTC))

"""Instants: UTC, RFC 3339, always 24 characters, so that text order is time order."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from quipu.errors import InvalidInput

Clock = Callable[[], str]
"""Gives the present instant; the clock is always an argument, never read inside a rule."""

UNKNOWN_TIME = "0001-01-01T00:00:00.000Z"
"""Stands where a source has no known time; it sorts before every real instant."""

_MIDNIGHT = "T00:00:00.000Z"
_EARLIEST = "1000-01-01T00:00:00.000Z"
_A_DAY = timedelta(days=1)


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
    except (ValueError, OverflowError, AttributeError) as error:  # a caller may give a number
        raise InvalidInput(
            f"{text!r} is not a date: write it as 2026-01-31 or 2026-01-31T08:00:00Z"
        ) from error


def observed_instant(text: str | None, now: str) -> str:
    """`text` as the instant at which something was observed, `now` for None. Raises InvalidInput
    for what is no date, for one more than a day ahead of `now` and for one before the year 1000,
    which is a year that lacks digits."""
    if text is None:
        return now
    moment = parse_instant(text)
    if is_ahead(moment, now):
        raise InvalidInput(
            f"{text!r} lies ahead of the clock ({now}): nothing can have been observed then; give "
            "the date on which it was said"
        )
    if moment < _EARLIEST:
        raise InvalidInput(
            f"{text!r} lies before the year 1000: write all digits of the year, or leave the date "
            "out"
        )
    return moment


def expiry_instant(text: str, now: str) -> str:
    """`text` as the instant from which something is void. Raises InvalidInput for what is no date,
    and for one that has passed."""
    moment = parse_instant(text)
    if moment <= now:
        raise InvalidInput(f"expires {text!r} has passed (it is {now}): give a later date")
    return moment


def is_ahead(moment: str, now: str) -> bool:
    """Whether an instant lies more than a day after `now`: less is a zone that was left out."""
    return datetime.fromisoformat(moment) - datetime.fromisoformat(now) > _A_DAY


def system_clock() -> str:
    """The present instant by the machine's clock."""
    return instant(datetime.now(UTC))


def past_midnight(instant: str) -> str:
    """The time of a file or a commit, which names no day: one that begins a day is told from a day
    by a millisecond."""
    return f"{instant[:-2]}1Z" if begins_day(instant) else instant


def begins_day(instant: str) -> bool:
    """Whether an instant is the beginning of a day, as the times of texts are that name their day
    and no hour; an unknown time is none."""
    return instant.endswith(_MIDNIGHT) and instant != UNKNOWN_TIME

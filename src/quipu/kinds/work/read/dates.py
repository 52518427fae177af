"""Dates of work, as precisely as they were written."""

import re
from datetime import date

from quipu.errors import InvalidInput
from quipu.read.fields import instant_of
from quipu.when.instants import parse_instant

__all__ = ["begin_of", "date_of"]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def date_of(value: object) -> str:
    """A day as it is, anything finer (or seconds from 1970) as an instant; InvalidInput for what
    is no date."""
    if isinstance(value, str) and _DAY.fullmatch(value.strip()):
        try:
            return date.fromisoformat(value.strip()).isoformat()
        except ValueError as error:
            raise InvalidInput(f"{value!r} is no day of the calendar ({error}): mend it") from error
    return instant_of(value)


def begin_of(written: str) -> str:
    """The first instant of a date that `date_of` gave."""
    return parse_instant(written)

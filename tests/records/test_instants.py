"""Instants at the edges of the calendar."""

import pytest

from quipu.errors import InvalidInput
from quipu.when.instants import from_epoch, parse_instant


@pytest.mark.parametrize(
    "text",
    ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-01:00", "garbage", "", "2012-13-01"],
)
def test_what_is_no_instant_is_said(text: str) -> None:
    with pytest.raises(InvalidInput, match="is not a date"):
        parse_instant(text)


@pytest.mark.parametrize("seconds", [float("inf"), float("nan"), 1e20, -1e20, 2.6e11])
def test_seconds_outside_the_calendar_are_said(seconds: float) -> None:
    with pytest.raises(InvalidInput, match="no moment"):
        from_epoch(seconds)

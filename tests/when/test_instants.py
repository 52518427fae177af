"""When something can have been observed."""

import pytest

from quipu.errors import InvalidInput
from quipu.when.instants import observed_instant

NOW = "2026-05-20T10:00:00.000Z"


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1066-10-14", "1066-10-14T00:00:00.000Z"),
        ("2026-05-20T12:00:00+02:00", NOW),
        ("2026-05-21", "2026-05-21T00:00:00.000Z"),  # somewhere it is tomorrow already
    ],
)
def test_the_instant_of_an_observation(text: str, instant: str) -> None:
    assert observed_instant(text, NOW) == instant


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a date"),
        ("9999-12-31", "ahead of the clock"),
        ("2026-05-22", "ahead of the clock"),
        ("0001-01-01", "all digits of the year"),
        ("0026-05-20", "all digits of the year"),
    ],
)
def test_what_nobody_can_have_observed_is_refused(text: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=f"{text!r}.* {why}"):
        observed_instant(text, NOW)

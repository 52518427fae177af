"""Times of which a part is left out, seen from when they are told."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.when import find_partial, read_question_time
from quipu.when.dates import MONTH_NAMES
from quipu.when.intervals import iso

NOW = "2026-03-10T10:00:00.000Z"


@pytest.mark.parametrize(
    ("text", "kind", "start", "end"),
    [
        ("I live in Oslo since September.", "since", "2025-09", None),
        ("It has been so since March.", "since", "2026-03", None),
        ("Kept so since the 4th of February.", "since", "2026-02-04", None),
        ("I work there from August.", "since", "2026-08", None),
        ("I work there from February.", "since", "2026-02", None),
        ("On leave until 4 April.", "until", None, "2026-04-04"),
        ("On leave until February.", "until", None, "2027-02"),
        ("We moved in May.", "date", "2025-05", "2025-05"),
        ("We moved on May 4th.", "date", "2025-05-04", "2025-05-04"),
        ("He was born on 29 February.", "date", "2024-02-29", "2024-02-29"),
        ("I'm in Rome until the 14th.", "until", None, "2026-03-14"),
        ("I'm in Rome until the 9th.", "until", None, "2026-04-09"),
        ("Broken since the 31st.", "since", "2026-01-31", None),
        ("Karl is away until Sunday.", "until", None, "2026-03-15"),
        ("Broken since Monday.", "since", "2026-03-09", None),
        ("I'm off from Monday.", "since", "2026-03-16", None),
        ("Mia is here till the end of the month.", "until", None, "2026-03"),
        ("I'm here until the end of May.", "until", None, "2026-05"),
        ("I've lived here for ten years.", "range", "2016", "2026-03-10"),
        ("It has been so for the last 3 months.", "range", "2025-12", "2026-03-10"),
    ],
)
def test_the_year_is_that_which_is_meant(
    text: str, kind: str, start: str | None, end: str | None
) -> None:
    (span,) = find_partial(text, now=NOW)
    interval = span.interval
    assert span.kind == kind
    assert (interval.start and iso(interval.start), interval.end and iso(interval.end)) == (
        start,
        end,
    )


@pytest.mark.parametrize(
    "text",
    [
        "We moved in May 2024.",  # has its year
        "The fair runs from 4 May to 11 June.",  # a stretch, of any year
        "The call moved from May to June.",
        "We are open from Monday to Friday.",
        "We meet on Mondays.",
        "Logs are kept for fourteen days.",
        "On 31 April nothing happens.",
        "May leads the team.",
        "nothing of the kind",
    ],
)
def test_what_has_a_year_or_is_a_stretch_is_none(text: str) -> None:
    assert find_partial(text, now=NOW) == []


@given(
    now=st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 1, 1)),
    month=st.sampled_from(sorted(MONTH_NAMES)),
)
def test_since_has_begun_and_until_has_not_ended(now: date, month: str) -> None:
    instant = f"{now.isoformat()}T10:00:00.000Z"
    (since,) = find_partial(f"so since {month}", now=instant)
    (until,) = find_partial(f"so until {month}", now=instant)
    this = now.year * 12 + now.month - 1
    assert since.interval.first is not None
    assert until.interval.last is not None
    assert this - 12 < since.interval.first <= this
    assert this <= until.interval.last < this + 12


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("What did the hall cost in June?", "2025-06"),
        ("What is on 3 May?", "2025-05-03"),
        ("What happens in June?", None),
    ],
)
def test_a_question_about_what_was_means_the_last(question: str, start: str | None) -> None:
    time = read_question_time(question, now=NOW)
    begin = time.interval.start if time.interval else None
    assert (iso(begin) if begin else None) == start

"""Times of which a part is left out, seen from when they are told."""

import pytest
from tests.rows import rows

from quipu.when import find_partial, read_question_time
from quipu.when.intervals import iso

NOW = "2026-03-10T10:00:00.000Z"


@pytest.mark.parametrize(
    ("text", "kind", "start", "end"),
    rows(__file__, "the_year_is_that_which_is_meant"),
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
    rows(__file__, "what_has_a_year_or_is_a_stretch_is_none"),
)
def test_what_has_a_year_or_is_a_stretch_is_none(text: str) -> None:
    assert find_partial(text, now=NOW) == []


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

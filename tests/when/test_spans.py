"""Times in a text: which stretch, which characters, and never an exception."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.rows import rows

from quipu.when import fact_dates, find_spans, read_question_time
from quipu.when.intervals import CalendarDate, Interval, calendar_date, days_in, iso, shown

NOW = "2026-05-20T10:00:00.000Z"


_PIECES = (
    "from between until since before to and - – until till in the 1990 2001 05 12 12 1995 May "
    "May, yesterday today now present winter last last early 1990s 1990-95 2018/19 Q3 , . ("
).split()


@given(st.lists(st.sampled_from(_PIECES), max_size=9), st.sampled_from([None, NOW]))
@example(["1995", "to", "12", "May", "1990"], None)
@example(["1995", "to", "today"], NOW)
def test_times_never_overlap(pieces: list[str], now: str | None) -> None:
    spans = find_spans(" ".join(pieces), now=now)
    assert all(span.start < span.end for span in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))


@pytest.mark.parametrize(
    ("text", "now", "start", "end"), rows(__file__, "the_season_that_came_last_is_over")
)
def test_the_season_that_came_last_is_over(text: str, now: str, start: str, end: str) -> None:
    (span,) = find_spans(text, now=now)
    assert _bounds(span.interval) == (start, end)


def _bounds(interval: Interval) -> tuple[str | None, str | None]:
    return (interval.start and iso(interval.start), interval.end and iso(interval.end))


@pytest.mark.parametrize(
    ("text", "kind", "start", "end"),
    rows(__file__, "a_time_is_read"),
)
def test_a_time_is_read(text: str, kind: str, start: str | None, end: str | None) -> None:
    (span,) = find_spans(text)
    assert (span.kind, *_bounds(span.interval)) == (kind, start, end)


@pytest.mark.parametrize(
    "text",
    rows(__file__, "what_is_no_time_is_left_alone"),
)
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert [s for s in find_spans(text) if s.interval.start and s.interval.start.day] == []
    assert not any(s.dated and s.interval.start != CalendarDate(2010) for s in find_spans(text))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    rows(__file__, "relative_times_are_seen_from_the_clock"),
)
def test_relative_times_are_seen_from_the_clock(text: str, start: str, end: str) -> None:
    (span,) = find_spans(text, now=NOW)
    assert _bounds(span.interval) == (start, end)
    assert find_spans(text) == []


def test_a_stated_end_is_kept_and_a_date_lasts_until_the_next() -> None:
    (stated,) = find_spans("from Jan 2006 to Jan 2015")
    (alone,) = find_spans("in 2005")
    (december,) = find_spans("on 31 December 1999")
    assert fact_dates(stated) == ("2006-01", "2015-01")
    assert fact_dates(alone) == ("2005", "2006")
    assert fact_dates(december) == ("1999-12-31", "2000-01-01")


@st.composite
def _dates(draw: st.DrawFn) -> CalendarDate:
    year = draw(st.integers(1500, 2099))
    month = draw(st.integers(0, 12))
    day = draw(st.integers(0, days_in(year, month))) if month else 0
    date = calendar_date(year, month, day)
    assert date is not None
    return date


@given(_dates(), _dates())
def test_what_is_shown_is_read_again(one: CalendarDate, other: CalendarDate) -> None:
    interval = Interval(one, other)
    if interval.backwards:
        interval = Interval(other, one)
    if interval.backwards:  # two dates of different precision in one month
        interval = Interval(one, one)
    for each in (interval, Interval(one, None), Interval(None, one), Interval(one, one)):
        (span,) = find_spans(f"It was so {shown(each)}.")
        assert span.interval == each


@given(st.text(max_size=300), st.sampled_from([None, NOW, "0001-01-01T00:00:00.000Z"]))
def test_no_text_raises(text: str, now: str | None) -> None:
    spans = find_spans(text, now=now)
    assert all(0 <= s.start < s.end <= len(text) for s in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    read_question_time(text, now=now)


@pytest.mark.parametrize(
    ("text", "written", "start"), rows(__file__, "dates_are_read_as_other_languages_write_them")
)
def test_dates_are_read_as_other_languages_write_them(text: str, written: str, start: str) -> None:
    (span,) = find_spans(text)
    assert text[span.start : span.end] == written
    assert span.interval.start is not None
    assert iso(span.interval.start) == start

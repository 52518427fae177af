"""Times in a text: which stretch, which characters, and never an exception."""

import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

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
    ("text", "now", "start", "end"),
    [
        ("last winter", "2026-01-15T10:00:00.000Z", "2024-12", "2025-02"),
        ("last winter", "2026-02-28T10:00:00.000Z", "2024-12", "2025-02"),
        ("last winter", "2026-03-01T10:00:00.000Z", "2025-12", "2026-02"),
        ("last winter", "2026-12-01T10:00:00.000Z", "2025-12", "2026-02"),
        ("this winter", "2026-01-15T10:00:00.000Z", "2025-12", "2026-02"),
        ("next winter", "2026-01-15T10:00:00.000Z", "2026-12", "2027-02"),
        ("last december", "2026-01-15T10:00:00.000Z", "2025-12", "2025-12"),
        ("last spring", "2026-04-15T10:00:00.000Z", "2025-03", "2025-05"),
    ],
)
def test_the_season_that_came_last_is_over(text: str, now: str, start: str, end: str) -> None:
    (span,) = find_spans(text, now=now)
    assert _bounds(span.interval) == (start, end)


def _bounds(interval: Interval) -> tuple[str | None, str | None]:
    return (interval.start and iso(interval.start), interval.end and iso(interval.end))


@pytest.mark.parametrize(
    ("text", "kind", "start", "end"),
    [
        ("in 1990", "date", "1990", "1990"),
        ("in Jun, 1970", "date", "1970-06", "1970-06"),
        ("on 5 May 2010", "date", "2010-05-05", "2010-05-05"),
        ("on May 5th, 2010", "date", "2010-05-05", "2010-05-05"),
        ("on the 3rd of March 1999", "date", "1999-03-03", "1999-03-03"),
        ("Sept. 2004", "date", "2004-09", "2004-09"),
        ("2024-02-29", "date", "2024-02-29", "2024-02-29"),
        ("at 2024-02-29T12:00:00Z", "date", "2024-02-29", "2024-02-29"),
        ("29.12.2023", "date", "2023-12-29", "2023-12-29"),
        ("25/12/2023", "date", "2023-12-25", "2023-12-25"),
        ("04/05/2023", "date", "2023", "2023"),  # whose order is it? the year is certain
        ("the 1990s", "date", "1990", "1999"),
        ("in the 1800s", "date", "1800", "1899"),
        ("the 19th century", "date", "1801", "1900"),
        ("the nineteenth century", "date", "1801", "1900"),
        ("in spring 2003", "date", "2003-03", "2003-05"),
        ("in winter 2003", "date", "2003-12", "2004-02"),
        ("Q3 2024", "date", "2024-07", "2024-09"),
        ("in early 1990", "date", "1990-01", "1990-04"),
        ("mid-1990", "date", "1990-05", "1990-08"),
        ("the late 1990s", "date", "1996-09", "1999-12"),
        ("from Jan, 2006 to Jan, 2015", "range", "2006-01", "2015-01"),
        ("between 1990 and 1995", "range", "1990", "1995"),
        ("between the years 1975 and 1982", "range", "1975", "1982"),
        ("1916-1920", "range", "1916", "1920"),
        ("1916–20", "range", "1916", "1920"),
        ("from 1998 to 03", "range", "1998", "2003"),
        ("the season 2010-11", "date", "2010", "2011"),
        ("the season 2018/19", "date", "2018", "2019"),
        ("from April to September 1932", "range", "1932-04", "1932-09"),
        ("from 2001 to the present", "since", "2001", None),
        ("from 2001 until now", "since", "2001", None),
        ("since March 2003", "since", "2003-03", None),
        ("as of 2024-03-01", "since", "2024-03-01", None),
        ("after 2003", "after", "2003", None),
        ("before 2003", "before", None, "2003"),
        ("until May 2010", "until", None, "2010-05"),
        ("by 1999", "until", None, "1999"),
        ("in 839?", "date", "0839", "0839"),
    ],
)
def test_a_time_is_read(text: str, kind: str, start: str | None, end: str | None) -> None:
    (span,) = find_spans(text)
    assert (span.kind, *_bounds(span.interval)) == (kind, start, end)


@pytest.mark.parametrize(
    "text",
    [
        "we may go",
        "march on",
        "31 February 2010 is not reached",
        "1500 people came",
        "2000 km away",
        "it cost $1999",
        "version 1.2010.3",
        "1024 of them",
        "v2019x",
        "13:45",
        "2024-13-40",
    ],
)
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert [s for s in find_spans(text) if s.interval.start and s.interval.start.day] == []
    assert not any(s.dated and s.interval.start != CalendarDate(2010) for s in find_spans(text))


def test_and_counts_only_after_between() -> None:
    assert [s.kind for s in find_spans("in 1990 and 1995")] == ["date", "date"]


def test_a_range_that_ends_before_it_begins_is_two_dates() -> None:
    assert [s.kind for s in find_spans("from 1985 to 1848")] == ["since", "date"]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("yesterday", "2026-05-19", "2026-05-19"),
        ("three weeks ago", "2026-04-26", "2026-05-02"),
        ("2 months ago", "2026-03", "2026-03"),
        ("last spring", "2025-03", "2025-05"),
        ("last winter", "2025-12", "2026-02"),
        ("last year", "2025", "2025"),
        ("this quarter", "2026-04", "2026-06"),
        ("last Monday", "2026-05-18", "2026-05-18"),
        ("next Friday", "2026-05-22", "2026-05-22"),
        ("last March", "2026-03", "2026-03"),
        ("in the last two years", "2024", "2026-05-20"),
    ],
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
    "unit", ["from ", "1990 to ", "1", " ", "may ", "before 1990 after ", "early mid ", "1.1.1990/"]
)
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    def seconds(size: int) -> float:
        text = (unit * size)[:size]
        start = time.process_time()
        find_spans(text, now=NOW)
        return time.process_time() - start

    seconds(1000)
    assert seconds(100_000) < max(40 * seconds(10_000), 2.0)

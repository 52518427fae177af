"""Arithmetic on stretches of time."""

from quipu.when.intervals import (
    CalendarDate,
    Interval,
    gap,
    overlap,
    touches,
)


def _years(first: int, last: int) -> Interval:
    return Interval(CalendarDate(first), CalendarDate(last))


def test_days_decide_where_both_sides_name_them() -> None:
    early = Interval(CalendarDate(2020, 3, 1), CalendarDate(2020, 3, 4))
    late = Interval(CalendarDate(2020, 3, 5), None)
    month = Interval(CalendarDate(2020, 3), CalendarDate(2020, 3))
    assert not overlap(early, late)
    assert overlap(early, month)
    assert overlap(month, late)


def test_touching_is_sharing_an_edge() -> None:
    first = Interval(CalendarDate(2000, 1), CalendarDate(2005, 1))
    second = Interval(CalendarDate(2005, 1), CalendarDate(2009, 1))
    assert touches(first, second)
    assert touches(first, Interval(CalendarDate(2005, 1), CalendarDate(2005, 1)))
    assert not touches(first, _years(2003, 2003))
    # What lasts one month is not merely touched in it.
    month = Interval(CalendarDate(2005, 1), CalendarDate(2005, 1))
    assert not touches(month, month)


def test_gaps_count_months_and_are_negative_in_an_overlap() -> None:
    assert gap(_years(1990, 1999), _years(2000, 2001)) == 1
    assert gap(_years(1990, 1999), _years(1998, 2001)) == -23
    assert gap(Interval(CalendarDate(1990), None), _years(2000, 2001)) is None

"""The times of a passage: packed at write time, held against an asked time."""

import numpy as np
import pytest

from quipu.index.columns import pack, tail, unpack
from quipu.index.times import (
    Months,
    asked_months,
    length_share,
    measure_times,
    misfit,
    pack_times,
    read_times,
    time_fit,
)
from quipu.question import read_question


def fit(asked: str, text: str) -> float:
    months = asked_months(read_question(asked))
    assert months is not None
    return time_fit(months, read_times(pack_times("", text)).months)


def test_the_tail_stands_behind_names_and_is_found_again() -> None:
    times = pack_times("The House", "Built in 1794, sold in March 1811.")
    blob = pack([(0, "built")], [("house", 0, 5), ("the mill", 6, 9)], times)
    assert tail(blob) == times
    assert unpack(blob).keys == ("house", "the mill")
    assert [tuple(row) for row in read_times(tail(blob)).months.tolist()] == [
        (1794 * 12, 1794 * 12 + 11),
        (1811 * 12 + 2, 1811 * 12 + 2),
    ]


def test_one_title_has_one_hash_however_it_is_written() -> None:
    titles = [read_times(pack_times(title, "")).title for title in ("The House", "THE HOUSE", "A")]
    assert titles[0] == titles[1] != titles[2]
    assert read_times(pack_times("", "in 1999")).title == 0


@pytest.mark.parametrize(
    ("question", "months"),
    [
        ("Who owned the house from 1811 to 1827?", (1811 * 12, 1827 * 12 + 11)),
        ("Who owned the house in March 1811?", (1811 * 12 + 2, 1811 * 12 + 2)),
        ("Who owned the house since 1811?", (1811 * 12, 1811 * 12)),
        ("Who owned the house?", None),
        ("Who owned the house before Ada Brown?", None),
    ],
)
def test_the_asked_time_is_read(question: str, months: tuple[int, int] | None) -> None:
    assert asked_months(read_question(question)) == months


def test_the_nearer_the_time_the_better_it_fits() -> None:
    question = "Who owned the house from 1811 to 1827?"
    exact = fit(question, "George Peter owned it from 1811 to 1827.")
    inside = fit(question, "It was repaired in 1815.")
    near = fit(question, "It was sold in 1830.")
    far = fit(question, "It was sold in 1950.")
    none = fit(question, "It was sold.")
    assert exact == pytest.approx(1.0)
    assert exact > inside > near > far > none == 0.0


def test_without_any_time_among_them_candidates_are_not_judged_by_it() -> None:
    tails = [pack_times("A", "no time"), pack_times("B", "none either")]
    base, words = np.array([1.0, 0.5]), np.array([3, 3], dtype=np.int32)
    assert measure_times(Months(0, 11), tails, base, words) is None


def test_what_fits_in_every_way_loses_nothing() -> None:
    assert misfit(1.0, 1.0, 1.0) == 0.0
    assert misfit(0.0, 1.0, 1.0) > misfit(0.5, 1.0, 1.0) > 0.0
    assert length_share(0) == 0.0
    assert length_share(10_000) == 1.0

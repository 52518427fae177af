"""The time in a question."""

import pytest
from tests.rows import rows

from quipu.question import read_question
from quipu.when import read_question_time
from quipu.when.intervals import iso


def test_a_date_is_taken_out() -> None:
    time = read_question_time("Who was the chair of the Order in Jun, 1970?")
    assert (time.kind, time.base) == ("at", "Who was the chair of the Order ?")
    assert time.interval is not None
    assert time.interval.start is not None
    assert iso(time.interval.start) == "1970-06"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Where did I live in February 2025?", "Where did I live ?"),
        ("Who won before 2024?", "Who won ?"),
        ("Where do I live?", "Where do I live?"),
        ("in May 2024", "in May 2024"),
    ],
)
def test_a_text_is_read_without_its_dates(text: str, bare: str) -> None:
    assert read_question(text).undated.text == bare


@pytest.mark.parametrize(
    ("question", "month"),
    [
        ("Who owned billing in September?", "2026-09"),
        ("Which team ran the sweep in March?", "2026-03"),
        ("Who is on call in September?", None),
        ("What will be due in March?", None),
        ("Who owns billing every May?", None),
        ("What did we do in May?", "2026-05"),
        ("Do you know who was on call in September?", "2026-09"),
        ("Where does Ana go in June?", None),
        ("What would we ship in March?", None),
        ("What to plant in May?", None),
        ("Who may approve in May?", None),
        ("What changed in the March release?", None),
        ("deadlines in December", None),
    ],
)
def test_a_month_without_its_year_is_the_last_one_unless_it_is_to_come(
    question: str, month: str | None
) -> None:
    time = read_question_time(question, now="2026-11-29T10:00:00Z")
    start = time.interval.start if time.interval else None
    assert (start and iso(start)) == month


@pytest.mark.parametrize(
    ("question", "kind", "base", "anchor"),
    rows(__file__, "a_place_beside_another_fact"),
)
def test_a_place_beside_another_fact(question: str, kind: str, base: str, anchor: str) -> None:
    time = read_question_time(question)
    assert (time.kind, time.base, time.anchor) == (kind, base, anchor)


@pytest.mark.parametrize(
    "question",
    [
        "Who was president from 2018 to 2019 before being put under arrest?",
        "From 1889 to 1892, the square was named after whom?",
        "Who led Acme before 2003?",
        "Who led Acme after May 1990?",
    ],
)
def test_dates_decide_where_they_are_named(question: str) -> None:
    assert read_question_time(question).kind == "at"

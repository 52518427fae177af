"""How likely lines answer."""

from quipu.answer.reader import Candidate, Reader

_LINES = [
    Candidate("Tea costs two euros.", "menu.md › Prices"),
    Candidate("Coffee is a little more expensive.", "menu.md › Prices"),
    Candidate("The till opens at nine.", "till.md"),
]


def test_the_line_that_answers_is_the_likeliest() -> None:
    scores = Reader.open().scores("What does tea cost?", _LINES)
    assert max(scores) == scores[0]
    assert all(0 < score < 1 for score in scores)


def test_the_same_lines_are_scored_alike_every_time() -> None:
    first = Reader.open().scores("When does the till open?", _LINES)
    assert first == Reader.open().scores("When does the till open?", _LINES)
    assert max(first) == first[2]


def test_no_lines_no_scores() -> None:
    assert Reader.open().scores("What does tea cost?", []) == []

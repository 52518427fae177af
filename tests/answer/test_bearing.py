"""What a passage bears and what it does not, in varied wording: numbers with their nouns, sides,
order and denial."""

import pytest
from tests.rows import rows

from quipu.answer.by_model import supported
from quipu.answer.contradiction import in_numerals


@pytest.mark.parametrize(
    ("source", "sentence", "borne"),
    rows(__file__, "a_sentence_is_borne_by_what_says_the_same"),
)
def test_a_sentence_is_borne_by_what_says_the_same(source: str, sentence: str, borne: bool) -> None:
    assert supported(sentence, [("Notes", source)]) is borne


@pytest.mark.parametrize(
    ("text", "numerals"),
    [
        ("Three times, twice a day", "3 times, 2 times a day"),
        ("once per hour, once it is done", "1 times per hour, once it is done"),
        ("1,000,000 rows and 1_000 keys", "1000000 rows and 1000 keys"),
        ("the one that counts", "the one that counts"),
    ],
)
def test_numbers_are_read_in_digits(text: str, numerals: str) -> None:
    assert in_numerals(text) == numerals

"""What text says an acronym stands for."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import rows

from quipu.records.acronyms import find_definitions


@pytest.mark.parametrize(
    ("text", "long", "short"),
    rows(__file__, "a_definition_is_read"),
)
def test_a_definition_is_read(text: str, long: str, short: str) -> None:
    (found,) = find_definitions(text)
    assert (found.long, found.short) == (long, short)


@pytest.mark.parametrize(
    "text",
    rows(__file__, "what_is_no_definition_is_left"),
)
def test_what_is_no_definition_is_left(text: str) -> None:
    assert find_definitions(text) == []


@given(st.text("AB ab().\n&-", max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    for found in find_definitions(text):
        assert found.long in text
        assert found.short in text


def test_many_small_words_before_a_bracket_are_read_once() -> None:
    began = time.process_time()
    assert find_definitions("a " * 58 + "(ZAAAAAAAAA)") == []
    assert time.process_time() - began < 5  # where every choice of them is tried: days

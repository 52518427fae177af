"""What text says an acronym stands for."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.records.acronyms import find_definitions


@pytest.mark.parametrize(
    ("text", "long", "short"),
    [
        ("The Payment Service Team (PST) owns it.", "Payment Service Team", "PST"),
        ("Ask PST (Payment Service Team) first.", "Payment Service Team", "PST"),
        ("the Department of Defense (DoD) said", "Department of Defense", "DoD"),
        (
            "the National Aeronautics and Space Administration (NASA) flew",
            "National Aeronautics and Space Administration",
            "NASA",
        ),
        (
            "It is run by British Broadcasting Corporation (B.B.C.)",
            "British Broadcasting Corporation",
            "B.B.C.",
        ),
        ("Before. Core Support Team (CST) after", "Core Support Team", "CST"),
        ("University of California, Berkeley (UCB)", "University of California, Berkeley", "UCB"),
    ],
)
def test_a_definition_is_read(text: str, long: str, short: str) -> None:
    (found,) = find_definitions(text)
    assert (found.long, found.short) == (long, short)


@pytest.mark.parametrize(
    "text",
    [
        "The team (PST) owns it.",
        "Payment Service Team (planet)",
        "Payment Service. Team (PST)",
        "Payment (Service) Team (PST)",
        "our payment service team (PST)",
        "see Figure One (FO-2) and Part (P)",
        "Payment Service Team (PSX)",
        "PST (Payment Team)",
        "the Midland Railway (MR)",
        "the Support Team (ST)",
        "the World Health Order (WHO)",
        "f(X) and g(AB)",
        "Payment Service\n\nTeam (PST)",
        "",
        "((((",
    ],
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

"""What text says an acronym stands for."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.records.acronyms import find_definitions, without_acronym


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


def test_a_pair_is_told_once() -> None:
    text = "Core Support Team (CST) and Core Support Team (CST); Core Sales Team (CST)."
    assert [(d.long, d.start) for d in find_definitions(text)] == [
        ("Core Support Team", 0),
        ("Core Sales Team", text.index("Core Sales")),
    ]


@given(st.text("AB ab().\n&-", max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    for found in find_definitions(text):
        assert found.long in text
        assert found.short in text


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Payment Service Team (PST)", "Payment Service Team"),
        ("Mercury (planet)", "Mercury (planet)"),
        ("the Payment Service Team (PST)", "the Payment Service Team (PST)"),
        ("Porto", "Porto"),
    ],
)
def test_a_name_that_is_a_definition_is_its_long_name(name: str, plain: str) -> None:
    assert without_acronym(name) == plain


def test_many_small_words_before_a_bracket_are_read_once() -> None:
    began = time.process_time()
    assert find_definitions("a " * 58 + "(ZAAAAAAAAA)") == []
    assert time.process_time() - began < 5  # where every choice of them is tried: days

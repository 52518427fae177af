"""Statements read from text by rule: few, and right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import rows

from quipu.extract.statements import read_statements

NOW = "2026-05-20T10:00:00.000Z"
TODAY = "2026-05-20"


def _read(
    text: str, *, speaker: str = "", about: str = "", observed_at: str = NOW
) -> list[tuple[str, str, str, str | None, str | None]]:
    found = read_statements(text, about=about, speaker=speaker, observed_at=observed_at)
    return [(s.subject, s.predicate, s.object, s.valid_from, s.valid_to) for s in found]


@pytest.mark.parametrize(("text", "expected"), rows(__file__, "a_statement_is_read"))
def test_a_statement_is_read(
    text: str, expected: tuple[str, str, str, str | None, str | None]
) -> None:
    assert _read(text) == [expected]


def test_a_switch_ends_one_thing_and_begins_another() -> None:
    assert _read("We switched from MySQL to Postgres on 2024-03-01.") == [
        ("we", "uses", "MySQL", None, "2024-03-01"),
        ("we", "uses", "Postgres", "2024-03-01", None),
    ]


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "old", "new"),
    rows(__file__, "a_change_from_one_value_to_another_ends_the_first"),
)
def test_a_change_from_one_value_to_another_ends_the_first(
    text: str, subject: str, predicate: str, old: str, new: str
) -> None:
    assert _read(text) == [
        (subject, predicate, old, None, TODAY),
        (subject, predicate, new, TODAY, None),
    ]


def test_each_clause_of_a_sentence_may_say_something() -> None:
    assert _read("I live in Bergen and my favorite color is red.") == [
        ("user", "lives in", "Bergen", TODAY, None),
        ("user", "favorite color", "red", TODAY, None),
    ]


@pytest.mark.parametrize(
    "text",
    rows(__file__, "what_is_in_doubt_is_left_alone"),
)
def test_what_is_in_doubt_is_left_alone(text: str) -> None:
    assert _read(text) == []


def test_a_value_ends_where_the_speaker_goes_on() -> None:
    assert _read("I no longer prefer tabs, I prefer spaces.") == [
        ("user", "prefers", "tabs", None, TODAY)
    ]
    assert _read("I like tea, I live in Oslo.") == [("user", "likes", "tea", TODAY, None)]


@pytest.mark.parametrize("speaker", ["", "user", "Kit"])
@pytest.mark.parametrize(
    "text",
    [
        "We decided to use Redis.",
        "We switched from Redis to Valkey.",
        "We've migrated to Valkey.",
        "We replaced Redis with Valkey.",
        "We no longer use Redis.",
    ],
)
def test_what_we_do_is_said_of_us_whoever_speaks(text: str, speaker: str) -> None:
    assert {subject for subject, *_ in _read(text, speaker=speaker)} == {"we"}


@pytest.mark.parametrize(
    ("text", "who", "old", "new"),
    rows(__file__, "somebody_who_moves_between_places_lives_there"),
)
def test_somebody_who_moves_between_places_lives_there(
    text: str, who: str, old: str, new: str
) -> None:
    assert _read(text, speaker="Kit") == [
        (who, "lives in", old, None, "2026-03"),
        (who, "lives in", new, "2026-03", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I moved from Vim to Emacs.",
        "I moved from GitHub to Codeberg.",
        "I moved from Python2 to Python3.",
        "I moved from AWS to Hetzner.",
        "I switched from Vienna to Graz.",
        "We moved from Vienna to Graz.",
    ],
)
def test_what_is_no_move_of_one_person_between_places_is_a_switch(text: str) -> None:
    assert {predicate for _, predicate, *_ in _read(text, speaker="Kit")} == {"uses"}


def test_lines_of_key_and_value_are_said_of_the_document() -> None:
    text = "# Payments\n\n- Owner: team-blue\n- Status: live since March 2024\n- See: elsewhere\n"
    assert _read(text, about="Payments") == [
        ("Payments", "owner", "team-blue", None, None),
        ("Payments", "status", "live", "2024-03", None),
    ]
    assert _read(text) == []


def test_without_an_observation_the_present_is_undated() -> None:
    (found,) = read_statements("I prefer tea.")
    assert (found.valid_from, found.valid_to) == (None, None)
    # An ending that nobody can place ends nothing.
    assert read_statements("We no longer use Jenkins.") == []


def test_the_characters_are_those_of_the_sentence() -> None:
    text = "Ünrelated. Ada Brown was the chair of the Guild from 2006 to 2015. More."
    (found,) = read_statements(text)
    assert text[found.start : found.end].startswith("Ada Brown was")
    assert text[found.start : found.end].endswith("2015.")


_WORDS = st.sampled_from(
    "I we the our my moved from to was is now no longer use Ada Guild chair of 2006 2015 decided "
    "always never prefer like favorite color deadline $5 Owner: \n - , ; . since until".split(" ")
)


@given(st.lists(_WORDS, max_size=40))
def test_no_order_of_its_words_raises(words: list[str]) -> None:
    text = " ".join(words)
    for found in read_statements(text, about="Guild", observed_at=NOW):
        assert 0 <= found.start < found.end <= len(text)
        assert found.subject
        assert found.object


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    read_statements(text, about="x", observed_at=NOW)

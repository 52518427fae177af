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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Ada Brown was the chair of the Weavers' Guild from Jan 2006 to Jan 2015.",
            ("Weavers' Guild", "chair", "Ada Brown", "2006-01", "2015-01"),
        ),
        (
            "From 1990 to 1995, Bo Lind played for Alby F.C.",
            ("Bo Lind", "plays for", "Alby F.C.", "1990", "1995"),
        ),
        (
            "Cy Ott holds the position of Member of the 3rd Diet since May 2001.",
            ("Cy Ott", "holds the position of", "Member of the 3rd Diet", "2001-05", None),
        ),
        (
            "As of March 2024, the payments service is owned by Team Blue.",
            ("payments service", "is owned by", "Team Blue", "2024-03", None),
        ),
        (
            "The billing service uses MySQL since 2022.",
            ("billing service", "uses", "MySQL", "2022", None),
        ),
        (
            "Our staging cluster runs on Debian since May 2024.",
            ("staging cluster", "runs on", "Debian", "2024-05", None),
        ),
        ("Dee Fox joined Acme in 2019.", ("Dee Fox", "works for", "Acme", "2019", None)),
        ("Bo owns the payments service.", ("payments service", "is owned by", "Bo", TODAY, None)),
        ("The owner of billing is Dagny.", ("billing", "owner", "Dagny", TODAY, None)),
        (
            "Billing's owner is Dagny since 2024-03-01.",
            ("Billing", "owner", "Dagny", "2024-03-01", None),
        ),
        ("The api gateway is deployed on Nomad.", ("api gateway", "runs on", "Nomad", TODAY, None)),
        (
            "The mobile app does not support SSO.",
            ("mobile app", "not supports", "SSO", TODAY, None),
        ),
        ("The gateway used Nginx until May 2025.", ("gateway", "uses", "Nginx", None, "2025-05")),
        ("Ann stopped playing tennis.", ("Ann", "plays", "tennis", None, TODAY)),
        ("The deadline is 4 May 2027.", ("deadline", "value", "4 May 2027", TODAY, None)),
        ("The retry limit of the router is now 7.", ("router", "retry limit", "7", TODAY, None)),
        ("The retry limit has been raised to 7.", ("retry limit", "value", "7", TODAY, None)),
        ("I'm in Rome until 14 June 2026.", ("user", "is located in", "Rome", TODAY, "2026-06-14")),
        ("The user prefers dark mode.", ("user", "prefers", "dark mode", TODAY, None)),
        (
            "Bo is a member of the Guild since 2001.",
            ("Bo", "is a member of", "Guild", "2001", None),
        ),
        ("I'm vegetarian.", ("user", "diet", "vegetarian", TODAY, None)),
        (
            "Old Mill was owned by Eva Gray until 1950.",
            ("Old Mill", "is owned by", "Eva Gray", None, "1950"),
        ),
        ("I prefer tea over coffee.", ("user", "prefers", "tea over coffee", TODAY, None)),
        (
            "I don't like mushrooms because of the texture.",
            ("user", "not likes", "mushrooms", TODAY, None),
        ),
        ("My favourite color is now green.", ("user", "favourite color", "green", TODAY, None)),
        ("I moved to Bergen last spring.", ("user", "lives in", "Bergen", "2025-03", None)),
        ("I'm allergic to peanuts.", ("user", "is allergic to", "peanuts", TODAY, None)),
        ("I no longer work at Acme.", ("user", "works for", "Acme", None, TODAY)),
        ("My name is Kit.", ("user", "name", "Kit", TODAY, None)),
        ("I like never-ending stories.", ("user", "likes", "never-ending stories", TODAY, None)),
        ("I never drink coffee.", ("user", "not drinks", "coffee", TODAY, None)),
        ("We no longer use Jenkins.", ("we", "uses", "Jenkins", None, TODAY)),
        (
            "We decided to keep the old queue.",
            ("we", "decided", "keep the old queue", TODAY, None),
        ),
        (
            "Decision: ship behind a flag",
            ("we", "decided", "ship behind a flag", TODAY, None),
        ),
        ("Always answer in French.", ("user", "instructs", "Always answer in French", TODAY, None)),
        ("Our weekly budget is now $500.", ("weekly budget", "value", "$500", TODAY, None)),
    ],
)
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

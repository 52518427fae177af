"""What is taken back in the same breath, or corrected by the next who speaks."""

import pytest

from quipu.embed import MiniLM
from quipu.extract.statements import Spoken, Statement, read_statements

pytestmark = pytest.mark.model


def _read(encoder: MiniLM, text: str, *, speaker: str, spoken: Spoken) -> list[Statement]:
    return read_statements(
        text,
        speaker=speaker,
        observed_at="2026-05-01T10:00:00.000Z",
        layers=encoder.read,
        spoken=spoken,
    )


def test_a_value_that_is_taken_back_at_once_is_the_second(encoder: MiniLM) -> None:
    (read,) = _read(encoder, "Lina's shoe size is 31, sorry, 32.", speaker="Dana", spoken=Spoken())
    assert (read.subject, read.predicate, read.object) == ("Lina", "shoe size", "32")


def test_no_other_clause_stands_within_a_value(encoder: MiniLM) -> None:
    text = "I weigh 82 kilos, coach wants 78."
    (read,) = _read(encoder, text, speaker="Dana", spoken=Spoken())
    assert (read.predicate, read.object) == ("weighs", "82 kilos")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Kersand delivers on Mondays, no wait, on Wednesdays.", "Wednesdays"),
        ("Kersand delivers on Mondays, sorry, Wednesdays.", "Wednesdays"),
        ("The exam is on 5 May, sorry, 6 May.", "6 May"),
        ("The deadline is 4 June, no wait, the 11th of June.", "11th of June"),
        ("We meet on Mondays, no Tuesdays this month.", "Mondays"),
        ("I like tea, sorry, no milk.", "tea"),
    ],
)
def test_days_and_names_are_taken_back_too(encoder: MiniLM, text: str, value: str) -> None:
    (read,) = _read(encoder, text, speaker="Dana", spoken=Spoken())
    assert read.object == value


@pytest.mark.parametrize(
    "text",
    [
        "Someone said our rent is 1,500, which is nonsense.",
        "Ben said the limit is 40, which is wrong.",
        "Marta claims the release is on Friday, but that's not true.",
        "The wiki says the limit is 40. That's wrong.",
    ],
)
def test_what_is_denied_at_once_is_no_fact(encoder: MiniLM, text: str) -> None:
    assert _read(encoder, text, speaker="Dana", spoken=Spoken()) == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The wiki says the limit is 40. That's wrong, it's 50.", ["50"]),
        ("The limit is 40. That's right.", ["40"]),
        ("The limit is 40. Is that wrong?", ["40"]),
        ("The old answer is wrong. The limit is 40.", ["40"]),
    ],
)
def test_only_what_is_denied_is_taken_back(encoder: MiniLM, text: str, values: list[str]) -> None:
    read = _read(encoder, text, speaker="Dana", spoken=Spoken())
    assert [each.object for each in read] == values


@pytest.mark.parametrize("words", ["No, 4.", "Sorry, 4.", "I mean 4!", "Sorry, I meant 4."])
def test_a_correction_gives_the_last_thing_its_value(encoder: MiniLM, words: str) -> None:
    spoken = Spoken()
    _read(encoder, "The retry limit is 3.", speaker="Ann", spoken=spoken)
    (read,) = _read(encoder, words, speaker="Bob", spoken=spoken)
    assert (read.subject, read.predicate, read.object) == ("retry limit", "value", "4")
    assert read.rule == "change"


@pytest.mark.parametrize(
    ("told", "value"),
    [
        ("The timeout is 30 seconds.", "4 seconds"),
        ("There are 9 people in the choir.", "4 people"),
        ("The exam is on 5 May.", "4 May"),
    ],
)
def test_a_bare_number_corrects_the_number_alone(encoder: MiniLM, told: str, value: str) -> None:
    spoken = Spoken()
    _read(encoder, told, speaker="Ann", spoken=spoken)
    (read,) = _read(encoder, "Sorry, I meant 4.", speaker="Ann", spoken=spoken)
    assert (read.object, read.rule) == (value, "change")


@pytest.mark.parametrize("words", ["No, 4?", "No, I have 4 meetings and cannot come today.", "4."])
def test_what_is_no_correction_changes_nothing(encoder: MiniLM, words: str) -> None:
    spoken = Spoken()
    _read(encoder, "The retry limit is 3.", speaker="Ann", spoken=spoken)
    assert all(
        read.subject != "retry limit"
        for read in _read(encoder, words, speaker="Bob", spoken=spoken)
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The cooling laser sits at 40 mW.", ("cooling laser", "sits at", "40 mW")),
        ("We have put the cold room on 3 degrees.", ("cold room", "value", "3 degrees")),
        ("The robot is on firmware 3.8.", ("robot", "value", "firmware 3.8")),
        ("Oskar has piano on Tuesdays.", ("Oskar", "has piano on", "Tuesdays")),
        (
            "The contract was renewed until 31 August 2027.",
            ("contract", "is renewed until", "31 August 2027"),
        ),
        ("Upstream timeout 15s.", ("upstream timeout", "value", "15s")),
        ("Spain becomes the launch market.", ("launch market", "value", "Spain")),
    ],
)
def test_what_is_measured_is_read_whatever_the_verb(
    encoder: MiniLM, text: str, said: tuple[str, str, str]
) -> None:
    read = _read(encoder, text, speaker="Ann", spoken=Spoken())
    told = [(each.subject.lower(), each.predicate, each.object) for each in read]
    assert (said[0].lower(), said[1], said[2]) in told


@pytest.mark.parametrize(
    "text",
    [
        "If the cooling laser sits at 40 mW, call me.",
        "Would door 4 do?",
        "Week 9 notes.",
        "I spoke to Ann at 3 pm.",
        "We met at the station at 9:15.",
    ],
)
def test_what_is_measured_in_passing_states_nothing(encoder: MiniLM, text: str) -> None:
    assert _read(encoder, text, speaker="Ann", spoken=Spoken()) == []

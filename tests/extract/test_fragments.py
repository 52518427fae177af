"""What is stated without a verb of its own."""

import pytest

from quipu.embed import MiniLM
from quipu.extract.statements import Spoken, read_statements

pytestmark = pytest.mark.model
SAID = "2026-05-01T10:00:00.000Z"


def _read(encoder: MiniLM, text: str) -> list[tuple[str, str, str]]:
    found = read_statements(
        text, observed_at=SAID, speaker="user", layers=encoder.read, spoken=Spoken()
    )
    return [(each.subject, each.predicate, each.object) for each in found]


STATED = [
    ("Dmitri primary, Carla secondary.", [("we", "primary", "Dmitri")]),
    ("Primary is Carla from today, secondary Dmitri.", [("we", "secondary", "Dmitri")]),
    ("Primary this week: me. Secondary: Zainab.", [("we", "primary", "user")]),
    (
        "We bought Bryn Mawr, a farmhouse outside Lund.",
        [("Bryn Mawr", "is", "a farmhouse outside Lund")],
    ),
    ("Pixel, our cat, hides.", [("we", "cat", "Pixel")]),
    ("My landlord, Mr Dow, never calls.", [("user", "landlord", "Mr Dow")]),
    ("I hired a second physio, Bo, who swims.", [("Bo", "is", "a second physio")]),
    ("Dentist Thursday 10:15.", [("dentist", "value", "Thursday 10:15")]),
    ("My hours: 9-5 Mon-Thu", [("user", "hours", "9-5 Mon-Thu")]),
    ("New address: 14 Mill Lane.", [("address", "value", "14 Mill Lane")]),
    ("vacancy filled, Amira starts 1 September", [("Amira", "starts on", "1 September")]),
    ("Kofi is treasurer from August, then.", [("treasurer", "value", "Kofi")]),
    ("I'm sound designer in Lund.", [("user", "works in", "Lund")]),
    ("Ann called. As conductor she should know.", [("Ann", "works as", "conductor")]),
    ("Deployed: session timeout 60 minutes.", [("session timeout", "value", "60 minutes")]),
    ("Session timeout 30 -> 20 minutes.", [("session timeout", "value", "20 minutes")]),
    (
        "Session timeout 30 -> 20 minutes, admin stays on 60.",
        [("session timeout", "value", "20 minutes"), ("admin", "stays on", "60")],
    ),
    ("takings 1580 after the wine", [("takings", "value", "1580")]),
    ("tickets 12 quid this time", [("tickets", "value", "12 quid")]),
    ("Rate limit. It's 100 requests a minute.", [("rate limit", "value", "100 requests a minute")]),
]

UNSTATED = [
    "Thanks Ann, a beer would be nice.",
    "Primary or secondary?",
    "door 4",
    "Ann is toast.",
    "Bo is water.",
    "Morning Ann, an update on the roof.",
    "I need a break, Ann, so I left.",
    "Hello my plumber, Ann, and Bo.",
    "steps 1-4 done",
    "Great news Monday",
    "no class Monday",
    "Until we have Thanos.",
    "Train 9:40, platform 3.",
    "see you Friday 8pm",
    "Happy Friday!",
    "The rota: Ann early, Ben late.",
    "the shed will be green",
]


@pytest.mark.parametrize(("text", "expected"), STATED)
def test_what_has_no_verb_is_read(
    encoder: MiniLM, text: str, expected: list[tuple[str, str, str]]
) -> None:
    found = _read(encoder, text)
    assert [each for each in expected if each not in found] == []


@pytest.mark.parametrize("text", UNSTATED)
def test_what_states_nothing_gives_nothing(encoder: MiniLM, text: str) -> None:
    assert _read(encoder, text) == []


def test_an_item_of_a_list_is_nothing_that_is_told_of_the_one_before(encoder: MiniLM) -> None:
    found = _read(encoder, "We bought Cola, a cake and bread.")
    assert [each for each in found if each[1] == "is"] == []


def test_a_value_behind_an_arrow_is_a_change(encoder: MiniLM) -> None:
    read = read_statements(
        "Session timeout 30 -> 20 minutes.", observed_at=SAID, layers=encoder.read
    )
    assert [(each.object, each.valid_to) for each in read] == [
        ("30 minutes", "2026-05-01"),
        ("20 minutes", None),
    ]
    assert {each.rule for each in read} == {"change"}

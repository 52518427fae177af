"""A change that is told in other words takes the place of what was said before."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory

pytestmark = pytest.mark.model
LAST = "2025-12-20T12:00:00.000Z"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", clock=lambda: LAST) as opened:
        yield opened


def _say(memory: Memory, *texts: str) -> None:
    for month, text in enumerate(texts, 1):
        session = f"s{month}"
        turn = Turn(
            session_id=session,
            offset=1,
            speaker="Ann",
            role="user",
            text=text,
            time=f"2025-{month:02}-03T10:00:00.000Z",
        )
        memory.add_sessions([Transcript(session_id=session, group=session, turns=(turn,))])


def _live(memory: Memory) -> set[str]:
    return {fact.object for fact in memory.facts(live=True, as_of=LAST)}


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        (
            "The free tier of Larkly stays at 25 invoices.",
            "The free tier goes to 40 invoices.",
            "25 invoices",
            "40 invoices",
        ),
        (
            "The top field's down to barley.",
            "We've put the top field under clover.",
            "barley",
            "clover",
        ),
        ("Oskar has piano on Tuesdays.", "Oskar's piano is on Fridays.", "Tuesdays", "Fridays"),
        ("The rep is called Ada Pike.", "The new rep is Leon.", "Ada Pike", "Leon"),
        (
            "Dr Ferro is my second supervisor.",
            "Dr Tan has agreed to step in as second supervisor.",
            "Dr Ferro",
            "Dr Tan",
        ),
        ("Test coverage stands at 71%.", "Test coverage crept up to 78 %.", "71%", "78 %"),
        ("The snacks budget is 40 a sprint.", "Snacks budget cut to 25.", "40 a sprint", "25"),
        ("The frontend is Svelte.", "The frontend runs on Vue now.", "Svelte", "Vue"),
        (
            "Flour comes on Mondays.",
            "Flour deliveries have moved to Tuesdays and Fridays.",
            "Mondays",
            "Tuesdays and Fridays",
        ),
        ("Rolls sell at £4.20.", "The price of rolls goes up to £4.50.", "£4.20", "£4.50"),
        (
            "Reefers go to dock door 4.",
            "Reefers must go to door 9 from now on.",
            "door 4",
            "door 9",
        ),
        ("Biscuit weighs 6 kilos.", "Biscuit got down to 5 kilos.", "6 kilos", "5 kilos"),
        (
            "The release train leaves every Thursday.",
            "The train leaves every Tuesday.",
            "every Thursday",
            "every Tuesday",
        ),
        ("Joan keeps the books.", "Joan is handing the books over to Pat.", "Joan", "Pat"),
        (
            "The archive's retention is 30 days.",
            "The retention of the archive is back at 14 days because the disk is full.",
            "30 days",
            "14 days",
        ),
        (
            "We use Sonar.",
            "We switched to Semgrep last week because Sonar lost two reports.",
            "Sonar",
            "Semgrep",
        ),
        (
            "We use Unity.",
            "We're off Unity, the game runs on Bevy since last night.",
            "Unity",
            "Bevy",
        ),
        ("We dropped MySQL for Postgres.", "We decided to go back to MySQL.", "Postgres", "MySQL"),
        (
            "The manual is in the wiki.",
            "The manual is in the shared drive since Monday.",
            "the wiki",
            "the shared drive",
        ),
        ("The key is owned by Ann.", "Ann gave the key to Mikkel.", "Ann", "Mikkel"),
        (
            "The quota is 100 requests a minute.",
            "The quota is set to 250 requests a minute.",
            "100 requests a minute",
            "250 requests a minute",
        ),
        ("We use Jenkins for CI.", "We use Woodpecker for CI.", "Jenkins", "Woodpecker"),
        ("We use Redis for caching.", "We're on Valkey for caching.", "Redis", "Valkey"),
        ("We chose Stripe for payments.", "We went with Adyen for payments.", "Stripe", "Adyen"),
        ("The budget is 900.", "I got the budget raised to 1,200.", "900", "1,200"),
    ],
)
def test_a_change_meets_what_it_changes(
    memory: Memory, before: str, after: str, old: str, new: str
) -> None:
    _say(memory, before, after)
    assert _live(memory) >= {new}
    assert old not in _live(memory)


@pytest.mark.parametrize(
    "after",
    [
        "We use Valkey for sessions.",
        "We also use Memcached for caching.",
        "We'd use Memcached for caching if it was free.",
    ],
)
def test_what_is_used_for_something_else_changes_nothing(memory: Memory, after: str) -> None:
    _say(memory, "We use Redis for caching.", after)
    assert "Redis" in _live(memory)


@pytest.mark.parametrize(
    ("said", "live"),
    [
        (("The standup is on Tuesdays.", "The standup is at 9:45."), {"Tuesdays", "9:45"}),
        (
            ("The standup is on Tuesdays at 9:45.", "The standup has moved to 10:15."),
            {"Tuesdays", "10:15"},
        ),
        (
            ("The standup is on Tuesdays at 9:45.", "The standup has moved to Mondays."),
            {"Mondays", "9:45"},
        ),
        (("My class starts at 9:00.", "My class starts at noon."), {"noon"}),
    ],
)
def test_a_day_and_an_hour_take_no_place_of_each_other(
    memory: Memory, said: tuple[str, str], live: set[str]
) -> None:
    _say(memory, *said)
    assert _live(memory) == live


def test_what_is_done_instead_of_something_ends_nothing_else(memory: Memory) -> None:
    _say(memory, "Jonas is my partner.", "I've booked Trieste with Jonas instead of the hike.")
    assert "Jonas" in _live(memory)


def test_what_was_before_a_value_is_known_by_its_chain_alone(memory: Memory) -> None:
    _say(memory, "My boss is Henrike.", "My new boss is Ayla Demirci.")
    found = memory.find_facts("Who was Ann's boss before Ayla?")
    assert found.known
    assert found.matches[0].standing.fact.object == "Henrike"


def test_what_was_mine_before_it_was_ours_is_known(memory: Memory) -> None:
    _say(memory, "My landlord is Mr Costa.", "Rafael is our new landlord.")
    found = memory.find_facts("Who was our landlord before Rafael?")
    assert found.matches[0].standing.fact.object == "Mr Costa"


def test_with_what_one_takes_no_more_its_dose_ends(memory: Memory) -> None:
    _say(
        memory, "I take 50 mg of sertraline.", "I take 5 mg of ramipril.", "I came off sertraline."
    )
    assert _live(memory) == {"5 mg"}


@pytest.mark.parametrize(
    ("before", "after", "old"),
    [
        (
            "The oven sits at 200 degrees.",
            "The fridge was turned down to 4 degrees.",
            "200 degrees",
        ),
        (
            "The shed is behind the barn.",
            "We've put the top field under clover.",
            "behind the barn",
        ),
        ("Mia has judo on Mondays.", "Oskar's judo is on Fridays.", "Mondays"),
        ("The backup takes 20 minutes.", "The export is down to 9 minutes now.", "20 minutes"),
        ("Ann's travel budget is 3k.", "Ann's phone budget was raised to 50.", "3k"),
        ("The ledger listens on port 8420.", "The ledger runs on Postgres 16 now.", "port 8420"),
        ("I weigh 74 kilos.", "I've cut back to three coffees.", "74 kilos"),
        ("The retro is on Fridays.", "The standup has moved to Mondays.", "Fridays"),
        ("Bram owns the router.", "Bram is in Paris now.", "Bram"),
        (
            "I pay 1,150 euros rent.",
            "My salary went from 38,000 to 43,500 euros.",
            "1,150 euros rent",
        ),
        ("I'm called Corentin.", "I've got a greyhound called Pepper.", "Corentin"),
    ],
)
def test_a_change_of_something_else_changes_nothing(
    memory: Memory, before: str, after: str, old: str
) -> None:
    _say(memory, before, after)
    assert any(value in old for value in _live(memory))


def test_what_only_the_general_rule_read_is_quoted_not_told(memory: Memory) -> None:
    _say(memory, "Joan keeps the books.")
    reply = memory.ask("Who keeps the books?")
    assert re.match(r"Ann, [\d-]+: Joan keeps the books \[1\]\.", reply.contract.answer)
    assert reply.confidence.inputs["stated"] == 0.0


def test_a_fact_is_doubted_where_a_later_turn_tells_another_value(memory: Memory) -> None:
    _say(memory, "The firmware version is 2.0.0.", "Nice weather. Released as firmware 2.0.1.")
    reply = memory.ask("What version is the firmware at?")
    assert re.match(r"Ann, [\d-]+: .*firmware 2\.0\.1 \[1\]\.", reply.contract.answer)
    assert reply.confidence.inputs["stated"] == 0.0


def test_one_word_of_a_later_turn_casts_no_doubt(memory: Memory) -> None:
    _say(memory, "I joined Volt Labs as a tester.", "I live in Ghent and take the train to work.")
    reply = memory.ask("Where does Ann work?")
    assert "Volt Labs" in reply.contract.answer
    assert reply.confidence.value >= 0.7

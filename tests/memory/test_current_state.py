"""One current state: whatever verb said it and whichever way it came in, the later statement of
the same owner and attribute ends the earlier."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.agents.entries import Entries
from quipu.answer.examine import violations
from quipu.config import Config
from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory

pytestmark = pytest.mark.model


class _Clock:
    def __init__(self) -> None:
        self.now = "2026-01-05T10:00:00.000Z"

    def __call__(self) -> str:
        return self.now


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def told(tmp_path: Path, clock: _Clock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", config=Config(), clock=clock) as memory:
        yield memory


def _say(memory: Memory, clock: _Clock, *texts: str) -> None:
    """Each text a month after the one before."""
    for month, text in enumerate(texts, 1):
        clock.now = f"2026-{month:02}-05T10:00:00.000Z"
        memory.add(text)


def _now(memory: Memory, subject: str) -> set[tuple[str, str]]:
    live = memory.facts(subject, as_of="2026-11-01", live=True)
    return {(fact.predicate, fact.object) for fact in live}


CHANGED = [
    (["Dana lives in Rome.", "Dana lives in Milan."], "Dana", {("lives in", "Milan")}),
    (["Dana lives in Rome.", "Dana moved from Rome to Milan."], "Dana", {("lives in", "Milan")}),
    (["Dana is based in Rome.", "Dana relocated to Milan."], "Dana", {("lives in", "Milan")}),
    (
        ["The ledger runs on MySQL since 2021.", "The ledger runs on Postgres since May 2025."],
        "ledger",
        {("runs on", "Postgres")},
    ),
    (["The retry limit is 3.", "We raised the retry limit to 5."], "retry limit", {("value", "5")}),
    (
        ["The launch is scheduled for 12 June.", "The launch was moved to 19 June."],
        "launch",
        {("value", "19 June")},
    ),
    (["I work for Acme.", "I joined Globex."], "user", {("works for", "Globex")}),
    (["We use Redis.", "We switched from Redis to Valkey."], "we", {("uses", "Valkey")}),
    (
        ["Alice owns the billing service.", "Bob took over the billing service from Alice."],
        "billing service",
        {("is owned by", "Bob")},
    ),
    (["I drink coffee.", "I no longer drink coffee."], "user", set()),
    (["I live in Rome.", "I live in Oslo since 2025."], "user", {("lives in", "Oslo")}),
    (["I live in Rome.", "I moved to Oslo in December."], "user", {("lives in", "Oslo")}),
    (["I moved to Rome in 2020.", "I moved to Oslo in 2018."], "user", {("lives in", "Rome")}),
    (["I work at Acme.", "I work at Globex from March."], "user", {("works for", "Globex")}),
    (
        [
            "The penetration test is on 5 October 2026.",
            "The penetration test was postponed to 9 December 2026.",
        ],
        "penetration test",
        {("value", "9 December 2026")},
    ),
    (
        [
            "The printers are in Rotterdam.",
            "The printers have been moved from Rotterdam to Antwerp.",
        ],
        "printers",
        {("is located in", "Antwerp")},
    ),
    (
        ["The cache runs on Redis.", "We switched the cache from Redis to Memcached."],
        "cache",
        {("runs on", "Memcached")},
    ),
    (["I'm in Rome until the 14th."], "user", set()),
]


@pytest.mark.parametrize(("texts", "subject", "now"), CHANGED, ids=[c[0][-1] for c in CHANGED])
def test_the_later_statement_ends_the_earlier(
    told: Memory, clock: _Clock, texts: list[str], subject: str, now: set[tuple[str, str]]
) -> None:
    _say(told, clock, *texts)
    assert _now(told, subject) == now


def test_what_is_no_longer_so_has_its_end_in_the_list(told: Memory, clock: _Clock) -> None:
    _say(told, clock, "Clara lives in Nantes.", "Clara doesn't live in Nantes anymore.")
    (fact,) = [fact for fact in told.facts("Clara", live=True) if fact.valid_from]
    assert (fact.valid_from, fact.valid_to) == ("2026-01-05", "2026-02-05")


BEFORE = [
    (["The rent is 800.", "The rent is 900.", "The rent was raised to 950."], "rent", "900"),
    (["We lowered the upload limit from 20 MB to 8 MB."], "upload limit", "20 MB"),
]


@pytest.mark.parametrize(("texts", "what", "value"), BEFORE)
@pytest.mark.parametrize("question", ["What was the {} before?", "What was the previous {}?"])
def test_what_was_before_is_what_gave_way(
    told: Memory, clock: _Clock, texts: list[str], what: str, value: str, question: str
) -> None:
    _say(told, clock, *texts)
    found = told.find_facts(question.format(what))
    assert found.known
    assert found.matches[0].standing.fact.object == value
    assert value in told.ask(question.format(what)).contract.answer


def test_what_is_of_a_relative_is_not_mine(told: Memory, clock: _Clock) -> None:
    _say(told, clock, "My wife's boss is Mr Petit.", "I live in Lyon.", "My dad lives in Metz.")
    assert told.ask("Who is my boss?").contract.answer == "unknown"
    assert "Petit" in told.ask("Who is my wife's boss?").contract.answer
    assert told.ask("Where do I live?").contract.answer.startswith("The user lives in Lyon")
    assert "Metz" in told.ask("Where does my dad live?").contract.answer


def test_a_question_is_answered_by_what_holds_now(told: Memory, clock: _Clock) -> None:
    _say(
        told,
        clock,
        "Dana lives in Rome.",
        "The ledger runs on MySQL since 2021.",
        "Dana lives in Milan.",
        "The ledger runs on Postgres since May 2025.",
    )
    assert told.ask("Where does Dana live?").contract.answer.startswith("Dana lives in Milan")
    answer = told.ask("Does the ledger run on MySQL?").contract.answer
    assert answer.startswith("No: the ledger runs on Postgres (since May 2025)")
    assert "Rome" in told.ask("Where did Dana live in January 2026?").contract.answer


def test_an_entry_says_what_it_replaces(told: Memory, clock: _Clock) -> None:
    entries = Entries(told)
    first = entries.store("The retry limit is 3.", category="fact")
    assert first.replaces == ()
    clock.now = "2026-01-06T10:00:00.000Z"
    second = entries.store("The retry limit is 5.", category="fact")
    (replaced,) = second.replaces
    assert replaced.ref == first.entry.id
    assert replaced.said == "The retry limit is 3 (since 5 Jan 2026)"
    assert told.ask("What is the retry limit?").contract.answer.startswith("The retry limit is 5")


def test_a_hit_of_what_no_longer_holds_is_marked(told: Memory, clock: _Clock) -> None:
    _say(told, clock, "Dana lives in Rome.", "Dana lives in Milan.")
    hits = told.search("Dana home city").hits
    marks = {hit.text: hit.temporal_context for hit in hits}
    rome = marks["Dana lives in Rome."]
    assert rome is not None
    assert rome.superseded_by == told.facts("Dana")[1].fact_id
    assert rome.valid_to == "2026-02-05"


@pytest.mark.parametrize("apart", [0, 1], ids=["in one text", "on one day"])
def test_what_is_said_later_on_one_day_takes_the_place(
    told: Memory, clock: _Clock, apart: int
) -> None:
    """By the order of its words, or of the moments: never another source that disagrees."""
    clock.now = "2026-01-05T10:00:00.000Z"
    values = ("Rome", "Milan", "Bern", "Oslo")
    texts = [f"Dana lives in {value}." for value in values]
    for minute, text in enumerate(texts if apart else [" ".join(texts)]):
        clock.now = f"2026-01-05T10:{minute:02}:00.000Z"
        told.add(text)
    answer = told.ask("Where does Dana live?").contract.answer
    assert "Oslo" in answer
    assert not any(value in answer for value in values[:-1])
    assert [fact.object for fact in told.facts("Dana", live=True)] == ["Oslo"]


def test_an_answer_from_a_turn_names_the_hash_of_that_turn(told: Memory) -> None:
    said = ("Our rig uses MQTT.", "We switched the rig from MQTT to Zenoh.", "I take the train.")
    turns = tuple(
        Turn(
            session_id="s",
            offset=n,
            speaker="user",
            role="user",
            text=text,
            time=f"2026-02-0{n}T10:00:00.000Z",
        )
        for n, text in enumerate(said, 1)
    )
    told.add_sessions([Transcript(session_id="s", group="s", turns=turns)])
    for question in ("What does the rig use?", "Does the rig use MQTT?"):
        reply = told.ask(question)
        assert reply.citations
        assert violations(reply, told.store) == []

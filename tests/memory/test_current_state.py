"""One current state: whatever verb said it and whichever way it came in, the later statement of
the same owner and attribute ends the earlier."""

from collections.abc import Iterator

import pytest
from tests.talk import Clock, transcript

from quipu.agents.entries import Entries
from quipu.answer.examine import violations
from quipu.config import Config
from quipu.embed import MiniLM
from quipu.memory import Memory

pytestmark = pytest.mark.model


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def told(clock: Clock, encoder: MiniLM) -> Iterator[Memory]:
    with Memory.open("memory:", config=Config(), embedder=encoder, clock=clock) as memory:
        yield memory


def _say(memory: Memory, clock: Clock, *texts: str) -> None:
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
    (["I drink coffee.", "I no longer drink coffee."], "user", set()),
]


@pytest.mark.parametrize(("texts", "subject", "now"), CHANGED, ids=[c[0][-1] for c in CHANGED])
def test_the_later_statement_ends_the_earlier(
    told: Memory, clock: Clock, texts: list[str], subject: str, now: set[tuple[str, str]]
) -> None:
    _say(told, clock, *texts)
    assert _now(told, subject) == now


def test_an_entry_says_what_it_replaces(told: Memory, clock: Clock) -> None:
    entries = Entries(told)
    first = entries.store("The retry limit is 3.", category="fact")
    assert first.replaces == ()
    clock.now = "2026-01-06T10:00:00.000Z"
    second = entries.store("The retry limit is 5.", category="fact")
    (replaced,) = second.replaces
    assert replaced.ref == first.entry.id
    assert replaced.said == "The retry limit is 3 (since 5 Jan 2026)"
    assert told.ask("What is the retry limit?").contract.answer.startswith("The retry limit is 5")


def test_a_hit_of_what_no_longer_holds_is_marked(told: Memory, clock: Clock) -> None:
    _say(told, clock, "Dana lives in Rome.", "Dana lives in Milan.")
    hits = told.search("Dana home city").hits
    marks = {hit.text: hit.temporal_context for hit in hits}
    rome = marks["Dana lives in Rome."]
    assert rome is not None
    assert rome.superseded_by == told.facts("Dana")[1].fact_id
    assert rome.valid_to == "2026-02-05"


def test_an_answer_from_a_turn_names_the_hash_of_that_turn(told: Memory) -> None:
    said = ("Our rig uses MQTT.", "We switched the rig from MQTT to Zenoh.", "I take the train.")
    time = "2026-02-0{n}T10:00:00.000Z"
    told.ingest_sessions([transcript("s", [("user", text) for text in said], time=time)])
    for question in ("What does the rig use?", "Does the rig use MQTT?"):
        reply = told.ask(question)
        assert reply.citations
        assert violations(reply, told.store) == []

"""Two things that are one: merged, read as one everywhere, and parted again without a trace."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from quipu.config import Config, EntitiesConfig
from quipu.errors import InvalidInput, UnknownRecord
from quipu.memory import Memory
from quipu.records.record import Entity

Open = Callable[..., Memory]
LONG, SHORT = "Payment Service Team", "PST"
TEXTS = {
    "a.md": "The Payment Service Team is led by Eva Gray since 2020. They own billing.",
    "b.md": "PST is led by Omar Diaz since 2023-05.",
    "c.md": "Last week PST moved to Porto.",
    "d.md": "Bananas are yellow and grow in warm places.",
}
OWNED = {
    "ledger.md": "---\nowner: payments-team\n---\n# Ledger\n\nThe ledger keeps the accounts.\n",
    "billing.md": "---\nowner: PST\n---\n# Billing\n\nBilling sends the invoices.\n",
    "planets.md": "# Mercury\n\nMercury is a planet.\n",
}
DECISIONS = ("same as", "not same as")
QUESTIONS = (
    "Who leads the Payment Service Team?",
    "Where is the Payment Service Team?",
    "Who led PST in 2021?",
    "What grows in warm places?",
)


def ticking() -> Callable[[], str]:
    """A clock that goes on a second each time it is read."""
    count = itertools.count()
    return lambda: f"2026-03-01T{(n := next(count)) // 60:02d}:{n % 60:02d}:00.000Z"


@pytest.fixture(params=["memory:", "sqlite"])
def memory(request: Any, tmp_path: Path, open_memory: Open) -> Iterator[Memory]:
    url = "memory:" if request.param == "memory:" else tmp_path / "m.db"
    with open_memory(url, tmp_path, clock=ticking()) as opened:
        for ref, text in TEXTS.items():
            opened.add(text, source_ref=ref, title=ref)
        yield opened


@pytest.fixture
def owned(tmp_path: Path, open_memory: Open, write_files: Callable[..., None]) -> Iterator[Memory]:
    write_files(tmp_path, OWNED)
    with open_memory(tmp_path / "m.db", tmp_path, clock=ticking()) as opened:
        opened.index()
        yield opened


def seen(memory: Memory) -> list[bytes]:
    """Everything that is shown of what was asked and looked up, as bytes."""
    shown: list[object] = []
    for question in QUESTIONS:
        found = memory.search(question)
        shown += [found.hits, found.plan.anchors, found.plan.expansions, found.signals]
        shown.append(memory.ask(question).contract.answer)
        shown.append(memory.facts.find(question))
    for name in (SHORT, LONG):
        shown.append([f for f in memory.facts(name) if f.predicate not in DECISIONS])
        entries = memory.facts.history(name).entries
        shown.append([e for e in entries if e.fact.predicate not in DECISIONS])
    return [msgspec.json.encode(each) for each in shown]


def refs(memory: Memory, question: str) -> list[str]:
    return [hit.source_ref.partition(":")[0] for hit in memory.search(question).hits]


def test_the_facts_of_both_follow_each_other(memory: Memory) -> None:
    assert [f.object for f in memory.facts(LONG)] == ["Eva Gray"]
    memory.entities.merge(SHORT, LONG)
    assert {f.object for f in memory.facts(LONG, "is led by")} == {"Eva Gray", "Omar Diaz"}
    assert memory.facts(LONG, "is led by") == memory.facts(SHORT, "is led by")
    entries = {e.fact.object: e for e in memory.facts.history(SHORT).entries}
    assert (entries["Eva Gray"].valid_to, entries["Omar Diaz"].valid_to) == ("2023-05", None)
    assert entries["Omar Diaz"].fact.provenance["subject_as_written"] == SHORT
    then = memory.facts.find("Who led the Payment Service Team in 2024?")
    assert then.known
    assert then.matches[0].standing.fact.object == "Omar Diaz"


def test_a_question_finds_what_is_said_under_the_other_name(
    tmp_path: Path, open_memory: Open
) -> None:
    question = "Where did the Payment Service Team move?"
    with open_memory(tmp_path / "m.db", tmp_path, embedder=None) as memory:
        for ref, text in TEXTS.items():
            memory.add(text, source_ref=ref, title=ref)
        assert refs(memory, question)[0] == "a.md"
        memory.entities.merge(SHORT, LONG)
        assert refs(memory, question)[0] == "c.md"
        assert refs(memory, "Does PST handle billing?")[0] == "a.md"


def test_undoing_a_merge_gives_back_every_byte(memory: Memory) -> None:
    before = seen(memory)
    memory.entities.merge(SHORT, LONG, by="ada", reason="one team")
    assert seen(memory) != before
    memory.entities.unmerge(SHORT)
    assert seen(memory) == before


def test_a_merge_is_remembered_with_who_when_and_why(memory: Memory) -> None:
    made = memory.entities.merge(SHORT, LONG, by="ada", reason="the charter says so", score=0.97)
    assert made.changed
    (decision,) = made.decisions
    assert (decision.by, decision.reason, decision.score) == ("ada", "the charter says so", 0.97)
    (fact,) = memory.facts(predicate="same as")
    assert (fact.subject, fact.object, fact.fact_id) == (SHORT, LONG, decision.merge_id)
    undone = memory.entities.unmerge(decision.merge_id, by="bob", reason="two teams after all")
    assert undone.undone == decision
    told = memory.entities.history(SHORT).decisions
    assert [(k.decision.same, k.decision.by, k.known_until is None) for k in told] == [
        (True, "ada", False),
        (False, "bob", True),
    ]
    assert told[0].known_until == told[1].recorded_at
    said = [e.fact.predicate for e in memory.facts.history(LONG).entries]
    assert {"same as", "not same as"} <= set(said)


def test_either_name_gives_the_one_that_stands_for_both(owned: Memory) -> None:
    owned.entities.merge("PST", "payments-team")
    one, other = owned.get("PST"), owned.get("payments-team")
    assert isinstance(one, Entity)
    assert one == other
    assert (one.name, one.aliases, one.type) == ("payments-team", ("PST",), "Owner")
    assert one.mention_count == 2
    around = owned.relations("PST", type="OWNED_BY")
    assert {r.target_entity_id for r in around} == {one.entity_id}
    assert len(around) == 2
    assert [t.name for t in owned.entities.show("PST").members] == ["payments-team", "PST"]
    owned.entities.unmerge("PST")
    assert len(owned.relations("PST", type="OWNED_BY")) == 1


@pytest.mark.parametrize(
    ("merged", "kept", "error", "says"),
    [
        ("nobody", "PST", UnknownRecord, "nothing is known as 'nobody'"),
        ("PST", "fa_none", UnknownRecord, "nothing is known"),
        ("PST", "PST", InvalidInput, "one thing already"),
        ("ledger.md", "billing.md", InvalidInput, "of type Document"),
        ("PST", "ledger.md", InvalidInput, "of type Document"),
        ("PST", "", InvalidInput, "empty reference"),
        ("PST", "Mercury", InvalidInput, "of type Document"),
    ],
)
def test_what_cannot_be_merged_is_said(
    owned: Memory, merged: str, kept: str, error: type[Exception], says: str
) -> None:
    sequence = owned.store.sequence()
    with pytest.raises(error, match=says):
        owned.entities.merge(merged, kept)
    assert owned.store.sequence() == sequence


def test_forgetting_the_evidence_forgets_the_merge(memory: Memory) -> None:
    before = seen(memory)
    made = memory.entities.merge(SHORT, LONG)
    (fact,) = memory.facts(predicate="same as")
    assert memory.forget(str(fact.provenance["path"])) == 1
    assert seen(memory) == before
    assert memory.entities.history().decisions == ()
    assert made.decisions[0].merge_id == fact.fact_id


SPELLED = {
    "a.md": "---\nowner: Pay Team\n---\n# Ledger\n\nThe ledger keeps the accounts.\n",
    "b.md": "---\nowner: PayTeam\n---\n# Billing\n\nBilling sends the invoices.\n",
    "c.md": "---\nowner: Core\n---\n# Store\n\nThe store keeps records.\n",
}


def test_things_spelled_alike_are_proposed_and_only_proposed(
    tmp_path: Path, open_memory: Open, write_files: Callable[..., None]
) -> None:
    write_files(tmp_path, SPELLED)
    with open_memory(tmp_path / "m.db", tmp_path, clock=ticking()) as memory:
        memory.index()
        found = memory.entities.proposals()
        (proposal,) = found.proposals
        assert {proposal.merged_name, proposal.kept_name} == {"Pay Team", "PayTeam"}
        assert (proposal.reasons[0], found.considered) == ("the same letters", 3)
        assert memory.entities.history().decisions == ()
        assert memory.entities.proposals(types=("person",)).considered == 0
        memory.entities.merge(proposal.merged_id, proposal.kept_id)
        assert memory.entities.proposals().proposals == ()
        memory.entities.unmerge(proposal.merged_id)
        assert memory.entities.proposals().proposals == ()


def test_proposals_are_merged_where_the_configuration_says_so(
    tmp_path: Path, open_memory: Open, write_files: Callable[..., None]
) -> None:
    write_files(tmp_path, SPELLED)
    chosen = Config(entities=EntitiesConfig(merge="auto"))
    with open_memory(tmp_path / "m.db", tmp_path, clock=ticking(), config=chosen) as memory:
        memory.index()
        (known,) = memory.entities.history().decisions
        assert (known.decision.by, known.decision.reason) == ("auto", "the same letters")
        memory.entities.unmerge(known.decision.merge_id)
        write_files(tmp_path, {"c.md": SPELLED["c.md"] + "More.\n"})
        memory.index()
        assert [k.decision.same for k in memory.entities.history().decisions] == [True, False]

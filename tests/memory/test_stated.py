"""Facts that are stated: what holds, what was replaced, which keys are handed back."""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu import Memory, Passage, Stated, StatementInput
from quipu.errors import InvalidInput, UnknownRecord
from quipu.facts.keys import plain_key
from quipu.records.stated import trust_of

NOW = "2026-12-01T10:00:00.000Z"
CHANGES = Path(__file__).parents[1] / "facts" / "data" / "stated.jsonl"


def ticking() -> Iterator[str]:
    return (f"2026-12-01T10:{n // 60:02d}:{n % 60:02d}.000Z" for n in itertools.count())


@pytest.fixture(
    params=[
        "memory",
        "sqlite",
        pytest.param("postgres", marks=pytest.mark.slow),
        pytest.param("neo4j", marks=[pytest.mark.slow, pytest.mark.enable_socket]),
    ]
)
def memory(
    request: pytest.FixtureRequest, tmp_path: Path, address_of: Callable[[str, str], str]
) -> Iterator[Memory]:
    """A memory on each kind of store, whose clock ticks a second a look."""
    instants = ticking()
    address = address_of(request.param, "stated")
    with Memory.open(address, embedder=None, clock=lambda: next(instants), home=tmp_path) as memory:
        yield memory


def state(
    memory: Memory, subject: str, attribute: str, value: object = "", **more: object
) -> Stated:
    given = {"subject": subject, "attribute": attribute, "value": value, **more}
    (made,) = memory.facts.state(StatementInput(**given))  # type: ignore[arg-type]
    return made


def held(memory: Memory, as_of: str = NOW) -> dict[tuple[str, str], str]:
    facts = memory.facts(as_of=as_of)
    return {(plain_key(f.subject), plain_key(f.predicate)): f.object for f in facts}


def test_a_statement_takes_the_place_of_that_of_its_key_however_it_is_spelled(
    memory: Memory,
) -> None:
    first = state(memory, "billing", "owner", "Erik", since="2026-01-01")
    second = state(memory, "Billing", "Owner", "Dagny", since="2026-08-10")
    assert [(k.fact_id, k.value, k.since, k.until) for k in second.replaced] == [
        (first.fact.fact_id, "Erik", "2026-01-01", "2026-08-10")
    ]
    assert [f.object for f in memory.facts("BILLING", live=True)] == ["Dagny"]
    assert held(memory, "2026-05-01") == {("billing", "owner"): "Erik"}


def test_other_keys_and_near_keys_are_told_and_never_merged(memory: Memory) -> None:
    state(memory, "billing", "owner", "Dagny")
    near = state(memory, "billing", "owners", "Dagny, Bo")
    assert [key.attribute for key in near.other_keys] == ["owner"]
    assert [key.attribute for key in near.near_keys] == ["owner"]
    assert not near.replaced
    assert len(held(memory)) == 2


def test_a_key_that_was_renamed_by_hand_is_one_from_then_on(memory: Memory) -> None:
    first = state(memory, "billing", "owner", "Erik")
    second = state(memory, "billing", "person in charge", "Dagny", replaces=first.fact.fact_id)
    assert [key.value for key in second.replaced] == ["Erik"]
    third = state(memory, "billing", "person_in_charge", "Tove")
    assert [key.value for key in third.replaced] == ["Dagny"]
    assert held(memory) == {("billing", "owner"): "Tove"}


def test_ending_correcting_and_taking_back_are_three_things(memory: Memory) -> None:
    first = state(memory, "billing", "owner", "Erik", since="2026-01-01")
    ended = state(memory, "billing", "owner", ends=True, until="2026-06-01")
    assert (ended.done, [k.until for k in ended.replaced]) == ("ended", ["2026-06-01"])
    assert held(memory, "2026-05-01") == {("billing", "owner"): "Erik"}
    assert not held(memory)

    right = state(memory, "", "", "Erika", corrects=first.fact.fact_id)
    assert right.done == "corrected"
    assert held(memory, "2026-05-01") == {("billing", "owner"): "Erika"}
    assert state(memory, "", "", "Erika", corrects=first.fact.fact_id).done == "unchanged"

    assert state(memory, "", "", retracts=right.fact.fact_id).done == "retracted"
    assert not held(memory, "2026-05-01")
    assert state(memory, "", "", retracts=right.fact.fact_id).done == "unchanged"
    said = [(e.fact.object, e.known_until is None) for e in memory.facts.history("billing").entries]
    assert said == [("Erik", False), ("Erika", False), ("ended", True)]


def test_who_asks_for_what_has_ended_is_told_so(memory: Memory) -> None:
    memory.add("The ledger is audited every March by Holm & Partners.")
    state(memory, "billing", "owner", "Erik", since="2026-01-01")
    state(memory, "billing", "owner", ends=True, until="2026-03-01")

    def said(question: str) -> str:
        return memory.ask(question).contract.answer

    assert "ended (1 Mar 2026)" in said("Who owns billing?")
    assert "Erik" in said("Who owned billing in February 2026?")
    state(memory, "billing", "owner", "Tove", since="2026-04-01")
    assert "Tove" in said("Who owns billing?")


def test_two_values_that_nothing_orders_contradict_each_other(memory: Memory) -> None:
    erik = StatementInput(subject="billing", attribute="owner", value="Erik", since="2026-08-10")
    dagny = msgspec.structs.replace(erik, value="Dagny")
    one, other = memory.facts.state([erik, dagny])
    assert [k.value for k in one.contradicts] == ["Dagny"]
    assert [k.value for k in other.contradicts] == ["Erik"]
    assert not other.replaced


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (40, {"type": "number", "number": 40, "unit": ""}),
        ("40 mW", {"type": "number", "number": 40, "unit": "mW"}),
        ("€1,500", {"type": "number", "number": 1500, "unit": "€"}),
        ("3.10", {"type": "text", "text": "3.10"}),
        ("2026-03-01", {"type": "date", "date": "2026-03-01"}),
        ("Tuesdays", {"type": "text", "text": "Tuesdays"}),
        (["a", 2], {"type": "list", "list": [
            {"type": "text", "text": "a"}, {"type": "number", "number": 2, "unit": ""}]}),
    ],
)  # fmt: skip
def test_a_value_keeps_its_type(memory: Memory, value: object, kind: dict[str, object]) -> None:
    made = state(memory, "billing", "limit", value)
    assert made.fact.provenance["typed"] == kind
    assert made.fact.provenance["value"] == value


def test_one_that_cannot_be_stated_keeps_the_others_out(memory: Memory) -> None:
    good = StatementInput(subject="billing", attribute="owner", value="Dagny")
    for bad, error in (
        (StatementInput(subject="billing", attribute="owner"), InvalidInput),
        (StatementInput(subject=" - ", attribute="owner", value="x"), InvalidInput),
        (StatementInput(subject="a", attribute="b", value="x", since="soon"), InvalidInput),
        (StatementInput(subject="a", attribute="b", value="x", ends=True), InvalidInput),
        (StatementInput(subject="a", attribute="b", ends=True), InvalidInput),
        (
            StatementInput(
                subject="a", attribute="b", value="x", since="2026-02-01", until="2026-01-01"
            ),
            InvalidInput,
        ),
        (StatementInput(retracts="fa_none"), UnknownRecord),
    ):
        with pytest.raises(error):
            memory.facts.state([good, bad])
        assert not memory.facts()


def test_what_was_read_gives_way_to_what_is_stated_and_not_the_other_way(memory: Memory) -> None:
    memory.add("---\ntitle: billing\nfacts:\n- {predicate: owner, object: Erik}\n---\n# billing\n")
    made = state(memory, "billing", "owner", "Dagny")
    assert [key.value for key in made.replaced] == ["Erik"]
    said: list[dict[str, object]] = [{"role": "user", "content": "Billing's owner is Zoe."}]
    memory.add(said, session_id="s")
    assert [f.object for f in memory.facts("billing", "owner", live=True)] == ["Dagny"]


def test_what_was_stated_is_found_read_and_answered(memory: Memory) -> None:
    made = state(memory, "billing", "owner", "Dagny", since="2026-08-10", source="Bo")
    assert "Dagny" in memory.ask("Who is the owner of billing?").contract.answer
    ref = str(made.fact.provenance["path"])
    found = memory.get(memory.search("owner of billing").hits[0].source_ref)
    assert isinstance(found, Passage)
    assert (found.path, found.text) == (ref, "Owner of billing: Dagny (since 10 Aug 2026)")
    (entry,) = memory.facts.history("billing").entries
    assert (entry.speaker, entry.said) == ("Bo", "billing owner = Dagny")
    assert not memory.validate().errors
    memory.forget(ref)
    assert not memory.facts()


@pytest.mark.parametrize(
    "question",
    [
        "Who owned billing in September?",
        "Who owned billing in September 2026?",
        "Who was the owner of billing in September?",
    ],
)
def test_a_month_that_is_over_is_answered_by_what_held_then_with_its_end(
    memory: Memory, question: str
) -> None:
    state(memory, "billing", "owner", "Dagny", since="2026-08-10")
    state(memory, "billing", "owner", "Bo", since="2026-10-10")
    answer = memory.ask(question).contract.answer
    assert answer == "Owner of billing: Dagny (from 10 Aug 2026 to 10 Oct 2026) [1]."


VALUES = st.sampled_from(["Erik", "Dagny", "Tove"])
KEYS = st.sampled_from([("billing", "owner"), ("Billing", "OWNER"), ("billing", "deploy day")])
DAYS = st.dates(min_value=date(2026, 1, 1), max_value=date(2026, 2, 1)).map(str)


@st.composite
def statement(draw: st.DrawFn) -> StatementInput:
    subject, attribute = draw(KEYS)
    ends = draw(st.integers(0, 5)) == 0
    dated = draw(st.booleans())
    day = draw(DAYS)
    return StatementInput(
        subject=subject,
        attribute=attribute,
        value="" if ends else draw(VALUES),
        since=day if dated and not ends else "",
        until=day if ends else "",
        said_at=f"{draw(DAYS)}T{draw(st.integers(10, 20))}:00:00Z",
        ends=ends,
    )


@settings(max_examples=30)
@given(st.lists(statement(), min_size=1, max_size=8), st.integers(0, 999))
def test_the_order_in_which_statements_come_does_not_matter(
    statements: list[StatementInput], seed: int
) -> None:
    shuffled = Random(seed).sample(statements, len(statements))
    seen: list[object] = []
    for order in (statements, shuffled, [*shuffled, *statements]):
        with Memory.open("memory:", embedder=None, clock=lambda: NOW) as memory:
            for each in order:
                memory.facts.state(each)
            moments = ("2026-01-10", "2026-01-20", "2026-02-20", NOW)
            seen.append([held(memory, moment) for moment in moments])
    assert seen[0] == seen[1] == seen[2]


def follow(rows: Sequence[dict[str, object]], memory: Memory, *, looks: bool) -> tuple[int, int]:
    """How many changes were followed, and how many facts gave way to one of another key."""
    key_of: dict[str, object] = {}
    followed = merged = 0
    for row in rows:
        fields = {k: v for k, v in row.items() if k not in ("key", "renamed")}
        made = state(memory, **fields)  # type: ignore[arg-type]
        mine = [i for i, key in key_of.items() if key == row["key"]]
        if looks and mine and not made.replaced:
            known = (k.fact_id for k in (*made.other_keys, *made.near_keys) if k.fact_id in mine)
            if old := next(known, None):
                state(memory, "", "", retracts=made.fact.fact_id)
                made = state(memory, **fields, replaces=old)  # type: ignore[arg-type]
        replaced = [k.fact_id for k in made.replaced]
        followed += any(i in mine for i in replaced)
        merged += sum(i not in mine for i in replaced)
        key_of[made.fact.fact_id] = row["key"]
    return followed, merged


def test_changes_are_followed_with_the_keys_handed_back_and_nothing_is_merged_wrongly() -> None:
    rows = [json.loads(line) for line in CHANGES.read_text(encoding="utf-8").splitlines()]
    changes = len(rows) - len({row["key"] for row in rows})
    assert changes >= 55
    for looks, least in ((True, 0.95), (False, 0.6)):
        with Memory.open("memory:", embedder=None, clock=lambda: NOW) as memory:
            followed, merged = follow(rows, memory, looks=looks)
        assert merged == 0
        assert followed >= least * changes, f"{followed} of {changes}"


def test_secrets_are_not_kept(memory: Memory) -> None:
    made = state(memory, "deploy", "api_key", "ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    assert "e42F292c" not in json.dumps(made.fact.provenance) + made.fact.object


@pytest.mark.parametrize(
    ("source", "trust"),
    [
        ("", "user"),
        ("Dagny", "user"),
        ("agent", "agent"),
        ("src/owners.toml", "repository"),
        ("https://example.org/owners", "page"),
        ("www.example.org", "page"),
        ("tool: pytest", "tool"),
        ("Tooley", "user"),
        ("seen at https://example.org/owners", "page"),
        ("example.org/owners", "page"),
        ("//example.org", "page"),
        ("\u200btool: pytest", "tool"),
        (".github/owners.toml", "repository"),
        ("file:///srv/owners.toml", "repository"),
    ],
)
def test_each_source_has_a_class(source: str, trust: str) -> None:
    assert trust_of(source) == trust


@pytest.mark.parametrize("source", ["https://example.org/owners", "tool: lookup"])
def test_what_a_page_or_a_tool_states_against_a_user_waits(memory: Memory, source: str) -> None:
    own = state(memory, "billing", "owner", "Erik")
    against = {
        "value": {"value": "Mallory"},
        "future": {"value": "Mallory", "since": "2027-01-01"},
        "end": {"value": "", "ends": True, "until": "2026-02-01"},
        "correction": {"value": "Mallory", "corrects": own.fact.fact_id},
        "other key": {"attribute": "boss", "value": "Mallory", "replaces": own.fact.fact_id},
    }
    for how, said in against.items():
        whole = {"subject": "billing", "attribute": "owner", "source": source, **said}
        told = memory.facts.state(msgspec.convert(whole, StatementInput))[0]
        assert (how, told.done) == (how, "proposed")
        assert (how, held(memory)) == (how, {("billing", "owner"): "Erik"})
    assert len(memory.facts.proposals()) == len(against)
    assert not any("Mallory" in hit.text for hit in memory.search("Who owns billing?").hits)
    for key, value in (("tier", "2"), ("tier", "3"), ("owner", "Erik")):
        assert state(memory, "billing", key, value, source=source).done == "stated"
    assert state(memory, "billing", "owner", "Mallory", source=source).done == "proposed"
    assert state(memory, "billing", "owner", "Dagny", source="agent").done == "stated"


PAGE = "https://example.org/owners"


def test_a_page_gets_round_a_user_by_no_other_way(memory: Memory) -> None:
    """By an end or an earlier begin of the same value, by way of its own statement, or by
    characters that nothing shows."""
    state(memory, "billing", "owner", "Erik", since="2026-01-01")
    state(memory, "billing", "owner", "Dagny", since="2026-06-01")
    told = state(memory, "billing", "owner", "Dagny", source=PAGE)
    own = told.fact.fact_id
    ways = {
        "end": {"value": "Dagny", "until": "2026-07-01"},
        "begin": {"value": "Dagny", "since": "2026-03-01"},
        "correction": {"value": "Mallory", "corrects": own},
        "place": {"value": "Mallory", "replaces": own},
        "spelling": {"value": "Mallory", "attribute": "owner\u200b"},
    }
    for how, said in ways.items():
        whole = {"subject": "billing", "attribute": "owner", "source": PAGE, **said}
        done = memory.facts.state(msgspec.convert(whole, StatementInput))[0].done
        assert (how, done) == (how, "proposed")
    assert held(memory) == {("billing", "owner"): "Dagny"}
    assert held(memory, "2026-04-01") == {("billing", "owner"): "Erik"}


def test_what_a_page_stated_first_gives_way_to_what_a_user_states(memory: Memory) -> None:
    state(memory, "billing", "owner", "Mallory", since="2027-01-01", source=PAGE)
    state(memory, "billing", "tier", "2", source=PAGE)
    state(memory, "billing", "owner", "Erik")
    told = state(memory, "billing", "tier", "1", since="2026-06-01")
    assert [key.value for key in told.replaced] == ["2"]
    for day in ("2026-12-02", "2027-06-01"):
        assert held(memory, day) == {("billing", "owner"): "Erik", ("billing", "tier"): "1"}


def test_what_a_user_confirms_is_the_users(memory: Memory) -> None:
    state(memory, "billing", "owner", "Erik", source=PAGE)
    assert state(memory, "billing", "owner", "Erik").done == "stated"
    assert state(memory, "billing", "owner", "Erik").done == "unchanged"
    assert state(memory, "billing", "owner", "Mallory", source=PAGE).done == "proposed"


@pytest.mark.parametrize("where", ["source_ref", "group"])
@pytest.mark.parametrize("source", [PAGE, "tool: lookup"])
def test_the_text_of_a_page_or_a_tool_takes_no_place_of_a_user(
    memory: Memory, where: str, source: str
) -> None:
    listed = {"subject": "billing", "predicate": "owner", "object": "Mallory"}
    facts: dict[str, Any] = {"facts": [{**listed, "valid_from": "2026-12-01"}]}
    state(memory, "billing", "owner", "Erik", since="2026-01-01")
    memory.add("Owners", properties=facts, **{where: source})  # type: ignore[arg-type]
    assert held(memory) == {("billing", "owner"): "Erik"}
    memory.add("Owners of all", source_ref="owners.md", properties=facts)
    assert held(memory) == {("billing", "owner"): "Mallory"}


def test_a_proposal_is_accepted_or_refused_and_waits_once(memory: Memory) -> None:
    state(memory, "billing", "owner", "Erik")
    page = "https://example.org/owners"
    for _ in range(2):
        state(memory, "billing", "owner", "Dagny", source=page)
    state(memory, "billing", "owner", "Mallory", source=page)
    waiting = {each.statement.value: each for each in memory.facts.proposals()}
    assert {value: each.trust for value, each in waiting.items()} == {
        "Dagny": "page",
        "Mallory": "page",
    }
    dagny, mallory = waiting["Dagny"].id, waiting["Mallory"].id
    for wrong, error in (((dagny,), InvalidInput), (("proposed:x",), UnknownRecord)):
        with pytest.raises(error):
            memory.facts.accept([dagny], refuse=wrong)
        assert len(memory.facts.proposals()) == 2
    (told,) = memory.facts.accept([dagny, dagny], refuse=[mallory])
    assert (told.done, [k.value for k in told.replaced]) == ("stated", ["Erik"])
    assert memory.facts.proposals() == []
    assert held(memory) == {("billing", "owner"): "Dagny"}
    assert state(memory, "billing", "owner", "Eve", source=page).done == "proposed"
    with pytest.raises(UnknownRecord):
        memory.facts.accept([mallory])

"""What a scope or a namespace hides is in no part of a plan and in no hit, whatever the graph."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quipu.config import Config
from quipu.kinds.conversations.candidates import TurnCandidates
from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory
from quipu.plan import plan
from quipu.question import read_question
from quipu.records.passage import PassageInput
from quipu.records.plan import Plan
from quipu.records.scope import Scope
from quipu.retrieve import retrieve
from quipu.testing.fakes import HashEmbedder

GROUPS = ("open", "closed")
PLACES = range(6)
PLACE = st.sampled_from(PLACES)
TIE = st.tuples(PLACE, st.sampled_from(("REFERENCES", "PART_OF", "USES")), PLACE)
GRAPH = st.lists(TIE, max_size=10, unique=True)
SIDES = st.lists(st.sampled_from(GROUPS), min_size=len(PLACES), max_size=len(PLACES))
MODES = ("local", "documents")


def passages(sides: list[str]) -> list[PassageInput]:
    return [
        PassageInput(
            source_ref=f"p{i}",
            title=f"Tower {'ABCDEF'[i]}",
            text=f"Tower {'ABCDEF'[i]} of {side} stands beside Tower {'ABCDEF'[i - 1]} in Basel.",
            group=side,
            profile="prose",
        )
        for i, side in enumerate(sides)
    ]


def filled(sides: list[str], graph: list[tuple[int, str, int]], url: str = "memory:") -> Memory:
    memory = Memory.open(url, config=Config(), embedder=HashEmbedder())
    memory.add_documents(passages(sides))
    for source, kind, target in graph:
        if source != target:
            memory.relate(f"p{source}", kind, f"p{target}")
    return memory


def documents(memory: Memory) -> dict[str, str]:
    return {s.document_id: s.source_ref for s in memory.store.sources() if s.document_id}


def reached(made: Plan) -> set[str]:
    """Every document that a plan speaks of."""
    ends = {end for e in made.expansions for end in (e.source_id, e.target_id)}
    named = {anchor.entity_id for anchor in made.anchors}
    return ends | named | {seed.document_id for seed in made.seeds}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sides=SIDES, graph=GRAPH, asked=PLACE, mode=st.sampled_from(MODES))
def test_what_a_scope_hides_is_in_no_plan_and_no_hit(
    sides: list[str], graph: list[tuple[int, str, int]], asked: int, mode: str
) -> None:
    question = f"Who owns Tower {'ABCDEF'[asked]} and what does it use?"
    embedder = HashEmbedder()
    with filled(sides, graph) as memory:
        only = Scope(groups=frozenset({"open"}))
        made = plan(read_question(question), memory.store, embedder, mode=mode, scope=only)  # type: ignore[arg-type]
        found = retrieve(made, memory.store, embedder, limit=50)
        hidden = {d for d, ref in documents(memory).items() if sides[int(ref[1:])] == "closed"}
        assert not hidden & reached(made)
        assert not hidden & {hit.document_id for hit in found.hits}
        assert not hidden & {i for hit in found.hits for i in hit.graph_ids}
        assert "closed" not in msgspec.json.encode((made, found.hits)).decode()


@pytest.mark.parametrize("url", ["memory:", "sqlite"])
def test_a_relation_of_a_named_record_brings_no_passage_from_outside(
    tmp_path: Path, url: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "a.py").write_text("def peel(fruit):\n    return fruit\n")
    (home / "b.py").write_text("from a import peel\n\ndef cook():\n    return peel(1)\n")
    place = "memory:" if url == "memory:" else str(tmp_path / "quipu.db")
    with Memory.open(place, home=home, config=Config(), embedder=HashEmbedder()) as memory:
        memory.index(home)
        b = next(d for d, ref in documents(memory).items() if ref == "b.py")
        only = Scope(document_ids=frozenset({b}))
        everywhere = memory.search("Where is peel defined?").hits
        assert "a.py" in {hit.path for hit in everywhere}
        found = memory.search("Where is peel defined?", scope=only)
        assert {hit.path for hit in found.hits} == {"b.py"}
        assert {seed.document_id for seed in found.plan.seeds} == {b}


@pytest.fixture
def few_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TurnCandidates, "whole_up_to", 40)


def _talk(session: str, said: dict[int, str], count: int = 100) -> Transcript:
    turns = tuple(
        Turn(
            session_id=session,
            offset=n,
            speaker="Ann" if n % 2 else "Bo",
            role="other",
            text=said.get(n, f"We talked of the weather {n} times."),
            time=f"2024-05-{1 + n // 10:02d}T10:00:00.000Z",
        )
        for n in range(1, count + 1)
    )
    return Transcript(session_id=session, group=session, turns=turns)


def test_a_session_longer_than_the_bound_is_still_searched(few_turns: None) -> None:
    with Memory.open("memory:", config=Config(), embedder=HashEmbedder()) as memory:
        memory.ingest_sessions([_talk("long", {77: "I adopted a greyhound called Pepper."})])
        found = memory.search("Who adopted the greyhound called Pepper?").hits
        assert "greyhound" in found[0].text
        assert found[0].path == "session:long#77"


def test_turns_of_a_near_session_obey_the_scope(few_turns: None) -> None:
    said = {3: "I adopted a greyhound called Pepper.", 90: "Pepper the greyhound sleeps a lot."}
    with Memory.open("memory:", config=Config(), embedder=HashEmbedder()) as memory:
        memory.ingest_sessions([_talk("one", said, 100), _talk("two", {}, 30)])
        only = Scope(before="2024-05-05T00:00:00.000Z")
        found = memory.search("Who adopted the greyhound called Pepper?", scope=only, limit=50)
        assert {hit.path for hit in found.hits} >= {"session:one#3"}
        assert all(int(hit.path.rpartition("#")[2]) < 50 for hit in found.hits)

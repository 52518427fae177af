import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from quipu.errors import StoreUnavailable
from quipu.memory import Memory
from quipu.plan import plan
from quipu.question import read_question
from quipu.records.plan import Plan, Seed
from quipu.records.scope import Scope
from quipu.testing.fakes import HashEmbedder

QUESTION = "Where did the artist who performed Hello Love live?"


class Recording:
    """A planner that writes down which of its methods were called, in order."""

    def __init__(self, store: Any, broken: frozenset[str] = frozenset()) -> None:
        self._store = store
        self._broken = broken
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found):
            return found
        return self._recorded(name, found)

    def _recorded(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            self.calls.append(name)
            if name in self._broken:
                raise StoreUnavailable(f"{name} is broken: mend it")
            return method(*args, **more)

        return call


def _plan(songs: Memory, question: str = QUESTION, **more: Any) -> Plan:
    return plan(read_question(question), songs.store, HashEmbedder(), **more)


def _titles(songs: Memory, found: Plan) -> dict[str, str]:
    chunks = songs.store.get([seed.chunk_id for seed in found.seeds])
    return {chunk_id: getattr(chunk, "title", "") for chunk_id, chunk in chunks.items()}


def test_the_graph_is_asked_before_words_and_vectors(songs: Memory) -> None:
    recording = Recording(songs.store)
    plan(read_question(QUESTION), recording, HashEmbedder())  # type: ignore[arg-type]
    searched = min(recording.calls.index(name) for name in ("match_text", "match_vector"))
    assert recording.calls.index("named") < searched


def test_planning_reads_no_text_and_writes_nothing(songs: Memory) -> None:
    recording = Recording(songs.store)
    plan(read_question(QUESTION), recording, HashEmbedder())  # type: ignore[arg-type]
    assert not {"chunks", "write", "forget", "drop_space"} & set(recording.calls)


def test_the_same_question_gives_the_same_bytes_and_survives_json(songs: Memory) -> None:
    first, second = _plan(songs), _plan(songs)
    assert msgspec.json.encode(first) == msgspec.json.encode(second)
    assert msgspec.json.decode(msgspec.json.encode(first), type=Plan) == first


def test_the_titled_passage_is_the_first_seed_and_bridges_lead_on(songs: Memory) -> None:
    found = _plan(songs)
    assert _titles(songs, found)[found.seeds[0].chunk_id] == "Hello Love"
    assert "name" in found.seeds[0].reasons
    assert any(bridge.key == "hank snow" for bridge in found.bridges)


def test_without_the_graph_there_are_neither_anchors_nor_bridges(songs: Memory) -> None:
    found = _plan(songs, use_graph=False)
    assert (found.anchors, found.expansions, found.bridges) == ((), (), ())
    assert [s.chunk_id for s in found.seeds] == [s.chunk_id for s in _plan(songs).seeds]


def test_documents_mode_without_relations_is_plain_search(songs: Memory) -> None:
    with_graph = _plan(songs, mode="documents")
    without = _plan(songs, mode="documents", use_graph=False)
    assert with_graph.seeds == without.seeds
    assert with_graph.expansions == ()


def test_documents_mode_follows_one_outgoing_hop(songs: Memory) -> None:
    songs.relate("song", "REFERENCES", "fruit")
    songs.relate("fruit", "REFERENCES", "city")
    songs.relate("song", "REFERENCES", "city")
    only = Scope(document_ids=frozenset({_id(songs, "song"), _id(songs, "fruit")}))
    found = _plan(songs, mode="documents", scope=only)
    assert [(e.via, e.target_id, e.hops) for e in found.expansions] == [
        ("REFERENCES", _id(songs, "fruit"), 1)
    ]


def _id(songs: Memory, ref: str) -> str:
    source = next(s for s in songs.store.sources() if s.source_ref == ref)
    assert source.document_id is not None
    return source.document_id


def test_a_scope_bounds_seeds_and_bridges(songs: Memory) -> None:
    only = Scope(document_ids=frozenset({_id(songs, "song"), _id(songs, "fruit")}))
    found = _plan(songs, scope=only)
    assert found.scope == only
    assert set(_titles(songs, found).values()) <= {"Hello Love", "Bananas"}
    assert "hank snow" not in {bridge.key for bridge in found.bridges}


@pytest.mark.parametrize("call", ["named", "neighbors"])
def test_a_failing_graph_leaves_plain_search_and_a_note(songs: Memory, call: str) -> None:
    broken = Recording(songs.store, frozenset({call}))
    found = plan(read_question(QUESTION), broken, HashEmbedder())  # type: ignore[arg-type]
    assert found.seeds
    assert found.anchors == ()
    assert any("graph could not be read" in note for note in found.notes)


def test_without_a_model_words_answer_and_a_note_says_so(songs: Memory) -> None:
    found = plan(read_question(QUESTION), songs.store, None)
    assert found.space is None
    assert found.seeds
    assert any("No embedding model" in note for note in found.notes)


def test_nothing_in_a_plan_can_be_changed() -> None:
    seed = Seed(chunk_id="ch_1", document_id="en_1", profile="prose", reasons=(), parts={"name": 1})
    read = msgspec.json.decode(msgspec.json.encode(seed), type=Seed)
    assert read == seed == copy.deepcopy(seed) == pickle.loads(pickle.dumps(seed))
    for held in (seed.parts, read.parts, copy.deepcopy(seed).parts):
        for change in (
            lambda d: d.update(text=3),
            lambda d: d.__setitem__("text", 3),
            lambda d: d.pop("name"),
            lambda d: operator.ior(d, {"text": 3}),
        ):
            with pytest.raises(TypeError, match="frozen"):
                change(held)

import msgspec
import pytest

from quipu.memory import Memory
from quipu.plan import plan
from quipu.question import read_question
from quipu.records.batch import Batch, Claim
from quipu.records.ids import make_id, name_id
from quipu.records.plan import Plan
from quipu.records.record import Entity
from quipu.records.reply import Retrieved
from quipu.retrieve import retrieve
from quipu.testing.fakes import HashEmbedder

QUESTION = "Where did the artist who performed Hello Love live?"
PARTS = {
    "similarity",
    "lexical",
    "name",
    "bridge",
    "graph_proximity",
    "recency",
    "salience",
}


def _search(songs: Memory, question: str = QUESTION, **more: object) -> Retrieved:
    embedder = HashEmbedder()
    made = plan(read_question(question), songs.store, embedder, **more)  # type: ignore[arg-type]
    return retrieve(made, songs.store, embedder)


def test_every_part_is_named_and_in_range(songs: Memory) -> None:
    for hit in _search(songs).hits:
        assert set(hit.why_ranked.parts) == PARTS
        assert all(0 <= part <= 1 for part in hit.why_ranked.parts.values())


def test_the_walk_brings_the_passage_that_shares_a_name(songs: Memory) -> None:
    hits = {hit.path: hit for hit in _search(songs).hits}
    singer = hits["singer"]
    assert singer.why_ranked.parts["bridge"] > 0
    assert singer.why_ranked.path[0].via == name_id("hank snow")
    assert singer.why_ranked.path[0].source_id == hits["song"].id
    assert name_id("hank snow") in singer.graph_ids


def test_replaying_a_plan_gives_the_same_hits_and_searches_nothing(songs: Memory) -> None:
    first = _search(songs)
    replayed = msgspec.json.decode(msgspec.json.encode(first.plan), type=Plan)
    store = _NoSearch(songs.store)
    again = retrieve(replayed, store, HashEmbedder())  # type: ignore[arg-type]
    assert msgspec.json.encode(again.hits) == msgspec.json.encode(first.hits)


class _NoSearch:
    def __init__(self, store: object) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        assert name not in {"match_text", "match_vector", "named", "neighbors"}, name
        return getattr(self._store, name)


def test_a_document_outside_the_plan_is_never_given(songs: Memory) -> None:
    embedder = HashEmbedder()
    made = plan(read_question(QUESTION), songs.store, embedder)
    fewer = msgspec.structs.replace(made, seeds=made.seeds[:1], bridges=())
    hits = retrieve(fewer, songs.store, embedder).hits
    assert [hit.id for hit in hits] == [made.seeds[0].chunk_id]


def test_code_and_prose_meet_in_one_list(songs: Memory) -> None:
    hits = _search(songs, "take the peel off a banana").hits
    assert hits[0].path == "peel.py"
    assert hits[0].why_ranked.profile == "code"
    assert "prose" in {hit.why_ranked.profile for hit in hits}


def test_documents_mode_without_relations_equals_no_graph(songs: Memory) -> None:
    def shown(found: Retrieved) -> list[tuple[str, float]]:
        return [(hit.id, hit.score) for hit in found.hits]

    assert shown(_search(songs, mode="documents")) == shown(
        _search(songs, mode="documents", use_graph=False)
    )


def test_documents_mode_adds_what_a_relation_reaches(songs: Memory) -> None:
    before = _search(songs, "performed Hello Love", mode="documents").hits
    songs.relate("song", "REFERENCES", "fruit")
    found = _search(songs, "performed Hello Love", mode="documents")
    fruit = next(hit for hit in found.hits if hit.path == "fruit")
    assert any(graph_id.startswith("re_") for graph_id in fruit.graph_ids)
    (way,) = found.plan.expansions
    (step,) = fruit.why_ranked.path
    assert (step.source_id, step.target_id) == (way.source_id, fruit.document_id)
    assert step.via == f"REFERENCES ({way.rel_id})"
    assert len(found.hits) >= len(before)


def test_a_relation_asked_for_brings_the_passage_that_supports_it(songs: Memory) -> None:
    songs.add("Payments is kept by the billing people.", source_ref="note", title="Note")
    songs.relate("song", "DEPENDS_ON", "fruit")
    assert _search(songs, "what does Hello Love depend on").hits[0].path in {"song", "fruit"}


def test_a_hit_says_what_brought_it(songs: Memory) -> None:
    hits = _search(songs, QUESTION).hits
    for hit in hits:
        parts = hit.why_ranked.parts
        own = parts["similarity"] > 0 or parts["lexical"] > 0
        tied = parts["graph_proximity"] > 0 or parts["bridge"] > 0
        assert hit.why_ranked.found_by == (
            "both" if own and tied else "graph" if tied else "vector"
        )
    assert {hit.why_ranked.found_by for hit in hits} >= {"vector", "both"}
    plain = songs.search(QUESTION, use_graph=False).hits
    assert {hit.why_ranked.found_by for hit in plain} == {"vector"}


@pytest.mark.parametrize("name", ["Ada Lovelace", "ADA LOVELACE", "Countess Ada"])
def test_a_record_is_known_by_any_of_its_names_however_it_is_spelt(name: str) -> None:
    with Memory.open("memory:", embedder=HashEmbedder()) as memory:
        memory.add("---\nowner: someone\n---\n# Notes\n\nNothing of her.", source_ref="n.md")
        record = Entity(
            entity_id=make_id("entity", "person", "ada"),
            type="person",
            name="Ada Lovelace",
            aliases=("Countess Ada",),
            updated_at="2026-01-01T00:00:00.000Z",
            source_sha="0",
        )
        episode = next(iter(memory.store.sources())).episode_id
        memory.store.write(
            Batch(recorded_at="2026-01-02T00:00:00.000Z", claims=(Claim(record, episode),))
        )
        assert _search(memory, f"What did {name} write?").signals["nfound"] == 1.0

"""The part of the store's contract that is about finding: words, names' postings, vectors."""

import dataclasses

import msgspec
import numpy as np
import pytest

from quipu.errors import SpaceMismatch, UnknownRecord
from quipu.ports import Store
from quipu.records.batch import Batch, Claim
from quipu.records.record import Chunk
from quipu.records.scope import EVERYTHING, Scope
from quipu.testing.store_sample import (
    OTHER,
    VERSION_A,
    VERSION_B,
    chunk,
    document,
    embedding,
    moment,
    one_source,
    texts,
)

HOSTILE = (
    "'; DROP TABLE support; --",
    '"quoted" OR 1=1',
    "nul\0inside",
    "%_*?[a-z]",
    "🦙🦙",
    "lone \ud800 surrogate",
    "x" * 100_000,
    "",
)


class SearchContract:
    """Inherited by `StoreContract`."""

    def test_text_search_ranks_by_bm25(self, store: Store) -> None:
        store.write(one_source(VERSION_A, "red red cord", "red knot tie", "blue road", at=1))
        found = store.match_text("prose", {"red": 1.0, "knot": 2.0, "absent": 1.0})
        found_texts = [c.text for c in store.chunks(found.numbers)]
        assert found_texts == ["red knot tie", "red red cord"]
        idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
        expected = idf * (2 * 2.2) / (2 + 1.2 * (0.25 + 0.75 * 3 / (8 / 3)))
        assert found.scores[1] == pytest.approx(expected, rel=1e-12)
        assert len(store.match_text("prose", {"red": 1.0}, limit=1).numbers) == 1
        assert len(store.match_text("title", {"red": 1.0}).numbers) == 0

    def test_ties_break_by_id(self, store: Store) -> None:
        store.write(one_source(VERSION_A, *(f"red w{n}" for n in range(20)), at=1))
        ids = store.chunk_ids(store.match_text("prose", {"red": 1.0}).numbers)
        assert ids == sorted(ids)

    def test_a_scope_bounds_every_search(self, store: Store) -> None:
        claims = (Claim(document(VERSION_A, type="adr", status="open"), VERSION_A.episode_id),)
        near = embedding(chunk(VERSION_A, 0, "red one").chunk.chunk_id, "small", 1)
        far = embedding(chunk(OTHER, 0, "red two").chunk.chunk_id, "small", 2)
        store.write(one_source(VERSION_A, "red one", at=1, claims=claims, embeddings=(near,)))
        store.write(one_source(OTHER, "red two", at=2, embeddings=(far,)))
        query = np.asarray(near.vector, dtype=np.float32)
        for scope, expected in (
            (Scope(groups=frozenset({"g1"})), ["red two"]),
            (Scope(document_types=frozenset({"adr"})), ["red one"]),
            (Scope(statuses=frozenset({"open"}), before=moment(2)), ["red one"]),
            (Scope(before=moment(1)), []),
            (Scope(after=moment(3)), ["red two"]),
            (Scope(chunk_ids=frozenset({far.chunk_id, "ch_0"})), ["red two"]),
            (Scope(profiles=frozenset({"code"})), []),
        ):
            words = store.match_text("prose", {"red": 1.0}, scope=scope)
            vectors = store.match_vector(query, space="small", scope=scope)
            assert [c.text for c in store.chunks(words.numbers)] == expected
            assert [c.text for c in store.chunks(vectors.numbers)] == expected
            assert store.occurrences("prose", ["red"], scope=scope)["red"].df == len(expected)
            assert [c.text for c in store.scan("chunk", scope=scope) if isinstance(c, Chunk)] == (
                expected
            )

    def test_the_values_of_filters_are_those_of_live_chunks(self, store: Store) -> None:
        assert store.filter_values("document_types") == []
        claims = (Claim(document(VERSION_A, type="adr", status="open"), VERSION_A.episode_id),)
        store.write(one_source(VERSION_A, "red one", at=1, claims=claims))
        store.write(one_source(OTHER, "red two", at=2))
        assert store.filter_values("document_types") == ["adr"]
        assert store.filter_values("statuses") == ["open"]
        assert store.filter_values("domains") == []
        kinds = {VERSION_A.source_type, OTHER.source_type}
        assert store.filter_values("source_types") == sorted(kinds)
        store.write(Batch(recorded_at=moment(3), replaces=(VERSION_A.source_ref,)))
        assert store.filter_values("document_types") == []
        assert store.filter_values("source_types") == [OTHER.source_type]

    def test_a_scope_follows_an_episode_that_is_put_again(self, store: Store) -> None:
        document_type = Scope(document_types=frozenset({"adr"}))
        store.write(
            one_source(
                VERSION_A,
                "red",
                at=1,
                claims=(Claim(document(VERSION_A, type="adr"), VERSION_A.episode_id),),
            )
        )
        later = msgspec.structs.replace(OTHER, observed_at=moment(5))
        guide = document(VERSION_A, type="guide")
        store.write(one_source(later, "blue", at=2, claims=(Claim(guide, OTHER.episode_id),)))
        scoped = store.match_text("prose", {"red": 1.0}, scope=document_type)
        assert store.chunk_ids(scoped.numbers) == []
        grouped = Scope(groups=frozenset({"elsewhere"}))
        assert store.occurrences("prose", ["red"], scope=grouped)["red"].df == 0
        # Nothing but the episode is written: the document's sources now rank the other way.
        earlier = msgspec.structs.replace(OTHER, observed_at=moment(0))
        moved = msgspec.structs.replace(VERSION_A, group="elsewhere")
        store.write(Batch(recorded_at=moment(3), episodes=(earlier, moved)))
        assert texts(store, red=1) == ["red"]
        for scope in (document_type, grouped):
            assert store.occurrences("prose", ["red"], scope=scope)["red"].df == 1

    def test_an_emptied_namespace_is_searched(self, store: Store) -> None:
        one = chunk(VERSION_A, 0, "red").chunk.chunk_id
        near = embedding(one, "small", 1)
        store.write(one_source(VERSION_A, "red", at=1, embeddings=(near,)))
        query = np.asarray(near.vector, dtype=np.float32)
        before = Scope(before=moment(9))
        number = store.match_vector(query, space="small", scope=before).numbers
        assert store.chunk_ids(number) == [one]
        store.write(Batch(recorded_at=moment(2), replaces=(VERSION_A.source_ref,)))
        for scope in (EVERYTHING, before, Scope(chunk_ids=frozenset({one}))):
            assert len(store.match_vector(query, space="small", scope=scope).numbers) == 0
            assert len(store.match_text("prose", {"red": 1.0}, scope=scope).numbers) == 0
            assert store.occurrences("prose", ["red"], scope=scope)["red"].df == 0
        assert not store.vectors(number, "small").any()
        assert [len(rows) for rows in store.parts(number, "small")] == [0]
        assert store.frequencies("prose", ["red"], number).tf.tolist() == [[0]]
        store.write(one_source(OTHER, "blue", at=3))
        assert len(store.match_vector(query, space="small", scope=before).numbers) == 0

    def test_vectors_are_nearest_first(self, store: Store) -> None:
        ids = [chunk(VERSION_A, n, f"w{n}").chunk.chunk_id for n in range(9)]
        vectors = tuple(embedding(i, "small", n) for n, i in enumerate(ids))
        store.write(one_source(VERSION_A, *(f"w{n}" for n in range(9)), at=1, embeddings=vectors))
        query = np.asarray(vectors[4].vector, dtype=np.float32)
        found = store.match_vector(query, space="small", limit=3)
        assert store.chunk_ids(found.numbers)[0] == ids[4]
        assert found.scores[0] == pytest.approx(1.0, abs=1e-3)
        rows = store.vectors(found.numbers, "small")
        np.testing.assert_allclose(rows @ query, found.scores, atol=1e-5)
        assert [len(p) for p in store.parts(store.numbers(ids[:4]), "small")] == [0, 1, 2, 3]

    def test_spaces_do_not_mix(self, store: Store) -> None:
        one = chunk(VERSION_A, 0, "a").chunk.chunk_id
        store.write(one_source(VERSION_A, "a", at=1, embeddings=(embedding(one, "small", 1),)))
        with pytest.raises(SpaceMismatch, match="small"):
            store.match_vector(np.ones(5, dtype=np.float32), space="small")
        assert len(store.match_vector(np.ones(5, dtype=np.float32), space="none").numbers) == 0
        wrong = embedding(one, "other", 1)
        wrong = type(wrong)(one, "small", wrong.vector, wrong.parts)
        with pytest.raises(SpaceMismatch):
            store.write(Batch(recorded_at=moment(2), embeddings=(wrong,)))
        store.drop_space("small")
        store.drop_space("small")
        assert store.spaces() == {}
        assert store.vectors(store.numbers([one]), "small").shape == (1, 0)
        assert [c.chunk_id for c in store.unembedded("small")] == [one]

    def test_vectors_are_counted_by_profile(self, store: Store) -> None:
        prose, code = chunk(VERSION_A, 0, "a"), chunk(VERSION_A, 1, "b", profile="code")
        made = (embedding(prose.chunk.chunk_id, "small", 1),)
        batch = one_source(VERSION_A, at=1, embeddings=made)
        store.write(dataclasses.replace(batch, chunks=(prose, code)))
        assert store.profiles() == {"code": 1, "prose": 1}
        assert store.spaces({"prose"}) == store.spaces({"prose", "code"}) == {"small": 1}
        assert store.spaces({"code"}) == {"small": 0}
        assert store.unembedded("small", profiles={"prose"}) == []
        assert [c.text for c in store.unembedded("small", profiles={"code"})] == ["b"]

    def test_a_vector_of_a_chunk_that_left_is_no_error(self, store: Store) -> None:
        late = embedding(chunk(VERSION_A, 0, "a").chunk.chunk_id, "small", 1)
        store.write(one_source(VERSION_A, "a", at=1))
        store.write(one_source(VERSION_B, "b", at=2))
        assert store.write(Batch(recorded_at=moment(3), embeddings=(late,))).changes == 0
        assert store.spaces() == {}

    def test_numbers_of_chunks_that_left_can_still_be_read(self, store: Store) -> None:
        store.write(one_source(VERSION_A, "old", at=1))
        found = store.match_text("prose", {"old": 1.0}).numbers
        store.write(one_source(VERSION_B, "new", at=2))
        assert [c.text for c in store.chunks(found)] == ["old"]
        assert store.frequencies("prose", ["old"], found).tf.tolist() == [[0]]
        with pytest.raises(UnknownRecord, match="99"):
            store.chunks(np.array([99]))

    @pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
    def test_hostile_text_finds_nothing_and_harms_nothing(self, store: Store, text: str) -> None:
        store.write(
            one_source(
                VERSION_A, "red", at=1, claims=(Claim(document(VERSION_A), VERSION_A.episode_id),)
            )
        )
        assert store.get([text, f"name:{text}"]) == {}
        assert store.get([text], known_at=text) == {}
        assert store.named([text]) == {text: []}
        assert store.neighbors([text], types=frozenset({text})) == {text: []}
        assert store.facts(text, text) == []
        assert store.support([text]) == {text: []}
        assert len(store.match_text("prose", {text: 1.0}).numbers) == 0
        assert len(store.match_text(text, {"red": 1.0}).numbers) == 0
        assert len(store.match_vector(np.ones(3, dtype=np.float32), space=text).numbers) == 0
        assert store.occurrences("prose", [text])[text].df == 0
        assert store.numbers([text]).tolist() == [-1]
        assert store.numbers_in([text])[text].tolist() == []
        scope = Scope(groups=frozenset({text}), document_ids=frozenset({text}), before=text)
        assert len(store.match_text("prose", {"red": 1.0}, scope=scope).numbers) == 0
        assert store.forget([text]) == 0
        assert store.sequence() == len(store.changes(0)) == 3
        assert texts(store, red=1) == ["red"]

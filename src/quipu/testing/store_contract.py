"""What every store promises, as tests that a backend runs on itself.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def open_handle(self, tmp_path):
            return lambda namespace: MyStore(tmp_path / "db", namespace=namespace)

Each call of `open_handle` gives a new handle on the same data; the fixture starts empty.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TypeAlias

import msgspec
import numpy as np
import pytest

from quipu.errors import InvalidInput, UnknownRecord
from quipu.ports import Store
from quipu.records.batch import Batch, Claim
from quipu.records.ids import make_id
from quipu.records.record import Chunk, Entity
from quipu.store import open_store
from quipu.testing.store_compare import apply, assert_same
from quipu.testing.store_neighbors import NeighborsContract
from quipu.testing.store_past import PastContract
from quipu.testing.store_sample import (
    OTHER,
    VERSION_A,
    VERSION_B,
    chunk,
    document,
    embedding,
    episode,
    fact,
    moment,
    one_source,
    operations,
    relation,
    texts,
    thing,
)
from quipu.testing.store_search import SearchContract

OpenHandle: TypeAlias = Callable[[str], Store]


class StoreContract(SearchContract, PastContract, NeighborsContract):
    """Inherit, and supply the fixture `open_handle`."""

    @pytest.fixture
    def store(self, open_handle: OpenHandle) -> Iterator[Store]:
        """A handle on the namespace "default"."""
        with open_handle("default") as store:
            yield store

    # writing

    def test_a_new_store_is_empty(self, store: Store) -> None:
        assert store.sequence() == 0
        assert set(store.counts().values()) == {0}
        assert store.changes(0) == []
        assert store.spaces() == {}

    def test_some_kinds_are_counted_as_all_are(self, store: Store) -> None:
        store.write(one_source(VERSION_A, "red cord", "blue knot", at=1))
        every = store.counts()
        assert every["chunk"] > 0
        assert {kind: store.counts({kind})[kind] for kind in every} == every
        assert set(store.counts({"chunk", "name"})) == {"chunk", "name"}

    def test_the_same_batch_again_changes_nothing(self, store: Store) -> None:
        batch = one_source(
            VERSION_A,
            "red cord",
            "blue knot",
            at=1,
            claims=(Claim(document(VERSION_A), VERSION_A.episode_id),),
        )
        first = store.write(batch)
        again = store.write(batch)
        assert first.changes == 4
        assert (again.sequence, again.changes) == (first.sequence, 0)
        assert len(store.changes(0)) == first.sequence

    def test_ending_and_claiming_in_one_batch_is_idempotent(self, store: Store) -> None:
        cord = thing("cord", at=moment(1))
        store.write(one_source(VERSION_A, "x", at=1, claims=(Claim(cord, VERSION_A.episode_id),)))
        store.write(one_source(OTHER, "y", at=2))
        batch = Batch(
            recorded_at=moment(3),
            claims=(Claim(cord, OTHER.episode_id),),
            ends=(cord.entity_id,),
        )
        assert store.write(batch).changes == 1
        assert store.write(batch).changes == 0
        assert [s.known_until for s in store.support([cord.entity_id])[cord.entity_id]] == [
            moment(3),
            None,
        ]

    def test_a_claim_of_an_unknown_episode_stores_nothing(self, store: Store) -> None:
        batch = Batch(
            recorded_at=moment(1),
            episodes=(VERSION_A,),
            claims=(Claim(document(VERSION_A), "ep_unknown"),),
        )
        with pytest.raises(UnknownRecord, match="ep_unknown"):
            store.write(batch)
        assert store.sequence() == 0
        assert store.get([VERSION_A.episode_id]) == {}

    def test_text_that_is_not_unicode_stores_nothing(self, store: Store) -> None:
        with pytest.raises(InvalidInput, match="surrogate"):
            store.write(one_source(VERSION_A, "lone \ud800", at=1))
        assert store.sequence() == 0

    def test_two_chunks_of_one_id_are_refused(self, store: Store) -> None:
        one = chunk(VERSION_A, 0, "red")
        for other in (
            replace(one, fields={"prose": {"blue": 1}}),
            replace(one, columns=b"other"),
            replace(one, chunk=msgspec.structs.replace(one.chunk, start_line=7)),
        ):
            batch = Batch(recorded_at=moment(1), episodes=(VERSION_A,), chunks=(one, other))
            with pytest.raises(InvalidInput, match=one.chunk.chunk_id):
                store.write(batch)
        twice = Batch(recorded_at=moment(1), episodes=(VERSION_A,), chunks=(one, replace(one)))
        assert store.write(twice).changes == 2

    def test_names_that_are_not_unicode_store_nothing(self, store: Store) -> None:
        item = chunk(VERSION_A, 0, "red")
        vector = embedding(item.chunk.chunk_id, "small", 0)
        lone = "lone \ud800"
        for more in (
            {"claims": (Claim(document(VERSION_A), VERSION_A.episode_id, (lone,)),)},
            {"claims": (Claim(document(VERSION_A), lone),)},
            {"embeddings": (replace(vector, space=lone),)},
            {"embeddings": (replace(vector, space="nul\0inside"),)},
            {"embeddings": (replace(vector, space=""),)},
        ):
            with pytest.raises((InvalidInput, UnknownRecord), match=r"lone|nul|space"):
                store.write(one_source(VERSION_A, "red", at=1, **more))
        assert store.sequence() == 0
        unknown = Batch(
            recorded_at=moment(1),
            embeddings=(replace(vector, chunk_id=lone),),
            replaces=(lone, "nul\0inside"),
            ends=(lone, "en_\ud800", "nul\0inside"),
        )
        assert store.write(unknown).changes == 0

    @pytest.mark.parametrize("length", [0.5, 0.98, 1.02, 2.0, float("nan"), float("inf")])
    def test_vectors_have_length_1_or_0(self, store: Store, length: float) -> None:
        item = chunk(VERSION_A, 0, "red")
        unit = embedding(item.chunk.chunk_id, "small", 3)
        for wrong in (
            replace(unit, vector=np.asarray(unit.vector) * length),
            replace(unit, parts=np.asarray(unit.parts) * length),
        ):
            with pytest.raises(InvalidInput, match="length 1 or 0"):
                store.write(one_source(VERSION_A, "red", at=1, embeddings=(wrong,)))
        assert store.sequence() == 0
        none = replace(unit, vector=np.zeros(8), parts=np.asarray(unit.parts, dtype=np.float16))
        assert store.write(one_source(VERSION_A, "red", at=1, embeddings=(none,))).changes == 3

    def test_names_cannot_be_claimed(self, store: Store) -> None:
        name = Entity(entity_id="name:x", type="Name", name="x", updated_at="", source_sha="")
        with pytest.raises(InvalidInput, match="Name"):
            store.write(
                one_source(VERSION_A, "x", at=1, claims=(Claim(name, VERSION_A.episode_id),))
            )

    # replacement and history

    def test_a_replaced_source_leaves_the_indexes_and_stays_as_history(self, store: Store) -> None:
        store.write(one_source(VERSION_A, "old red", at=1))
        store.write(one_source(VERSION_B, "new red", at=5))
        old = chunk(VERSION_A, 0, "old red").chunk.chunk_id
        assert texts(store, red=1) == ["new red"]
        assert store.get([old]) == {}
        past = store.get([old, VERSION_A.episode_id], known_at=moment(4))
        assert isinstance(past[old], Chunk)
        assert store.get([old], known_at=moment(5)) == {}
        assert [s.episode_id for s in store.sources()] == [VERSION_B.episode_id]
        named = store.sources(refs=[VERSION_B.source_ref, "docs/nowhere.md", "\ud800"])
        assert named == store.sources()
        assert store.sources(refs=["docs/nowhere.md"]) == []
        assert store.sources(prefix="docs/a") == store.sources()
        for prefix in ("docs/b", "docs/a.mdx", "\ud800", "\0"):
            assert store.sources(prefix=prefix) == []
        both = store.sources(refs=[VERSION_A.source_ref], ended=True)
        assert {s.episode_id for s in both} == {VERSION_A.episode_id, VERSION_B.episode_id}

    def test_content_that_returns_is_supported_anew(self, store: Store) -> None:
        for n, version in enumerate((VERSION_A, VERSION_B, VERSION_A)):
            store.write(one_source(version, f"text of {version.content_hash}", at=n))
        periods = store.support([VERSION_A.episode_id])[VERSION_A.episode_id]
        assert [(s.recorded_at, s.known_until) for s in periods] == [
            (moment(0), moment(1)),
            (moment(2), None),
        ]
        assert texts(store, text=1) == ["text of A"]

    def test_a_passage_that_survives_an_edit_keeps_its_vector(self, store: Store) -> None:
        kept = chunk(VERSION_A, 0, "kept").chunk.chunk_id
        store.write(one_source(VERSION_A, "kept", at=1, embeddings=(embedding(kept, "small", 1),)))
        store.write(one_source(VERSION_B, "new", "kept", at=2))
        assert store.spaces() == {"small": 1}
        assert [c.text for c in store.unembedded("small")] == ["new"]
        survivor = store.chunks(store.numbers([kept]))[0]
        assert (survivor.position, survivor.episode_id) == (1, VERSION_B.episode_id)

    def test_a_record_lives_as_long_as_any_support(self, store: Store) -> None:
        cord = thing("cord", at=moment(1))
        store.write(one_source(VERSION_A, "a", at=1, claims=(Claim(cord, VERSION_A.episode_id),)))
        store.write(one_source(OTHER, "b", at=2, claims=(Claim(cord, OTHER.episode_id),)))
        both = store.get([cord.entity_id])[cord.entity_id]
        assert isinstance(both, Entity)
        assert (both.mention_count, both.first_seen, both.last_seen) == (2, moment(1), moment(3))
        store.write(Batch(recorded_at=moment(4), replaces=("docs/a.md",)))
        assert cord.entity_id in store.get([cord.entity_id])
        store.write(Batch(recorded_at=moment(5), replaces=("docs/b.md",)))
        assert store.get([cord.entity_id]) == {}
        past = store.get([cord.entity_id], known_at=moment(2))[cord.entity_id]
        assert isinstance(past, Entity)
        assert past.mention_count == 2

    def test_a_relation_hides_while_an_end_is_gone(self, store: Store) -> None:
        red, blue = thing("red", at=moment(1)), thing("blue", at=moment(1))
        tie = relation(red.entity_id, "DEPENDS_ON", blue.entity_id, at=moment(1))
        claims = (Claim(red, VERSION_A.episode_id), Claim(tie, VERSION_A.episode_id))
        store.write(one_source(VERSION_A, "a", at=1, claims=claims))
        assert store.neighbors([red.entity_id])[red.entity_id] == []
        assert store.counts()["relation"] == 0
        store.write(one_source(OTHER, "b", at=2, claims=(Claim(blue, OTHER.episode_id),)))
        assert [r.rel_id for r in store.neighbors([red.entity_id])[red.entity_id]] == [tie.rel_id]
        store.write(Batch(recorded_at=moment(3), ends=(blue.entity_id,)))
        assert store.get([tie.rel_id]) == {}
        assert tie.rel_id in store.get([tie.rel_id], known_at=moment(2))
        store.write(Batch(recorded_at=moment(4), claims=(Claim(blue, OTHER.episode_id),)))
        assert tie.rel_id in store.get([tie.rel_id])

    def test_facts_know_when_they_hold(self, store: Store) -> None:
        was = fact("cord", "owner", "ada", at=moment(1), valid_to="2025-01-01")
        now = fact("cord", "owner", "tito", at=moment(1), valid_from="2025-01-01")
        store.write(
            one_source(
                VERSION_A,
                "a",
                at=1,
                claims=(Claim(was, VERSION_A.episode_id), Claim(now, VERSION_A.episode_id)),
            )
        )
        assert [f.object for f in store.facts("cord", "owner")] == ["ada", "tito"]
        assert [f.object for f in store.facts("cord", as_of="2024-12-31")] == ["ada"]
        assert [f.object for f in store.facts("cord", as_of="2025-01-01")] == ["tito"]
        assert store.facts("rope") == []
        assert store.facts({"rope", "cord"}) == store.facts("cord")
        assert store.facts(()) == []

    # names

    def test_names_are_found_folded_and_by_alias(self, store: Store) -> None:
        org = thing("Río Tax  Office", at=moment(1), kind="org", aliases=("RTO",))
        store.write(one_source(VERSION_A, "a", at=1, claims=(Claim(org, VERSION_A.episode_id),)))
        found = store.named(["rio tax office", "rto", "nobody"])
        assert [[e.entity_id for e in each] for each in found.values()] == [
            [org.entity_id],
            [org.entity_id],
            [],
        ]

    def test_a_name_is_made_from_its_mentions(self, store: Store) -> None:
        store.write(one_source(VERSION_A, "ada red", "ada blue", at=1))
        store.write(one_source(OTHER, "ada again", at=2))
        name = store.get(["name:ada quispe", "name:nobody"])
        entity = name["name:ada quispe"]
        assert isinstance(entity, Entity)
        assert len(name) == 1
        assert (entity.type, entity.mention_count) == ("Name", 3)
        assert (entity.first_seen, entity.last_seen) == (moment(1), moment(3))
        assert store.counts()["name"] == 1
        store.write(Batch(recorded_at=moment(4), replaces=("docs/a.md", "docs/b.md")))
        assert store.get(["name:ada quispe"]) == {}

    # forgetting, namespaces, threads

    def test_forget_erases_history_too(self, store: Store) -> None:
        cord = thing("cord", at=moment(1))
        store.write(
            one_source(VERSION_A, "ada one", at=1, claims=(Claim(cord, VERSION_A.episode_id),))
        )
        store.write(one_source(VERSION_B, "two", at=2))
        store.write(one_source(OTHER, "three", at=3, claims=(Claim(cord, OTHER.episode_id),)))
        assert store.forget(["docs/a.md"]) == 2
        gone = [
            VERSION_A.episode_id,
            VERSION_B.episode_id,
            chunk(VERSION_A, 0, "ada one").chunk.chunk_id,
        ]
        assert store.get(gone) == store.get(gone, known_at=moment(1)) == {}
        assert store.support(gone) == {each: [] for each in gone}
        assert cord.entity_id in store.get([cord.entity_id])
        assert len(store.support([cord.entity_id])[cord.entity_id]) == 1
        assert store.counts()["name"] == 0
        assert store.forget(["docs/a.md"]) == 0

    def test_namespaces_do_not_leak(self, open_handle: OpenHandle) -> None:
        with open_handle("one") as one, open_handle("two") as two:
            vector = embedding(chunk(VERSION_A, 0, "ada red").chunk.chunk_id, "small", 1)
            one.write(one_source(VERSION_A, "ada red", at=1, embeddings=(vector,)))
            two.write(one_source(VERSION_A, "blue", at=1))
            assert (one.sequence(), two.sequence()) == (3, 2)
            assert texts(two, red=1) == []
            assert two.get(["name:ada quispe", vector.chunk_id]) == {}
            assert two.spaces() == {}
            assert two.frequencies("prose", ["red"], np.array([0])).df.tolist() == [0]
            assert one.forget(["docs/a.md"]) == 1
            assert texts(two, blue=1) == ["blue"]

    @pytest.mark.parametrize("name", ["", "lone \ud800", "nul\0inside"], ids=range(3))
    def test_a_namespace_is_named_by_text(self, open_handle: OpenHandle, name: str) -> None:
        with pytest.raises(InvalidInput, match="namespace"):
            open_handle(name)

    def test_threads_share_a_handle(self, store: Store) -> None:
        def work(n: int) -> int:
            of = episode(f"docs/t{n}.md", "A", at=moment(1))
            store.write(one_source(of, f"shared w{n}", at=1))
            return len(store.match_text("prose", {f"w{n}": 1.0}).numbers)

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, range(24))) == [1] * 24
        assert len(store.match_text("prose", {"shared": 1.0}).numbers) == 24
        assert store.sequence() == len(store.changes(0))

    def test_a_moment_is_one_moment(self, open_handle: OpenHandle) -> None:
        with (
            open_handle("default") as reader,
            open_handle("default") as writer,
            ThreadPoolExecutor(1) as beside,
        ):
            reader.write(one_source(VERSION_A, "red", at=1))
            with reader.moment():
                before = reader.sequence()
                written = beside.submit(writer.write, one_source(OTHER, "red too", at=2))
                wait([written], timeout=0.2)
                assert reader.sequence() == before
                assert reader.counts(["chunk"]) == {"chunk": 1}
                assert len(reader.match_text("prose", {"red": 1.0}).numbers) == 1
            written.result()
            assert reader.counts(["chunk"]) == {"chunk": 2}
            assert len(reader.match_text("prose", {"red": 1.0}).numbers) == 2

    def test_handles_see_each_other(self, open_handle: OpenHandle) -> None:
        with open_handle("default") as writer, open_handle("default") as reader:
            for n in range(12):
                of = episode(f"docs/h{n}.md", "A", at=moment(1))
                one = chunk(of, 0, f"shared w{n}").chunk.chunk_id
                vectors = (embedding(one, "small", n),)
                writer.write(one_source(of, f"shared w{n}", at=1, embeddings=vectors))
                assert len(reader.match_text("prose", {"shared": 1.0}).numbers) == n + 1
                query = np.asarray(vectors[0].vector, dtype=np.float32)
                found = reader.match_vector(query, space="small", limit=1)
                assert reader.chunk_ids(found.numbers) == [one]

    # everything at once

    @pytest.mark.parametrize("seed", range(3))
    def test_random_operations_match_the_reference(self, store: Store, seed: int) -> None:
        oracle = open_store("memory:")
        for n, operation in enumerate(operations(seed, 200)):
            assert apply(store, operation) == apply(oracle, operation)
            if n % 40 == 0:
                assert_same(store, oracle, seed=n)
        assert_same(store, oracle, seed=seed)

    def test_ids_decide_not_machines(self, store: Store) -> None:
        store.write(one_source(VERSION_A, "red", at=1))
        assert VERSION_A.episode_id == make_id("episode", "docs/a.md", "A")
        assert [c.kind for c in store.changes(0)] == ["episode", "chunk"]

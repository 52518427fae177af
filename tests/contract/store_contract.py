"""What every store promises, as tests that a backend runs on itself.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def open_handle(self, tmp_path):
            return lambda namespace: MyStore(tmp_path / "db", namespace=namespace)

Each call of `open_handle` gives a new handle on the same data; the fixture starts empty.
"""

import dataclasses
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from typing import ClassVar, TypeAlias

import msgspec
import numpy as np
import pytest
from tests.contract.store_compare import apply, assert_same
from tests.contract.store_sample import (
    OTHER,
    VERSION_A,
    VERSION_B,
    chunk,
    claimed,
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

from quipu.errors import InvalidInput, SpaceMismatch, UnknownRecord
from quipu.ports import JobRow, Store
from quipu.records.batch import Batch, Claim, Period
from quipu.records.ids import make_id
from quipu.records.record import Chunk, Entity, Episode, record_id
from quipu.records.scope import EVERYTHING, Scope
from quipu.store import open_store

OpenHandle: TypeAlias = Callable[[str], Store]


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


def _version(version: str) -> Episode:
    return episode("a", version, at=moment(0))


class VectorContract:
    """What a change of how vectors are searched could break."""

    random_operations: ClassVar[int] = 100
    random_streams: ClassVar[int] = 3
    """How many random streams there are, and how many operations each has; fewer where one takes
    long."""

    @pytest.fixture
    def store(self, open_handle: OpenHandle) -> Iterator[Store]:
        """A handle on the namespace "default"."""
        with open_handle("default") as store:
            yield store

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

    def test_random_operations_match_the_reference(self, open_handle: OpenHandle) -> None:
        for seed in range(self.random_streams):
            with open_handle(f"stream {seed}") as store:
                self._compare(store, seed)

    def _compare(self, store: Store, seed: int) -> None:
        oracle = open_store("memory:", namespace=store.namespace)
        for n, operation in enumerate(operations(seed, self.random_operations)):
            assert apply(store, operation) == apply(oracle, operation)
            if n % 40 == 0:
                assert_same(store, oracle, seed=n)
        assert_same(store, oracle, seed=seed)

    def test_a_scope_bounds_every_search(self, store: Store) -> None:
        claims = claimed(VERSION_A, document(VERSION_A, type="adr", status="open"))
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

    def test_a_vector_of_a_chunk_that_left_is_no_error(self, store: Store) -> None:
        late = embedding(chunk(VERSION_A, 0, "a").chunk.chunk_id, "small", 1)
        store.write(one_source(VERSION_A, "a", at=1))
        store.write(one_source(VERSION_B, "b", at=2))
        assert store.write(Batch(recorded_at=moment(3), embeddings=(late,))).changes == 0
        assert store.spaces() == {}

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


class StoreContract(VectorContract):
    """Inherit, and supply the fixture `open_handle`."""

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
            claims=claimed(VERSION_A, document(VERSION_A)),
        )
        first = store.write(batch)
        again = store.write(batch)
        assert first.changes == 4
        assert (again.sequence, again.changes) == (first.sequence, 0)
        assert len(store.changes(0)) == first.sequence

    def test_ending_and_claiming_in_one_batch_is_idempotent(self, store: Store) -> None:
        cord = thing("cord", at=moment(1))
        store.write(one_source(VERSION_A, "x", at=1, claims=claimed(VERSION_A, cord)))
        store.write(one_source(OTHER, "y", at=2))
        batch = Batch(
            recorded_at=moment(3),
            claims=claimed(OTHER, cord),
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

    def test_names_cannot_be_claimed(self, store: Store) -> None:
        name = Entity(entity_id="name:x", type="Name", name="x", updated_at="", source_sha="")
        with pytest.raises(InvalidInput, match="Name"):
            store.write(one_source(VERSION_A, "x", at=1, claims=claimed(VERSION_A, name)))

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
        store.write(one_source(VERSION_A, "a", at=1, claims=claimed(VERSION_A, cord)))
        store.write(one_source(OTHER, "b", at=2, claims=claimed(OTHER, cord)))
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
        claims = claimed(VERSION_A, red, tie)
        store.write(one_source(VERSION_A, "a", at=1, claims=claims))
        assert store.neighbors([red.entity_id])[red.entity_id] == []
        assert store.counts()["relation"] == 0
        store.write(one_source(OTHER, "b", at=2, claims=claimed(OTHER, blue)))
        assert [r.rel_id for r in store.neighbors([red.entity_id])[red.entity_id]] == [tie.rel_id]
        store.write(Batch(recorded_at=moment(3), ends=(blue.entity_id,)))
        assert store.get([tie.rel_id]) == {}
        assert tie.rel_id in store.get([tie.rel_id], known_at=moment(2))
        store.write(Batch(recorded_at=moment(4), claims=claimed(OTHER, blue)))
        assert tie.rel_id in store.get([tie.rel_id])

    def test_facts_know_when_they_hold(self, store: Store) -> None:
        was = fact("cord", "owner", "ada", at=moment(1), valid_to="2025-01-01")
        now = fact("cord", "owner", "tito", at=moment(1), valid_from="2025-01-01")
        store.write(
            one_source(
                VERSION_A,
                "a",
                at=1,
                claims=claimed(VERSION_A, was, now),
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
        store.write(one_source(VERSION_A, "a", at=1, claims=claimed(VERSION_A, org)))
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

    def test_a_job_stands_until_it_is_dropped(self, open_handle: OpenHandle) -> None:
        first = JobRow(1, "job_a", 1, "me", b"seal", b"body")
        second = JobRow(2, "job_b", 1, "", b"", b"\0")
        with open_handle("default") as store, open_handle("other") as other:
            put = partial(store.jobs.add, first, b"text"), partial(store.jobs.add, second, None)
            store.atomically(lambda: [each() for each in put], durable=True)
            assert store.jobs.last() == 2
            assert (other.jobs.rows(), other.jobs.last()) == ([], 0)
        with open_handle("default") as store:
            assert store.jobs.rows(live=True) == [first, second]
            assert [store.jobs.payload(n) for n in (1, 2, 3)] == [b"text", None, None]
            ended = first._replace(live=0, worker="", seal=b"", body=b"done")
            store.atomically(lambda: store.jobs.change(ended))
            store.atomically(lambda: store.jobs.put_payload(1, None))
            assert store.jobs.rows(live=True) == [second]
            assert store.jobs.rows(job_ids=["job_a", "job_c"]) == [ended]
            assert store.jobs.payload(1) is None
            store.atomically(lambda: store.jobs.drop([1]))
            assert store.jobs.rows() == [second]
            assert (store.sequence(), store.changes(0)) == (0, [])

    def test_records_and_jobs_are_written_together_or_not(self, store: Store) -> None:
        def write() -> None:
            store.jobs.add(JobRow(1, "job_a", 1, "", b"", b"body"), b"text")
            store.write(one_source(VERSION_A, "red cord", at=1))

        def fail() -> None:
            write()
            raise InvalidInput("no")

        with pytest.raises(InvalidInput):
            store.atomically(fail)
        assert (store.jobs.rows(), store.sequence()) == ([], 0)
        store.atomically(write)
        assert store.jobs.payload(1) == b"text"
        assert store.counts({"episode"}) == {"episode": 1}

    def test_forget_erases_history_too(self, store: Store) -> None:
        cord = thing("cord", at=moment(1))
        store.write(one_source(VERSION_A, "ada one", at=1, claims=claimed(VERSION_A, cord)))
        store.write(one_source(VERSION_B, "two", at=2))
        store.write(one_source(OTHER, "three", at=3, claims=claimed(OTHER, cord)))
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
            ThreadPoolExecutor(1) as pool,
        ):
            reader.write(one_source(VERSION_A, "red", at=1))
            with reader.moment():
                before = reader.sequence()
                written = pool.submit(writer.write, one_source(OTHER, "red too", at=2))
                wait([written], timeout=0.2)
                assert reader.sequence() == before
                assert reader.counts(["chunk"]) == {"chunk": 1}
                assert len(reader.match_text("prose", {"red": 1.0}).numbers) == 1
            written.result()
            assert reader.counts(["chunk"]) == {"chunk": 2}
            assert len(reader.match_text("prose", {"red": 1.0}).numbers) == 2

    # everything at once

    def test_ids_decide_not_machines(self, store: Store) -> None:
        store.write(one_source(VERSION_A, "red", at=1))
        assert VERSION_A.episode_id == make_id("episode", "docs/a.md", "A")
        assert [c.kind for c in store.changes(0)] == ["episode", "chunk"]

    # relations one hop away

    def test_neighbors_are_one_hop_in_order_and_bounded(self, store: Store) -> None:
        things = [thing(name, at=moment(1)) for name in ("hub", "p", "q", "r")]
        hub = things[0].entity_id
        ties = [
            relation(hub, kind, other.entity_id, at=moment(1))
            for other in things[1:]
            for kind in ("USES", "BLOCKS")
        ]
        ties.append(relation(things[1].entity_id, "USES", hub, at=moment(1)))
        store.write(
            one_source(
                VERSION_A,
                "a",
                at=1,
                claims=claimed(VERSION_A, *things, *ties),
            )
        )
        out = store.neighbors([hub], limit_per_id=4)[hub]
        assert [r.type for r in out] == ["BLOCKS", "BLOCKS", "USES", "USES"]  # types take turns
        assert [r.target_entity_id for r in out[:2]] == sorted(t.entity_id for t in things[1:])[:2]
        assert len(store.neighbors([hub], types=frozenset({"USES"}))[hub]) == 3
        assert len(store.neighbors([hub], direction="in")[hub]) == 1
        assert len(store.neighbors([hub], direction="both")[hub]) == 7
        assert store.neighbors(["en_unknown"]) == {"en_unknown": []}

    def test_of_many_relations_each_type_has_its_share(self, store: Store) -> None:
        hub, rare = thing("hub", at=moment(1)), thing("rare", at=moment(1))
        many = [thing(f"p{i:03d}", at=moment(1)) for i in range(40)]
        ties = [relation(hub.entity_id, "BLOCKS", each.entity_id, at=moment(1)) for each in many]
        ties.append(relation(hub.entity_id, "USES", rare.entity_id, at=moment(1)))
        claims = claimed(VERSION_A, hub, rare, *many, *ties)
        store.write(one_source(VERSION_A, "a", at=1, claims=claims))
        gone = sorted(many, key=lambda each: each.entity_id)[:15]
        store.write(Batch(recorded_at=moment(2), ends=tuple(each.entity_id for each in gone)))
        for limit in (1, 2, 5, 25, 26, 100):
            kept = store.neighbors([hub.entity_id], limit_per_id=limit)[hub.entity_id]
            assert len(kept) == min(limit, 26)
            assert [r.type for r in kept].count("USES") == (limit > 1)
            left = [r.target_entity_id for r in kept if r.type == "BLOCKS"]
            live = sorted(each.entity_id for each in many if each not in gone)
            assert left == live[: len(left)]

    # finding: words, names and vectors

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

    def test_the_values_of_filters_are_those_of_live_chunks(self, store: Store) -> None:
        assert store.filter_values("document_types") == []
        claims = claimed(VERSION_A, document(VERSION_A, type="adr", status="open"))
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
                claims=claimed(VERSION_A, document(VERSION_A, type="adr")),
            )
        )
        later = msgspec.structs.replace(OTHER, observed_at=moment(5))
        guide = document(VERSION_A, type="guide")
        store.write(one_source(later, "blue", at=2, claims=claimed(OTHER, guide)))
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
            one_source(VERSION_A, "red", at=1, claims=claimed(VERSION_A, document(VERSION_A)))
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

    # the past, out of one store and into another

    def _filled(self, store: Store) -> None:
        one, two = _version("1"), _version("2")
        entity = thing("X", at=moment(0))
        for number, each in enumerate((one, two), 1):
            passage = chunk(each, 0, f"text {number}")
            claims = (
                Claim(document(each), each.episode_id),
                Claim(entity, each.episode_id, (passage.chunk.chunk_id,)),
            )
            store.write(
                Batch(
                    recorded_at=moment(number),
                    episodes=(each,),
                    chunks=(passage,),
                    claims=claims,
                    replaces=("a",),
                )
            )

    def test_periods_tell_all_that_episodes_asserted(self, store: Store) -> None:
        self._filled(store)
        one, two = _version("1").episode_id, _version("2").episode_id
        found = store.periods([one, two, "ep_unknown"])
        assert list(found) == [one, two, "ep_unknown"]
        assert found["ep_unknown"] == []
        assert {(p.recorded_at, p.known_until) for p in found[one]} == {(moment(1), moment(2))}
        assert {(p.recorded_at, p.known_until) for p in found[two]} == {(moment(2), None)}
        for periods in found.values():
            ids = [record_id(p.record) for p in periods]
            assert ids == sorted(ids)
            assert len(ids) in {0, 4}

    def test_entities_are_found_by_a_text_property(self, store: Store) -> None:
        self._filled(store)
        here = episode("b", "1", at=moment(0))
        kept = msgspec.structs.replace(document(here), properties={"until": "2026-01-31"})
        other = msgspec.structs.replace(thing("Y", at=moment(0)), properties={"until": 7})
        claims = claimed(here, kept, other)
        store.write(Batch(recorded_at=moment(5), episodes=(here,), claims=claims))
        assert [e.entity_id for e in store.with_property("until")] == [kept.entity_id]
        assert store.with_property("2026-01-31") == []
        store.forget(["b"])
        assert store.with_property("until") == []

    def test_a_past_that_is_given_is_the_past(self, store: Store) -> None:
        entity, gone = thing("X", at=moment(0)), _version("1")
        here = episode("b", "1", at=moment(0))
        past = (
            Period(gone, gone.episode_id, moment(1), moment(3)),
            Period(entity, gone.episode_id, moment(1), moment(2), ("ch_00",)),
        )
        batch = Batch(
            recorded_at=moment(9),
            episodes=(here,),
            claims=claimed(here, entity),
            past=past,
            known_since={
                (here.episode_id, here.episode_id): moment(4),
                (entity.entity_id, here.episode_id): moment(5),
            },
        )
        store.write(batch)
        assert list(store.get([gone.episode_id], known_at=moment(2))) == [gone.episode_id]
        assert store.get([gone.episode_id], known_at=moment(3)) == {}
        assert store.get([gone.episode_id]) == {}
        assert list(store.get([entity.entity_id], known_at=moment(1))) == [entity.entity_id]
        assert store.get([entity.entity_id], known_at=moment(3)) == {}
        assert list(store.get([entity.entity_id], known_at=moment(5))) == [entity.entity_id]
        assert [s.episode_id for s in store.sources()] == [here.episode_id]
        sequence = store.sequence()
        assert store.write(batch).changes == 0
        assert store.sequence() == sequence
        assert store.forget(["a"]) == 1
        assert store.periods([gone.episode_id]) == {gone.episode_id: []}
        assert list(store.get([entity.entity_id])) == [entity.entity_id]

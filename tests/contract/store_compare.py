"""Asks two stores everything there is to ask and compares the answers."""

import random
from collections.abc import Iterator, Sequence

import numpy as np
from tests.contract.store_sample import (
    NAMES,
    SOURCES,
    SPACES,
    WORDS,
    DropSpace,
    Forget,
    Operation,
    document_id,
    moment,
)

from quipu.errors import QuipuError
from quipu.ports import Direction, Ranking, Store
from quipu.records.record import record_id
from quipu.records.scope import EVERYTHING, Scope
from quipu.store.rules import KINDS

_DIRECTIONS: tuple[Direction, ...] = ("out", "in", "both")
_NEIGHBORS = ((frozenset[str](), 100), (frozenset[str](), 2), (frozenset({"SAME_AS"}), 1))


def apply(store: Store, operation: Operation) -> object:
    """What the operation returned, or which error it raised."""
    try:
        match operation:
            case Forget():
                return store.forget(operation.source_refs)
            case DropSpace():
                return store.drop_space(operation.space)
            case _:
                return store.write(operation)
    except QuipuError as error:
        return type(error)


def assert_same(store: Store, oracle: Store, *, seed: int = 0) -> None:
    """Raises AssertionError where `store` answers otherwise than `oracle`."""
    choose = random.Random(seed)
    assert store.sequence() == oracle.sequence()
    assert store.changes(0) == oracle.changes(0)
    assert store.counts() == oracle.counts()
    assert store.spaces() == oracle.spaces()
    assert store.profiles() == oracle.profiles()
    for profile in oracle.profiles():
        assert store.spaces({profile}) == oracle.spaces({profile})
    assert store.sources() == oracle.sources()
    _assert_same_records(store, oracle, choose)
    _assert_same_indexes(store, oracle, choose)


def _assert_same_records(store: Store, oracle: Store, choose: random.Random) -> None:
    for kind in KINDS:
        assert store.scan(kind) == oracle.scan(kind)
    ids = sorted({change.record_id for change in oracle.changes(0) if change.kind != "vector"})
    ids += [f"name:{name}" for name in NAMES]
    times = [None, *(moment(choose.randint(0, 3000)) for _ in range(2))]
    for known_at in times:
        assert store.get(ids, known_at=known_at) == oracle.get(ids, known_at=known_at)
        assert store.facts(known_at=known_at) == oracle.facts(known_at=known_at)
        for direction in _DIRECTIONS:
            for types, limit in _NEIGHBORS:
                ours, theirs = (
                    each.neighbors(
                        ids, direction=direction, types=types, limit_per_id=limit, known_at=known_at
                    )
                    for each in (store, oracle)
                )
                assert ours == theirs
    assert store.support(ids) == oracle.support(ids)
    assert store.claims(ids) == oracle.claims(ids)
    assert store.facts("cord", as_of="2025-03-01") == oracle.facts("cord", as_of="2025-03-01")
    assert store.facts(predicate="owner") == oracle.facts(predicate="owner")
    keys = [*WORDS, *NAMES, *(ref.lower() for ref in SOURCES)]
    assert store.named(keys) == oracle.named(keys)


def _assert_same_indexes(store: Store, oracle: Store, choose: random.Random) -> None:
    for scope in _scopes(choose):
        words = {word: choose.choice((0.5, 1.0, 2.0)) for word in choose.sample(WORDS, 4)}
        for field, limit in (("prose", 100), ("prose", 3), ("title", 5)):
            terms = words if field == "prose" else dict.fromkeys(SOURCES[:3], 1.0)
            _assert_same_ranking(
                store,
                oracle,
                store.match_text(field, terms, scope=scope, limit=limit),
                oracle.match_text(field, terms, scope=scope, limit=limit),
                1e-9,
            )
        for space, dimension in SPACES.items():
            query = np.array([choose.gauss(0, 1) for _ in range(dimension)], dtype=np.float32)
            _assert_same_ranking(
                store,
                oracle,
                store.match_vector(query, space=space, scope=scope, limit=5),
                oracle.match_vector(query, space=space, scope=scope, limit=5),
                1e-6,
            )
        ids = [record_id(record) for record in oracle.scan("chunk")] + ["ch_0"]
        seen = store.admits(store.numbers(ids), scope).tolist()
        assert seen == oracle.admits(oracle.numbers(ids), scope).tolist()
        ours = store.occurrences("name", NAMES, scope=scope, limit=3)
        theirs = oracle.occurrences("name", NAMES, scope=scope, limit=3)
        for name in NAMES:
            assert ours[name].df == theirs[name].df
            assert ours[name].tf.tolist() == theirs[name].tf.tolist()
            assert store.chunk_ids(ours[name].numbers) == oracle.chunk_ids(theirs[name].numbers)
    _assert_same_chunks(store, oracle)


def _assert_same_chunks(store: Store, oracle: Store) -> None:
    ids = [record_id(record) for record in oracle.scan("chunk")] + ["ch_0"]
    ours, theirs = store.numbers(ids), oracle.numbers(ids)
    assert (ours < 0).tolist() == (theirs < 0).tolist()
    mine, its = store.frequencies("prose", WORDS, ours), oracle.frequencies("prose", WORDS, theirs)
    assert mine.tf.tolist() == its.tf.tolist()
    assert mine.lengths.tolist() == its.lengths.tolist()
    assert mine.df.tolist() == its.df.tolist()
    assert (mine.count, mine.average_length) == (its.count, its.average_length)
    for space in (*SPACES, "unknown"):
        np.testing.assert_array_equal(store.vectors(ours, space), oracle.vectors(theirs, space))
        for row, other in zip(store.parts(ours, space), oracle.parts(theirs, space), strict=True):
            np.testing.assert_array_equal(row, other)
        query = np.ones(SPACES.get(space, 3), dtype=np.float32)
        np.testing.assert_allclose(
            store.best_parts(ours, space, query), oracle.best_parts(theirs, space, query), rtol=1e-6
        )
        assert store.unembedded(space) == oracle.unembedded(space)
        for some in ({"code"}, {"prose"}, {"code", "prose"}, {"none"}):
            assert store.unembedded(space, profiles=some) == oracle.unembedded(space, profiles=some)
    ours, theirs = ours[:-1], theirs[:-1]
    assert store.chunks(ours) == oracle.chunks(theirs)
    assert store.columns(ours) == oracle.columns(theirs)
    assert store.chunk_ids(ours) == oracle.chunk_ids(theirs)
    assert store.document_ids(ours) == oracle.document_ids(theirs)
    inside, expected = (s.numbers_in([*map(document_id, SOURCES)]) for s in (store, oracle))
    assert inside.keys() == expected.keys()
    for each in inside:
        assert store.chunk_ids(inside[each]) == oracle.chunk_ids(expected[each])


def _assert_same_ranking(
    store: Store, oracle: Store, ours: Ranking, theirs: Ranking, tolerance: float
) -> None:
    assert store.chunk_ids(ours.numbers) == oracle.chunk_ids(theirs.numbers)
    np.testing.assert_allclose(ours.scores, theirs.scores, rtol=tolerance, atol=tolerance)


def _scopes(choose: random.Random) -> Iterator[Scope]:
    refs: Sequence[str] = choose.sample(SOURCES, 2)
    at = moment(choose.randint(0, 50))
    yield EVERYTHING
    yield Scope(before=at)
    yield Scope(after=at, groups=frozenset({"g0"}))
    yield Scope(source_types=frozenset({"file"}), profiles=frozenset({"code", "unheard of"}))
    yield Scope(document_types=frozenset({"adr"}))
    yield Scope(statuses=frozenset({"draft"}))
    yield Scope(document_ids=frozenset(map(document_id, refs)), before="2026-01-01T00:20")

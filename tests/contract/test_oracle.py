"""The reference store against an oracle that shares none of its code: lists, read from end to end.

Every other store is compared with the reference one, and all of them are derived alike. What they
have in common is tried here: each rule is written down once more, as plainly as it can be said.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from tests.contract.store_compare import apply
from tests.contract.store_sample import (
    NAMES,
    SPACES,
    WORDS,
    DropSpace,
    Forget,
    Operation,
    operations,
)

from quipu.ports import Store
from quipu.records.batch import Batch, Claim, IndexedChunk
from quipu.records.merge import Assertion, merge
from quipu.records.record import Chunk, Entity, Episode, Fact, Record, Relation, record_id
from quipu.store import open_store
from quipu.text import name_key

Vector = list[float]


@dataclass
class Period:
    """That an episode asserted a record, in which chunks, from when until when."""

    record: Record
    episode_id: str
    chunk_ids: tuple[str, ...]
    since: str
    until: str | None = None


@dataclass
class Oracle:
    """Every period there is, what the indexes hold of the live chunks, and their vectors."""

    periods: list[Period] = field(default_factory=list[Period])
    indexed: dict[str, IndexedChunk] = field(default_factory=dict[str, IndexedChunk])
    vectors: dict[tuple[str, str], Vector] = field(default_factory=dict[tuple[str, str], Vector])

    def apply(self, operation: Operation) -> None:
        if isinstance(operation, Batch):
            self._write(operation)
        elif isinstance(operation, Forget):
            gone = {
                record_id(p.record)
                for p in self.periods
                if isinstance(p.record, Episode) and p.record.source_ref in operation.source_refs
            }
            self.periods = [p for p in self.periods if p.episode_id not in gone]
        else:
            assert isinstance(operation, DropSpace)
            self.vectors = {k: v for k, v in self.vectors.items() if k[0] != operation.space}
        alive = {chunk.chunk_id for chunk in self.live(Chunk)}
        self.indexed = {key: item for key, item in self.indexed.items() if key in alive}
        self.vectors = {key: v for key, v in self.vectors.items() if key[1] in alive}

    def _write(self, batch: Batch) -> None:
        brought = {each.episode_id for each in batch.episodes}
        retired = {
            each.episode_id
            for each in self.live(Episode)
            if each.source_ref in batch.replaces and each.episode_id not in brought
        }
        claims = _united(batch.claims)
        given = {(record_id(c.record), c.episode_id): (c.record, c.chunk_ids) for c in claims}
        for period in self._standing():
            key = record_id(period.record), period.episode_id
            same = given.get(key) == (period.record, period.chunk_ids)
            if period.episode_id in retired or (key[0] in batch.ends and not same):
                period.until = max(period.since, batch.recorded_at)
        for each in batch.episodes:
            self._put(each, each.episode_id, (), batch.recorded_at)
        for item in batch.chunks:
            self._index(item, batch.recorded_at)
        for claim in claims:
            self._put(claim.record, claim.episode_id, claim.chunk_ids, batch.recorded_at)
        alive = {chunk.chunk_id for chunk in self.live(Chunk)}
        for each in batch.embeddings:
            if each.chunk_id in alive:
                kept = np.asarray(each.vector).astype(np.float16).astype(float)
                self.vectors[each.space, each.chunk_id] = kept.tolist()

    def _index(self, item: IndexedChunk, now: str) -> None:
        key = item.chunk.chunk_id
        for period in self._standing():
            if record_id(period.record) == key and period.episode_id != item.chunk.episode_id:
                period.until = max(period.since, now)
        self._put(item.chunk, item.chunk.episode_id, (), now)
        before = self.indexed.get(key)
        if before is None or _content(before) != _content(item):
            self.vectors = {k: v for k, v in self.vectors.items() if k[1] != key}
        self.indexed[key] = item

    def _put(self, record: Record, episode_id: str, chunk_ids: tuple[str, ...], now: str) -> None:
        for period in self._standing():
            if (record_id(period.record), period.episode_id) == (record_id(record), episode_id):
                if (period.record, period.chunk_ids) == (record, chunk_ids):
                    return
                period.until = max(period.since, now)
        self.periods.append(Period(record, episode_id, chunk_ids, now))

    def _standing(self) -> list[Period]:
        return [period for period in self.periods if period.until is None]

    def live(self, kind: type[Any]) -> list[Any]:
        """What stands, by id; an entity, relation or fact merged from all that assert it."""
        rows = [p for p in self._standing() if isinstance(p.record, kind)]
        if kind in (Episode, Chunk):
            found = {record_id(p.record): p.record for p in rows}
        else:
            seen = {e.episode_id: e.observed_at for e in self.live(Episode)}
            asserted: dict[str, list[Assertion]] = {}
            for p in rows:
                assert isinstance(p.record, Entity | Relation | Fact)
                each = Assertion(p.record, p.episode_id, seen[p.episode_id])
                asserted.setdefault(record_id(p.record), []).append(each)
            found: dict[str, Record] = {key: merge(each) for key, each in asserted.items()}
        if kind is Relation:
            ends = {e.entity_id for e in self.live(Entity)} | self._names()
            found = {key: r for key, r in found.items() if _ends(r) <= ends}
        return [found[key] for key in sorted(found)]

    def _names(self) -> set[str]:
        return {f"name:{n}" for item in self.indexed.values() for n in item.fields.get("name", ())}

    def scores(self, terms: dict[str, float]) -> dict[str, float]:
        """BM25 over the field "prose" as Robertson and Zaragoza have it: k1 is 1.2, b is .75."""
        texts = {k: i.fields["prose"] for k, i in self.indexed.items() if i.fields.get("prose")}
        average = sum(sum(t.values()) for t in texts.values()) / max(len(texts), 1)
        scores: dict[str, float] = {}
        for term, weight in terms.items():
            df = sum(term in text for text in texts.values())
            idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
            for key, text in texts.items():
                if term in text:
                    norm = 1.2 * (0.25 + 0.75 * sum(text.values()) / average)
                    more = weight * idf * text[term] * 2.2 / (text[term] + norm)
                    scores[key] = scores.get(key, 0.0) + more
        return scores

    def cosines(self, space: str, query: Vector) -> dict[str, float]:
        return {
            key: sum(a * b for a, b in zip(vector, query, strict=True))
            for (name, key), vector in self.vectors.items()
            if name == space
        }


def _united(claims: tuple[Claim, ...]) -> list[Claim]:
    """The last of those that one episode makes of one record, in the chunks of all of them."""
    found: dict[tuple[str, str], Claim] = {}
    for claim in claims:
        key = record_id(claim.record), claim.episode_id
        before = found[key].chunk_ids if key in found else ()
        chunk_ids = tuple(dict.fromkeys((*before, *claim.chunk_ids)))
        found[key] = Claim(claim.record, claim.episode_id, chunk_ids)
    return list(found.values())


def _content(item: IndexedChunk) -> tuple[object, ...]:
    chunk = item.chunk
    text = (chunk.document_id, chunk.profile, chunk.title, chunk.heading_path, chunk.symbol)
    return (*text, chunk.text, [(f, [*t.items()]) for f, t in item.fields.items()], item.columns)


def _ends(relation: Record) -> set[str]:
    assert isinstance(relation, Relation)
    return {relation.source_entity_id, relation.target_entity_id}


KINDS = {"episode": Episode, "chunk": Chunk, "entity": Entity, "relation": Relation, "fact": Fact}


@pytest.mark.parametrize("seed", range(3))
def test_what_is_derived_is_what_lists_say(seed: int) -> None:
    oracle = Oracle()
    with open_store("memory:", namespace=f"oracle {seed}") as store:
        for number, operation in enumerate(operations(seed, 120)):
            if not isinstance(apply(store, operation), type):  # else it was refused
                oracle.apply(operation)
            if number % 6 == 0:
                assert_same_records(store, oracle)
                assert_same_rankings(store, oracle, WORDS[number % 10 :][:4])
        assert len(oracle.periods) > len(oracle.live(Entity)) > 3


def assert_same_records(store: Store, oracle: Oracle) -> None:
    for kind, of in KINDS.items():
        assert [r for r in store.scan(kind) if not is_name(r)] == oracle.live(of)
    for name in NAMES:
        called = [
            each
            for each in oracle.live(Entity)
            if name in map(name_key, (each.name, *each.aliases))
        ]
        assert [e for e in store.named([name])[name] if not is_name(e)] == called
    periods = {(record_id(p.record), p.episode_id, p.since, p.until) for p in oracle.periods}
    ids = sorted({key for key, *_ in periods})
    rows = [row for each in store.support(ids).values() for row in each]
    told = {(row.record_id, row.episode_id, row.recorded_at, row.known_until) for row in rows}
    assert told == periods


def assert_same_rankings(store: Store, oracle: Oracle, words: Sequence[str]) -> None:
    terms = {word: 1.0 + place for place, word in enumerate(words)}
    ranking = store.match_text("prose", terms)
    found = dict(zip(store.chunk_ids(ranking.numbers), ranking.scores.tolist(), strict=True))
    assert found == pytest.approx(oracle.scores(terms))
    for space, dimension in SPACES.items():
        query = [1 / math.sqrt(dimension)] * dimension
        ranking = store.match_vector(np.array(query, np.float32), space=space)
        found = dict(zip(store.chunk_ids(ranking.numbers), ranking.scores.tolist(), strict=True))
        assert found == pytest.approx(oracle.cosines(space, query), abs=1e-5)


def is_name(record: Record) -> bool:
    """Whether it is made from mentions, which the oracle does not do."""
    return record_id(record).startswith("name:")

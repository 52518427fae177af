"""The facts that a question may be about, found through the store's own indexes.

Passages come by their words (and their vectors, where there are any); the facts are those that
such a passage is evidence of. Nothing is scanned, so the cost does not grow with the store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from quipu.facts.attributes import Attributes
from quipu.facts.chains import is_ending
from quipu.facts.keys import FactKey, key_of, other_subjects
from quipu.index.asked import question_vectors
from quipu.index.sets import distinct
from quipu.ports import Embedder, Numbers, Planner
from quipu.records.ids import order_key
from quipu.records.record import Fact
from quipu.records.scope import EVERYTHING, Scope
from quipu.text import STOP_WORDS, stem_words, tokens

__all__ = [
    "FactCandidate",
    "fact_words",
    "find_candidates",
    "inverse_frequencies",
    "passages_of",
    "with_rivals",
]

PASSAGES = 120
FEW_PASSAGES = 30
_FIELDS = ("prose", "turn")
_CHAINS, _RIVALS = 16, 200


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A fact, the live passages that are its evidence, and the best cosine among them."""

    fact: Fact
    chunk_ids: tuple[str, ...]
    similarity: float


def find_candidates(
    asked: Sequence[str],
    text: str,
    planner: Planner,
    embedder: Embedder | None,
    *,
    scope: Scope,
    reach: int = PASSAGES,
) -> list[FactCandidate]:
    """Facts whose passages hold the stems `asked` or lie near `text`, by id.

    `reach` bounds the passages looked at by words; a third of it those by vectors.
    """
    terms = dict.fromkeys(asked, 1.0)
    matched = [planner.match_text(f, terms, scope=scope, limit=reach).numbers for f in _FIELDS]
    found = distinct(np.concatenate(matched))
    cosines: dict[int, float] = {}
    if embedder is not None and embedder.space in planner.spaces() and text:
        vector = question_vectors(embedder, text).vector
        near = planner.match_vector(
            vector, space=embedder.space, scope=scope, limit=reach // 3
        ).numbers
        found = distinct(np.concatenate([found, near]))
        rows = planner.vectors(found, embedder.space)
        if rows.shape[1] == vector.shape[0]:
            cosines = dict(zip(found.tolist(), (rows @ vector).tolist(), strict=True))
    return _facts_at(np.sort(found), cosines, planner)


def _facts_at(
    numbers: Numbers, cosines: Mapping[int, float], planner: Planner
) -> list[FactCandidate]:
    chunks = planner.chunks(numbers)
    near = {
        chunk.chunk_id: cosines.get(number, 0.0)
        for chunk, number in zip(chunks, numbers.tolist(), strict=True)
    }
    claims = planner.claims(list(dict.fromkeys(chunk.episode_id for chunk in chunks)))
    evidence: dict[str, dict[str, None]] = {}
    facts: dict[str, Fact] = {}
    for claimed in claims.values():
        for claim in claimed:
            fact = claim.record
            supporting = [chunk_id for chunk_id in claim.chunk_ids if chunk_id in near]
            if isinstance(fact, Fact) and supporting:
                facts[fact.fact_id] = fact
                evidence.setdefault(fact.fact_id, {}).update(dict.fromkeys(supporting))
    return [
        FactCandidate(
            fact=facts[fact_id],
            chunk_ids=tuple(sorted(evidence[fact_id], key=order_key)),
            similarity=max(near[chunk_id] for chunk_id in evidence[fact_id]),
        )
        for fact_id in sorted(facts)
    ]


def with_rivals(
    candidates: Sequence[FactCandidate],
    stems: Sequence[str],
    planner: Planner,
    *,
    scope: Scope,
    table: Attributes,
) -> list[FactCandidate]:
    """The candidates, and what else is said of the same by passages that were not found: whether
    a fact still holds is decided by all of them. Only of the keys that say most of `stems`."""
    of_key: dict[FactKey, list[Fact]] = {}
    for candidate in candidates:
        of_key.setdefault(key_of(candidate.fact, table), []).append(candidate.fact)

    def most_said(key: FactKey) -> int:
        texts = (f"{f.subject} {f.predicate} {f.object}" for f in of_key[key])
        return max(len(fact_words(text) & set(stems)) for text in texts)

    leading = sorted(of_key, key=lambda key: (-most_said(key), key))[:_CHAINS]
    own = [fact for key in leading for fact in of_key[key]]
    subjects = {name for fact in own for name in (fact.subject, *other_subjects(fact))}
    known = {candidate.fact.fact_id for candidate in candidates}
    rivals = [
        fact
        for fact in (planner.facts(subjects) if subjects else ())
        if fact.fact_id not in known and (is_ending(fact) or key_of(fact, table) in leading)
    ]
    facts = {fact.fact_id: fact for fact in rivals[: _CHAINS * _RIVALS]}
    found = [
        FactCandidate(fact=facts[fact_id], chunk_ids=chunk_ids, similarity=0.0)
        for fact_id, chunk_ids in passages_of(list(facts), planner, scope=scope).items()
    ]
    return sorted([*candidates, *found], key=lambda c: c.fact.fact_id)


def passages_of(
    fact_ids: Sequence[str], planner: Planner, *, scope: Scope
) -> dict[str, tuple[str, ...]]:
    """The live passages within `scope` that are evidence of each fact; a fact without any has
    no key."""
    evidence = {
        fact_id: {chunk for row in rows if row.known_until is None for chunk in row.chunk_ids}
        for fact_id, rows in planner.support(fact_ids).items()
    }
    chunk_ids = sorted({chunk_id for ids in evidence.values() for chunk_id in ids}, key=order_key)
    numbers = planner.numbers(chunk_ids)
    seen = numbers >= 0
    if scope != EVERYTHING:
        seen[seen] = planner.admits(numbers[seen], scope)
    live = [chunk_id for chunk_id, kept in zip(chunk_ids, seen.tolist(), strict=True) if kept]
    kept = {fact_id: tuple(c for c in live if c in ids) for fact_id, ids in evidence.items()}
    return {fact_id: ids for fact_id, ids in sorted(kept.items()) if ids}


@lru_cache(maxsize=16384)
def fact_words(text: str) -> frozenset[str]:
    """The stems that a part of a fact says."""
    return frozenset(stem_words([t.word for t in tokens(text) if t.word]))


def inverse_frequencies(stems: Sequence[str], planner: Planner) -> dict[str, float]:
    """ln(1 + (N − df + .5) / (df + .5)) of each stem among the prose and turns of the store."""
    none = np.empty(0, dtype=np.int64)
    known = [planner.frequencies(field, list(stems), none) for field in _FIELDS]
    count = max(sum(each.count for each in known), 1)
    df = np.minimum(sum(each.df.astype(np.float64) for each in known), count)
    values = np.log(1.0 + (count - df + 0.5) / (df + 0.5))
    return dict(zip(stems, values.tolist(), strict=True))


def content_stems(text: str) -> tuple[str, ...]:
    """The distinct stems of the words that are no stop words, in order."""
    words = [t.word for t in tokens(text) if t.word and t.word not in STOP_WORDS]
    return tuple(dict.fromkeys(stem_words(words)))

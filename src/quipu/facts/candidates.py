"""The facts that a question may be about, found through the store's own indexes.

Passages come by their words (and their vectors, where there are any); the facts are those that
such a passage is evidence of. Nothing is scanned, so the cost does not grow with the store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from quipu.domain.ids import order_key
from quipu.domain.records import Fact
from quipu.domain.scope import Scope
from quipu.index.asked import question_vectors
from quipu.ports import Embedder, Numbers, Planner
from quipu.text import STOP_WORDS, stem_words, tokens

__all__ = ["Candidate", "fact_words", "find_candidates", "inverse_frequencies"]

PASSAGES = 120
FEW_PASSAGES = 30
_FIELDS = ("prose", "turn")


@dataclass(frozen=True, slots=True)
class Candidate:
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
) -> list[Candidate]:
    """Facts whose passages hold the stems `asked` or lie near `text`, by id.

    `reach` bounds the passages looked at by words; a third of it those by vectors.
    """
    found = planner.match_text("prose", dict.fromkeys(asked, 1.0), scope=scope, limit=reach).numbers
    cosines: dict[int, float] = {}
    if embedder is not None and embedder.space in planner.spaces() and text:
        vector = question_vectors(embedder, text).vector
        near = planner.match_vector(
            vector, space=embedder.space, scope=scope, limit=reach // 3
        ).numbers
        found = np.unique(np.concatenate([found, near]))
        rows = planner.vectors(found, embedder.space)
        if rows.shape[1] == vector.shape[0]:
            cosines = dict(zip(found.tolist(), (rows @ vector).tolist(), strict=True))
    return _facts_at(np.sort(found), cosines, planner)


def _facts_at(numbers: Numbers, cosines: Mapping[int, float], planner: Planner) -> list[Candidate]:
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
            held = [chunk_id for chunk_id in claim.chunk_ids if chunk_id in near]
            if isinstance(fact, Fact) and held:
                facts[fact.fact_id] = fact
                evidence.setdefault(fact.fact_id, {}).update(dict.fromkeys(held))
    return [
        Candidate(
            fact=facts[fact_id],
            chunk_ids=tuple(sorted(evidence[fact_id], key=order_key)),
            similarity=max(near[chunk_id] for chunk_id in evidence[fact_id]),
        )
        for fact_id in sorted(facts)
    ]


@lru_cache(maxsize=16384)
def fact_words(text: str) -> frozenset[str]:
    """The stems that a part of a fact says."""
    return frozenset(stem_words([t.word for t in tokens(text) if t.word]))


def inverse_frequencies(stems: Sequence[str], planner: Planner) -> dict[str, float]:
    """ln(1 + (N − df + .5) / (df + .5)) of each stem among the prose of the store."""
    known = planner.frequencies("prose", list(stems), np.empty(0, dtype=np.int64))
    count = max(known.count, 1)
    df = np.minimum(known.df.astype(np.float64), count)
    values = np.log(1.0 + (count - df + 0.5) / (df + 0.5))
    return dict(zip(stems, values.tolist(), strict=True))


def content_stems(text: str) -> tuple[str, ...]:
    """The distinct stems of the words that are no stop words, in order."""
    words = [t.word for t in tokens(text) if t.word and t.word not in STOP_WORDS]
    return tuple(dict.fromkeys(stem_words(words)))

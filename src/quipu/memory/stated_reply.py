"""What is answered to statements: what they replaced, and which other keys may be meant."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from quipu.facts.candidates import content_stems
from quipu.facts.chains import FactStanding, as_it_stands, standings
from quipu.handle.handle import Handle
from quipu.index.sets import distinct
from quipu.ports import Planner
from quipu.records.record import Fact
from quipu.records.scope import Scope
from quipu.records.stated import STATED, Done, KnownKey, Stated, is_end, plain_key, stated_key

__all__ = ["STATEMENT", "answered", "holds", "known_subject"]

STATEMENT = "statement"
"""The kind of source that a stated fact is."""

_STATEMENTS = Scope(source_types=frozenset({STATEMENT}))
_MOST_OTHERS, _MOST_NEAR, _MOST_LOOKED_AT = 50, 5, 40
_NEAR_IN_MEANING = 0.55
"""Least cosine of a key with the passage of a fact under a key that is near."""
_NEAR_IN_SPELLING = 0.8
"""Least share of letters that two keys have in common, in order, to be near."""


def known_subject(graph: Planner, subject: str) -> str:
    """A subject as it was spelled when it was stated first; as it is written, if it never was."""
    stated = graph.sources(prefix=f"{STATED}:{plain_key(subject)}/")
    claims = graph.claims([each.episode_id for each in stated[:1]]).values()
    facts = (claim.record for listed in claims for claim in listed)
    return next((fact.subject for fact in facts if isinstance(fact, Fact)), subject)


def holds(standing: FactStanding, now: str) -> bool:
    """Whether a fact holds at the instant `now`."""
    until, begin = standing.valid_to, standing.valid_from or ""
    over = until is not None and until <= now[: len(until)]
    return not (over or is_end(standing.fact)) and begin <= now[: len(begin)]


def answered(handle: Handle, made: Sequence[tuple[Done, Fact]], now: str) -> list[Stated]:
    """What became of each statement that was written, or was known."""
    graph = handle.graph
    known = {fact.subject: list[FactStanding]() for _, fact in made}
    for subject in known:
        known[subject] = standings(graph.facts(subject), table=handle.attributes)
    near = _near_keys(handle, [fact for _, fact in made])
    return [
        _answered(done, fact, known[fact.subject], near_keys, now)
        for (done, fact), near_keys in zip(made, near, strict=True)
    ]


def _answered(
    done: Done,
    fact: Fact,
    known: Sequence[FactStanding],
    near_keys: tuple[KnownKey, ...],
    now: str,
) -> Stated:
    by_id = {each.fact.fact_id: each for each in known}
    own, key = by_id.get(fact.fact_id), stated_key(fact)
    by = by_id.get(own.superseded_by or "") if own else None
    current = (each for each in known if holds(each, now) and stated_key(each.fact) != key)
    others = {stated_key(each.fact): _known_key(each) for each in current}
    return Stated(
        done=done,
        fact=as_it_stands(own) if own else fact,
        replaced=tuple(_known_key(e) for e in known if e.superseded_by == fact.fact_id),
        replaced_by=_known_key(by) if by else None,
        contradicts=tuple(_known_key(by_id[i]) for i in (own.contradicted_by if own else ())),
        other_keys=tuple(others.values())[:_MOST_OTHERS],
        near_keys=near_keys,
    )


def _known_key(standing: FactStanding) -> KnownKey:
    fact = standing.fact
    return KnownKey(
        fact_id=fact.fact_id,
        subject=fact.subject,
        attribute=fact.predicate,
        value=fact.object,
        since=standing.valid_from,
        until=standing.valid_to,
    )


def _near_keys(handle: Handle, facts: Sequence[Fact]) -> list[tuple[KnownKey, ...]]:
    """For each fact the stated keys that are near its own, the nearest first."""
    graph = handle.graph
    texts = [f"{fact.predicate} of {fact.subject}" for fact in facts]
    embedder = handle.models.for_passage("prose", " ".join(texts), graph)
    space = embedder.space if embedder and embedder.space in graph.spaces() else ""
    vectors = embedder.embed(texts) if embedder and space else np.zeros((len(texts), 0), np.float32)
    found: list[tuple[KnownKey, ...]] = []
    for fact, text, vector in zip(facts, texts, vectors, strict=True):
        scores = _scored(graph, fact, text, vector, space)
        every = standings(
            graph.facts({other.subject for _, other in scores.values()}), table=handle.attributes
        )
        current = {stated_key(each.fact): each for each in every if not each.superseded_by}
        nearest = sorted(scores, key=lambda key: (-scores[key][0], key))
        found.append(
            tuple(_known_key(current[key]) for key in nearest if key in current)[:_MOST_NEAR]
        )
    return found


def _scored(
    graph: Planner, fact: Fact, text: str, vector: NDArray[np.float32], space: str
) -> dict[tuple[str, str], tuple[float, Fact]]:
    """The keys that are near that of `fact`, by their key: how near, and a fact under each."""
    terms = dict.fromkeys(content_stems(text), 1.0)
    numbers = graph.match_text("prose", terms, scope=_STATEMENTS, limit=_MOST_LOOKED_AT).numbers
    cosines = np.zeros(len(numbers))
    if space:
        ranking = graph.match_vector(vector, space=space, scope=_STATEMENTS, limit=_MOST_LOOKED_AT)
        numbers = distinct(np.concatenate([numbers, ranking.numbers]))
        cosines = graph.vectors(numbers, space) @ vector
    chunks = graph.chunks(numbers)
    claims = graph.claims([chunk.episode_id for chunk in chunks])
    scores: dict[tuple[str, str], tuple[float, Fact]] = {}
    for chunk, cosine in zip(chunks, cosines.tolist(), strict=True):
        for other in (claim.record for claim in claims[chunk.episode_id]):
            if not isinstance(other, Fact) or (key := stated_key(other)) == stated_key(fact):
                continue
            spelling = SequenceMatcher(None, "".join(stated_key(fact)), "".join(key)).ratio()
            if cosine >= _NEAR_IN_MEANING or spelling >= _NEAR_IN_SPELLING:
                best = max(cosine, spelling, scores.get(key, (0.0, fact))[0])
                scores[key] = best, other
    return scores

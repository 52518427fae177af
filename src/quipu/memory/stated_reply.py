"""What is answered to statements: what they replaced, and which other keys may be meant."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

import numpy as np

from quipu.facts.candidates import content_stems
from quipu.facts.chains import FactStanding, as_it_stands, standings
from quipu.facts.stated import STATED, is_end, plain_key, stated_key
from quipu.handle.handle import Handle
from quipu.index.sets import distinct
from quipu.ports import Planner
from quipu.records.record import Fact
from quipu.records.scope import Scope
from quipu.records.stated import Done, KnownKey, Stated

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
    claims = graph.claims([source.episode_id for source in stated[:1]]).values()
    facts = (claim.record for listed in claims for claim in listed)
    return next((fact.subject for fact in facts if isinstance(fact, Fact)), subject)


def holds(standing: FactStanding, now: str) -> bool:
    """Whether a fact holds at the instant `now`."""
    until, begin = standing.valid_to, standing.valid_from or ""
    over = until is not None and until <= now[: len(until)]
    return not (over or is_end(standing.fact)) and begin <= now[: len(begin)]


def answered(handle: Handle, made: Sequence[tuple[Done, Fact]], now: str) -> list[Stated]:
    """What became of each statement that was written, or was known."""
    near = _near(handle, [fact for _, fact in made])
    subjects = {fact.subject for _, fact in made} | {s for keys in near for s in keys.values()}
    known = standings(handle.graph.facts(subjects), table=handle.attributes)
    by_id = {standing.fact.fact_id: standing for standing in known}
    standing_under = {stated_key(s.fact): s for s in known if not s.superseded_by}
    found: list[Stated] = []
    for (done, fact), keys in zip(made, near, strict=True):
        own = by_id.get(fact.fact_id)
        by = by_id.get(own.superseded_by or "") if own else None
        others = {
            stated_key(s.fact): s
            for s in known
            if s.fact.subject == fact.subject
            and stated_key(s.fact) != stated_key(fact)
            and holds(s, now)
        }
        stated = Stated(
            done=done,
            fact=as_it_stands(own) if own else fact,
            replaced=_keys(s for s in known if s.superseded_by == fact.fact_id),
            replaced_by=_keys([by])[0] if by else None,
            contradicts=_keys(by_id[i] for i in (own.contradicted_by if own else ())),
            other_keys=_keys(others.values())[:_MOST_OTHERS],
            near_keys=_keys(standing_under[k] for k in keys if k in standing_under)[:_MOST_NEAR],
        )
        found.append(stated)
    return found


def _keys(standings: Iterable[FactStanding]) -> tuple[KnownKey, ...]:
    return tuple(
        KnownKey(
            fact_id=standing.fact.fact_id,
            subject=standing.fact.subject,
            attribute=standing.fact.predicate,
            value=standing.fact.object,
            since=standing.valid_from,
            until=standing.valid_to,
        )
        for standing in standings
    )


def _near(handle: Handle, facts: Sequence[Fact]) -> list[dict[tuple[str, str], str]]:
    """For each fact the stated keys that are near its own, the nearest first, each with the
    subject that it is kept under."""
    graph = handle.graph
    texts = [f"{fact.predicate} of {fact.subject}" for fact in facts]
    embedder = handle.models.for_passage("prose", " ".join(texts), graph)
    space = embedder.space if embedder and embedder.space in graph.spaces() else ""
    vectors = embedder.embed(texts) if embedder and space else np.zeros((len(texts), 0), np.float32)
    found: list[dict[tuple[str, str], str]] = []
    for fact, text, vector in zip(facts, texts, vectors, strict=True):
        terms = dict.fromkeys(content_stems(text), 1.0)
        numbers = graph.match_text("prose", terms, scope=_STATEMENTS, limit=_MOST_LOOKED_AT).numbers
        cosines = np.zeros(len(numbers))
        if space:
            near = graph.match_vector(vector, space=space, scope=_STATEMENTS, limit=_MOST_LOOKED_AT)
            numbers = distinct(np.concatenate([numbers, near.numbers]))
            cosines = graph.vectors(numbers, space) @ vector
        chunks = graph.chunks(numbers)
        claims = graph.claims([chunk.episode_id for chunk in chunks])
        own, scores = stated_key(fact), dict[tuple[str, str], tuple[float, str]]()
        for chunk, cosine in zip(chunks, cosines.tolist(), strict=True):
            for other in (claim.record for claim in claims[chunk.episode_id]):
                if not isinstance(other, Fact) or (key := stated_key(other)) == own:
                    continue
                spelling = SequenceMatcher(None, "".join(own), "".join(key)).ratio()
                if cosine >= _NEAR_IN_MEANING or spelling >= _NEAR_IN_SPELLING:
                    best = max(cosine, spelling, scores.get(key, (0.0, ""))[0])
                    scores[key] = best, other.subject
        nearest = sorted(scores, key=lambda key: (-scores[key][0], key))
        found.append({key: scores[key][1] for key in nearest})
    return found

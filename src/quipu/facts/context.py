"""When what a plan's facts say is true: the temporal context of the passages that say it."""

from collections.abc import Collection, Iterable, Sequence

import msgspec

from quipu.facts.attributes import Attributes
from quipu.facts.candidates import passages_of
from quipu.facts.chains import FactStanding, goes_on, standings
from quipu.facts.keys import is_stated, other_subjects
from quipu.facts.match import has_ended
from quipu.ports import Planner
from quipu.records.ids import kind_of
from quipu.records.plan import Plan
from quipu.records.record import Fact
from quipu.records.reply import Hit, TemporalContext
from quipu.records.scope import EVERYTHING, Scope
from quipu.text import stems

__all__ = [
    "below_newer",
    "retold_contexts",
    "standing_of",
    "superseded_contexts",
    "temporal_contexts",
]


def temporal_contexts(
    plan: Plan, planner: Planner, *, table: Attributes
) -> dict[str, TemporalContext]:
    """By chunk id, for the chunks that the plan holds for a fact. Searches for nothing."""
    fact_ids = {
        seed.chunk_id: ids
        for seed in plan.seeds
        if (ids := [i for i in seed.graph_ids if kind_of(i) == "fact"])
    }
    if not fact_ids:
        return {}
    found = planner.get(sorted({fact_id for ids in fact_ids.values() for fact_id in ids}))
    facts = [record for record in found.values() if isinstance(record, Fact)]
    standing = standing_of(facts, planner, table=table, scope=plan.scope)
    return {
        chunk_id: _context([standing[i] for i in ids if i in standing])
        for chunk_id, ids in fact_ids.items()
        if any(i in standing for i in ids)
    }


def superseded_contexts(
    chunk_ids: Sequence[str],
    planner: Planner,
    *,
    table: Attributes,
    scope: Scope,
    now: str,
) -> dict[str, TemporalContext]:
    """By chunk id, for the passages of which every fact has ended by `now` or lost its place."""
    if not chunk_ids:
        return {}
    numbers = planner.numbers(list(chunk_ids))
    chunks = planner.chunks(numbers[numbers >= 0])
    claimed = planner.claims(list(dict.fromkeys(chunk.episode_id for chunk in chunks)))
    stated: dict[str, list[Fact]] = {}
    for claims in claimed.values():
        for claim in claims:
            if isinstance(claim.record, Fact):
                for chunk_id in claim.chunk_ids:
                    stated.setdefault(chunk_id, []).append(claim.record)
    facts = [fact for of_chunk in stated.values() for fact in of_chunk]
    standing = standing_of(facts, planner, table=table, scope=scope)
    found: dict[str, TemporalContext] = {}
    for chunk_id in chunk_ids:
        current = [standing[f.fact_id] for f in stated.get(chunk_id, ()) if f.fact_id in standing]
        begun = [each for each in current if each.fact.valid_from]
        if begun and all(each.superseded_by or has_ended(each, now) for each in begun):
            found[chunk_id] = _context(begun)
    return found


def retold_contexts(
    hits: Iterable[Hit], subjects: Collection[str], planner: Planner, *, table: Attributes
) -> dict[str, TemporalContext]:
    """By chunk id, for the passages that tell a value stated of one of `subjects`, by a word of its
    key as well, from before another one was stated in its place."""
    known = {s.fact.fact_id: s for s in standings(planner.facts(subjects), table=table)}
    replaced = [
        (each, known[each.superseded_by].fact)
        for each in known.values()
        if each.valid_to and each.superseded_by in known and is_stated(each.fact)
    ]
    found: dict[str, TemporalContext] = {}
    for hit in hits if replaced else ():
        words = set(stems(hit.text))
        for old, newer in replaced:
            before = hit.updated_at[: len(old.valid_to or "")] < (old.valid_to or "")
            key = stems(f"{old.fact.subject} {old.fact.predicate}")
            values = set(stems(old.fact.object)), set(stems(newer.object))
            tells = values[0] and values[0] <= words and not values[1] <= words
            if before and tells and not words.isdisjoint(key):
                found[hit.id] = _context([old])
    return found


def below_newer(
    hits: Sequence[Hit], stated: Collection[str], planner: Planner, *, table: Attributes
) -> tuple[Hit, ...]:
    """The hits with each of those `stated` (by their ids) that holds no more below the best one
    that says what holds instead."""
    over = {
        hit.id: hit.temporal_context.superseded_by
        for hit in hits
        if hit.id in stated and hit.temporal_context and hit.temporal_context.superseded_by
    }
    if not over:
        return tuple(hits)
    facts = [f for f in planner.get(sorted(set(over.values()))).values() if isinstance(f, Fact)]
    standing = standing_of(facts, planner, table=table)
    passages = passages_of(sorted(standing), planner, scope=EVERYTHING)
    scores = {hit.id: hit.score for hit in hits}

    def lowered(hit: Hit) -> Hit:
        newer, told = over.get(hit.id), list[float]()
        while newer in standing:
            told += (scores[i] for i in passages.get(newer, ()) if i in scores and i not in over)
            newer = standing[newer].superseded_by
        return msgspec.structs.replace(hit, score=min(hit.score, max(told, default=1.0)))

    return tuple(sorted(map(lowered, hits), key=lambda hit: (-hit.score, hit.id in over)))


def standing_of(
    facts: Iterable[Fact],
    graph: Planner,
    *,
    table: Attributes,
    scope: Scope = EVERYTHING,
    known_at: str | None = None,
) -> dict[str, FactStanding]:
    """How facts stand among all that is said of their subjects within `scope`, by id: those of
    their subjects are there too."""
    listed = list(facts)
    subjects = {name for fact in listed for name in (fact.subject, *other_subjects(fact))}
    every = graph.facts(subjects, known_at=known_at) if subjects else []
    if scope != EVERYTHING:
        seen = passages_of([fact.fact_id for fact in every], graph, scope=scope)
        every = [fact for fact in every if fact.fact_id in seen]
    return {s.fact.fact_id: s for s in standings(every, table=table)}


def _context(ranked: list[FactStanding]) -> TemporalContext:
    """One fact's own dates; of several, the first decides."""
    first = ranked[0]
    return TemporalContext(
        fact_ids=tuple(standing.fact.fact_id for standing in ranked),
        valid_from=first.valid_from,
        valid_to=None if goes_on(first) else first.valid_to,
        superseded_by=first.superseded_by,
    )

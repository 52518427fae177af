"""When what a plan's facts say is true: the temporal context of the passages that say it."""

from collections.abc import Iterable, Sequence

from quipu.facts.attributes import Attributes
from quipu.facts.candidates import passages_of
from quipu.facts.chains import FactStanding, goes_on, standings
from quipu.facts.keys import other_subjects
from quipu.facts.match import has_ended
from quipu.ports import Planner
from quipu.records.ids import kind_of
from quipu.records.plan import Plan
from quipu.records.record import Fact
from quipu.records.reply import TemporalContext
from quipu.records.scope import EVERYTHING, Scope

__all__ = ["standing_of", "superseded_contexts", "temporal_contexts"]


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

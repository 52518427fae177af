"""Retrieval: the passages of a plan, ranked inside it, with the reasons for their places.

`retrieve` needs the plan and nothing else: it searches for nothing. A passage is allowed if the
plan names it (a seed), names its document (an expansion of `documents` mode), or names a bridge
that it shares.
"""

from collections.abc import Collection, Sequence

import numpy as np

from quipu.errors import InvalidInput
from quipu.index.asked import question_vectors
from quipu.index.measure import measure
from quipu.index.sets import is_among
from quipu.ports import Embedded, Embedder, Numbers, Planner
from quipu.profiles import profile
from quipu.question import Question, read_question
from quipu.records.ids import order_key
from quipu.records.plan import Plan
from quipu.records.reply import Retrieved
from quipu.records.scope import EVERYTHING
from quipu.records.weights import BOUNDS
from quipu.retrieve.file_fit import by_file_fit
from quipu.retrieve.hits import make_hits
from quipu.retrieve.rank import Candidate, choose, exact_first, off_time, timed_parts
from quipu.retrieve.signals import read_signals
from quipu.retrieve.walk import WalkSource, walk

__all__ = ["retrieve"]


def retrieve(
    plan: Plan,
    planner: Planner,
    embedder: Embedder | None,
    *,
    limit: int = 10,
    explain: bool = False,
) -> Retrieved:
    """The best `limit` passages inside `plan`, best first.

    In `documents` mode at most five chunks a document and fifty in all. Raises InvalidInput when
    the plan is of another namespace, Leakage when a passage from outside the plan would be given.
    """
    if plan.namespace != planner.namespace:
        raise InvalidInput(
            f"this plan is of namespace {plan.namespace!r}, the store of {planner.namespace!r}: "
            "plan again"
        )
    with planner.moment():
        return _retrieve(plan, planner, embedder, limit=limit, explain=explain)


def _retrieve(
    plan: Plan, planner: Planner, embedder: Embedder | None, *, limit: int, explain: bool
) -> Retrieved:
    notes = list(plan.notes)
    if plan.sequence != planner.sequence():
        notes.append("The store has changed since this plan was made.")
    question = read_question(plan.question)
    vectors = _vectors(plan, embedder, notes)
    candidates = _seed_candidates(plan, planner)
    if plan.mode == "documents":
        candidates = _with_documents(plan, question, vectors, planner, candidates)
    elif plan.bridges:
        candidates = _with_walk(plan, question, vectors, planner, candidates)
    ranked = choose(question, list(candidates.values()), planner, plan.scale)
    ranked = by_file_fit(question, ranked, planner, plan.scale)
    ranked = exact_first(question, ranked, planner, plan.scale)
    hits = make_hits(plan, ranked, planner, limit=limit, explain=explain)
    return Retrieved(
        plan=plan,
        hits=hits,
        notes=tuple(notes),
        signals=read_signals(plan, question, vectors, ranked, planner),
    )


def _vectors(plan: Plan, embedder: Embedder | None, notes: list[str]) -> Embedded | None:
    if plan.space is None:
        return None
    if embedder is None or embedder.space != plan.space:
        notes.append(f"The model of {plan.space!r} is not at hand: the plan's own scores rank.")
        return None
    return question_vectors(embedder, plan.question)


def _seed_candidates(plan: Plan, planner: Planner) -> dict[int, Candidate]:
    numbers = planner.numbers([seed.chunk_id for seed in plan.seeds]).tolist()
    return {
        number: Candidate(
            number=number,
            order=order_key(seed.chunk_id),
            profile=seed.profile,
            parts=dict(seed.parts),
            raw=profile(seed.profile).score(seed.parts),
        )
        for seed, number in zip(plan.seeds, numbers, strict=True)
        if number >= 0
    }


def _with_documents(
    plan: Plan,
    question: Question,
    vectors: Embedded | None,
    planner: Planner,
    candidates: dict[int, Candidate],
) -> dict[int, Candidate]:
    """The seeds, and the passages of the documents that the plan's expansions name."""
    targets = sorted({expansion.target_id for expansion in plan.expansions})
    if not targets:
        return candidates
    extra = _passages_inside(targets, plan, planner, candidates)
    measured = measure(
        question,
        vectors,
        planner,
        extra,
        space=plan.space,
        name_shares={},
        scale=plan.scale,
    )
    found = dict(candidates)
    for number, chunk_id, parts, is_code in zip(
        extra.tolist(),
        planner.chunk_ids(extra),
        measured.parts(),
        measured.is_code.tolist(),
        strict=True,
    ):
        name = "code" if is_code else "prose"
        found[number] = Candidate(
            number=number,
            order=order_key(chunk_id),
            profile=name,
            parts=parts,
            raw=profile(name).score(parts),
        )
    return found


def _passages_inside(
    document_ids: Sequence[str], plan: Plan, planner: Planner, known: Collection[int]
) -> Numbers:
    """The passages of these documents that are no candidates yet, as far as the plan's scope
    lets them be seen. Of too many, the documents take turns, each with its first ones first."""
    inside = list(planner.numbers_in(document_ids).values())
    numbers = np.concatenate([np.zeros(0, dtype=np.int64), *inside])
    place = np.concatenate([np.zeros(0, dtype=np.int64), *map(np.arange, map(len, inside))])
    document = np.repeat(np.arange(len(inside)), [len(each) for each in inside])
    fresh = ~is_among(numbers, np.array(list(known), dtype=np.int64))
    if plan.scope != EVERYTHING:
        fresh &= planner.admits(numbers, plan.scope)
    order = np.lexsort((document[fresh], place[fresh]))[: BOUNDS.linked_chunks]
    return np.sort(numbers[fresh][order])


def _with_walk(
    plan: Plan,
    question: Question,
    vectors: Embedded | None,
    planner: Planner,
    candidates: dict[int, Candidate],
) -> dict[int, Candidate]:
    """The seeds, and the passages reached over the plan's bridges."""
    keys: dict[str, list[str]] = {}
    for bridge in plan.bridges:
        keys.setdefault(bridge.chunk_id, []).append(bridge.key)
    numbers = planner.numbers(list(keys)).tolist()
    sources = [
        WalkSource(number, candidates[number].raw, tuple(keys[chunk_id]))
        for chunk_id, number in zip(keys, numbers, strict=True)
        if number in candidates
    ]
    reach = {bridge.key: bridge.reach for bridge in plan.bridges}
    reached = walk(question, vectors, planner, sources, reach, space=plan.space, scope=plan.scope)
    found = dict(candidates)
    times = timed_parts(question, candidates, reached, planner)
    new = np.array(sorted(set(reached) - set(candidates)), dtype=np.int64)
    orders = dict(zip(new.tolist(), map(order_key, planner.chunk_ids(new)), strict=True))
    for number, way in reached.items():
        known = candidates.get(number)
        timed = times.get(number, {})
        value = way.value - off_time(timed)
        if known is not None and known.raw >= value:
            continue
        parts = (dict(known.parts) if known else {}) | timed
        found[number] = Candidate(
            number=number,
            order=known.order if known else orders[number],
            profile="prose",
            parts=parts | {"bridge": min(max(way.value, 0.0), 1.0)},
            raw=value,
            reached=way,
            features=way.features,
        )
    return found

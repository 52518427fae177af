"""Seeds: the chunks that words, vectors, titles and relations lead to directly."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from quipu.index.measure import Measured, measure
from quipu.plan.expand import Known
from quipu.plan.kinds import Among, Asking, Found, among
from quipu.plan.names import find_name_shares
from quipu.plan.visibility import seen_numbers
from quipu.ports import Numbers, Planner
from quipu.profiles import profile
from quipu.question import Question
from quipu.records.ids import order_key
from quipu.records.plan import Reason, Seed
from quipu.records.scope import Scope
from quipu.records.weights import CODE, PROSE, Bounds

__all__ = ["NO_SEEDS", "FoundSeeds", "Known", "Matched", "find_seeds", "match_words"]


_SPOKE_BY: tuple[tuple[Reason, str], ...] = (
    ("text", "lexical"),
    ("vector", "similarity"),
    ("name", "speaker"),
)


@dataclass(frozen=True, slots=True)
class FoundSeeds:
    """Seeds by base score, best first, with their numbers; `scale` the best raw scores. Where a
    server's index `proposed` the nearest passages, it may have left out a few."""

    seeds: tuple[Seed, ...]
    numbers: Numbers
    scale: dict[str, float]
    proposed: bool = False


NO_SEEDS = FoundSeeds((), np.zeros(0, dtype=np.int64), {})
"""What is found where nothing is looked for."""


class Matched(NamedTuple):
    """What was found without vectors: title shares by chunk number, and the best by words."""

    name_shares: dict[int, float]
    words: list[int]


def match_words(question: Question, planner: Planner, *, scope: Scope, limits: Bounds) -> Matched:
    """What the question's names and words lead to; they need no vector."""
    return Matched(
        find_name_shares(question, planner, scope=scope, limits=limits),
        _by_words(question, planner, scope, limits.seeds_per_index),
    )


def find_seeds(
    asking: Asking, *, known: Mapping[str, Known], matched: Matched, limits: Bounds
) -> FoundSeeds:
    """The union of the best by words, by vectors and by title, and what relations support."""
    question, planner, scope = asking.question, asking.planner, asking.scope
    reasons: dict[int, list[Reason]] = {}
    graph = _numbers_of(known, planner, scope)
    for number in graph:
        reasons.setdefault(number, []).append("graph")
    shares = matched.name_shares
    for number in sorted(shares, key=lambda n: (-shares[n], n))[: limits.seeds_per_index]:
        reasons.setdefault(number, []).append("name")
    for number in matched.words:
        reasons.setdefault(number, []).append("text")
    proposed = False
    if asking.vectors is not None and asking.space is not None:
        near = planner.match_vector(
            asking.vectors.vector, space=asking.space, scope=scope, limit=limits.seeds_per_index
        )
        proposed = near.found == "ann"
        for number in near.numbers.tolist():
            reasons.setdefault(number, []).append("vector")
    numbers = np.array(sorted(reasons), dtype=np.int64)
    near_numbers = numbers.tolist()
    others: list[tuple[Among, Found]] = []
    for kind in among():
        if (theirs := kind.find(asking, near_numbers, graph)) is not None:
            numbers = numbers[~kind.are(planner, numbers)]
            others.append((kind, theirs))
    measured = measure(
        question,
        asking.vectors,
        planner,
        numbers,
        space=asking.space,
        name_shares=shares,
        timeless={number for number, near in graph.items() if near.dated},
    )
    found = _ordered(measured, reasons, graph, planner)
    for kind, theirs in others:
        found = _joined(found, kind.profile, theirs, reasons, graph, planner)
    return replace(found, proposed=proposed)


def _numbers_of(known: Mapping[str, Known], planner: Planner, scope: Scope) -> dict[int, Known]:
    if not known:
        return {}
    numbers = planner.numbers(list(known))
    seen = set(seen_numbers(numbers[numbers >= 0], planner, scope).tolist())
    return {
        number: known[chunk]
        for chunk, number in zip(known, numbers.tolist(), strict=True)
        if number in seen
    }


def _by_words(question: Question, planner: Planner, scope: Scope, limit: int) -> list[int]:
    prose = planner.match_text(
        "prose",
        dict.fromkeys(question.stems, 1.0),
        scope=scope,
        limit=limit,
        k1=PROSE.k1,
        b=PROSE.b,
    )
    code = planner.match_text(
        "code",
        dict.fromkeys(question.code_stems, 1.0),
        scope=scope,
        limit=limit,
        k1=CODE.k1,
        b=CODE.b,
    )
    return prose.numbers.tolist() + code.numbers.tolist()


def _joined(
    found: FoundSeeds,
    name: str,
    theirs: Found,
    reasons: Mapping[int, list[Reason]],
    graph: Mapping[int, Known],
    planner: Planner,
) -> FoundSeeds:
    """The seeds and those of another profile, each of which was looked at from every side: what
    spoke for it counts."""
    seeds: list[Seed] = []
    chunk_ids, document_ids = (
        planner.chunk_ids(theirs.numbers),
        planner.document_ids(theirs.numbers),
    )
    for i, number in enumerate(theirs.numbers.tolist()):
        near = graph.get(number)
        parts = theirs.parts[i]
        spoke: list[Reason] = [reason for reason, part in _SPOKE_BY if parts.get(part, 0.0) > 0]
        seeds.append(
            Seed(
                chunk_id=chunk_ids[i],
                document_id=document_ids[i],
                profile=name,
                reasons=tuple(reasons.get(number) or spoke),
                parts=parts | ({"graph_proximity": near.proximity} if near else {}),
                graph_ids=near.graph_ids if near else (),
            )
        )
    return FoundSeeds(
        found.seeds + tuple(seeds),
        np.concatenate([found.numbers, theirs.numbers]),
        found.scale | {profile(name).cosine: theirs.cosine},
    )


def _ordered(
    measured: Measured,
    reasons: Mapping[int, list[Reason]],
    graph: Mapping[int, Known],
    planner: Planner,
) -> FoundSeeds:
    numbers = measured.numbers
    chunk_ids = planner.chunk_ids(numbers)
    document_ids = planner.document_ids(numbers)
    base = measured.base.tolist()
    order = sorted(range(len(numbers)), key=lambda i: (-base[i], order_key(chunk_ids[i])))
    seeds: list[Seed] = []
    every, are_code, places = measured.parts(), measured.is_code.tolist(), numbers.tolist()
    for i in order:
        number = places[i]
        near = graph.get(number)
        parts = every[i]
        if near:
            parts["graph_proximity"] = near.proximity
        seeds.append(
            Seed(
                chunk_id=chunk_ids[i],
                document_id=document_ids[i],
                profile="code" if are_code[i] else "prose",
                reasons=tuple(reasons[number]),
                parts=parts,
                graph_ids=near.graph_ids if near else (),
            )
        )
    return FoundSeeds(tuple(seeds), numbers[order], measured.scale)

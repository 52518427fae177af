"""What might be one thing: names within one type that look alike and mean nearly the same.

Letters are compared first, for they are cheap; only what they find alike is embedded. The same
entities give the same list.
"""

from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec

from quipu.ports import Vectors
from quipu.records.record import Entity
from quipu.resolve.likeness import Likeness, likeness
from quipu.resolve.pairs import find_pairs

__all__ = ["LEAST_COSINE", "Embed", "Proposal", "entity_text", "propose"]

LEAST_COSINE = 0.92
_DESCRIBED = 200

Embed = Callable[[Sequence[str]], Vectors]
"""Texts to float32[n, d], a row a text, each of length 1."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """That two things may be one, and why."""

    merged_id: Annotated[str, "the record that would be merged"]
    kept_id: Annotated[str, "the record that would stand for both: the better known"]
    merged_name: Annotated[str, "what the first is called"]
    kept_name: Annotated[str, "what the second is called"]
    type: Annotated[str, "the type of both"]
    score: Annotated[float, "how sure it is, in [0, 1]; 1 where a rule says it, else the cosine"]
    cosine: Annotated[float | None, "how near their meanings are; null without a model"]
    reasons: Annotated[tuple[str, ...], "what speaks for it"]


def entity_text(entity: Entity) -> str:
    """What of an entity is embedded: its name and what it is said to be, shortened."""
    said = " ".join(entity.description.split())[:_DESCRIBED]
    return f"{entity.name}: {said}" if said else entity.name


def propose(
    entities: Sequence[Entity],
    embed: Embed | None,
    *,
    least: float = LEAST_COSINE,
) -> list[Proposal]:
    """The pairs of `entities` (of whatever types) that may be one, the surest first.

    Two are proposed whose names look alike and whose vectors have a cosine of at least `least`, or
    whose names are the same letters.
    """
    alike = _alike(entities)
    held = {entity.entity_id: entity for entity in entities}
    pairs = sorted(tuple(sorted(ids)) for ids in alike)
    cosines = _cosines([(held[one], held[other]) for one, other in pairs], embed)
    found = [
        _proposal(held[one], held[other], alike[frozenset((one, other))], cosine, least)
        for (one, other), cosine in zip(pairs, cosines, strict=True)
    ]
    return sorted(
        (proposal for proposal in found if proposal is not None),
        key=lambda p: (-p.score, p.type, p.merged_id, p.kept_id),
    )


def _alike(entities: Sequence[Entity]) -> dict[frozenset[str], Likeness]:
    by_type: dict[str, list[Entity]] = {}
    for entity in sorted(entities, key=lambda e: e.entity_id):
        by_type.setdefault(entity.type, []).append(entity)
    found: dict[frozenset[str], Likeness] = {}
    for group in by_type.values():
        for first, second in find_pairs([entity.name for entity in group]):
            one, other = group[first], group[second]
            alike = likeness(one.name, other.name)
            if alike is not None:
                found[frozenset((one.entity_id, other.entity_id))] = alike
    return found


def _cosines(pairs: Sequence[tuple[Entity, Entity]], embed: Embed | None) -> list[float | None]:
    if embed is None or not pairs:
        return [None] * len(pairs)
    texts = {e.entity_id: entity_text(e) for pair in pairs for e in pair}
    row = {entity_id: i for i, entity_id in enumerate(texts)}
    vectors = embed(list(texts.values()))
    return [
        round(min(float(vectors[row[a.entity_id]] @ vectors[row[b.entity_id]]), 1.0), 4)
        for a, b in pairs
    ]


def _proposal(
    one: Entity,
    other: Entity,
    alike: Likeness,
    cosine: float | None,
    least: float,
) -> Proposal | None:
    near = cosine is not None and cosine >= least
    if not (near or alike.enough):
        return None
    reasons = [alike.reason]
    if near:
        reasons.append(f"they mean the same (cosine {cosine:.2f})")
    kept, merged = sorted((one, other), key=lambda e: (-e.mention_count, -len(e.name), e.entity_id))
    return Proposal(
        merged_id=merged.entity_id,
        kept_id=kept.entity_id,
        merged_name=merged.name,
        kept_name=kept.name,
        type=kept.type,
        score=1.0 if alike.enough or cosine is None else cosine,
        cosine=cosine,
        reasons=tuple(reasons),
    )

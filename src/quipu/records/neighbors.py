"""Which relations of a record are its first, where it has more than are asked for."""

from collections import Counter
from collections.abc import Iterable

from quipu.records.record import Relation

__all__ = ["in_turns", "nearest_neighbors"]


def nearest_neighbors(near: str, relations: Iterable[Relation], limit: int) -> list[Relation]:
    """At most `limit` of the relations that have `near` at one end, each once, by (type, other
    end, id). Of more, the types take turns, so that none is left out for its name."""
    unique = {relation.rel_id: relation for relation in relations}
    ordered = sorted(unique.values(), key=lambda relation: _neighbor_order(relation, near))
    kept = in_turns([relation.type for relation in ordered], limit)
    return [ordered[place] for place in kept]


def in_turns(types: Iterable[str], limit: int) -> list[int]:
    """The places, in order, of the first `limit` of a sequence where its types take turns, each
    with its first ones first."""
    turns: Counter[str] = Counter()
    ranked: list[tuple[int, str, int]] = []
    for place, each in enumerate(types):
        ranked.append((turns[each], each, place))
        turns[each] += 1
    if len(ranked) > max(limit, 0):
        ranked = sorted(ranked)[: max(limit, 0)]
    return sorted(place for _, _, place in ranked)


def _neighbor_order(relation: Relation, near: str) -> tuple[str, str, str]:
    """By type, the end that is not `near`, and id."""
    forward = relation.source_entity_id == near
    far = relation.target_entity_id if forward else relation.source_entity_id
    return (relation.type, far, relation.rel_id)

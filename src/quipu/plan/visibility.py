"""What a scope lets be seen of the graph: a record counts only where a visible passage backs it.

A search without a scope sees everything, and none of this is read.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from quipu.ports import Numbers, Planner
from quipu.records.ids import name_key
from quipu.records.record import Relation
from quipu.records.scope import EVERYTHING, Scope

__all__ = ["seen_numbers", "seen_records", "seen_relations"]


def seen_numbers(numbers: Numbers, planner: Planner, scope: Scope) -> Numbers:
    """Those of the live chunks `numbers` that `scope` lets be seen, in their order."""
    return numbers if scope == EVERYTHING else numbers[planner.admits(numbers, scope)]


def seen_records(ids: Sequence[str], planner: Planner, scope: Scope) -> set[str]:
    """Those of the records with a passage that `scope` lets be seen: one of the document's own,
    one that supports the record, or one that mentions the name."""
    asked = list(dict.fromkeys(ids))
    if scope == EVERYTHING or not asked:
        return set(asked)
    keys = {each: key for each in asked if (key := name_key(each)) is not None}
    names = planner.occurrences("name", list(keys.values()), scope=scope, limit=0)
    seen = {each for each, key in keys.items() if names[key].df}
    others = [each for each in asked if each not in keys]
    passages = _evidence(others, planner)
    for document, numbers in planner.numbers_in(others).items():
        passages[document] = [*passages.get(document, ()), *numbers.tolist()]
    return seen | _backed(passages, planner, scope)


def seen_relations(
    relations: Mapping[str, Sequence[Relation]], planner: Planner, scope: Scope
) -> dict[str, list[Relation]]:
    """Only the relations whose ends are both seen, and whose evidence is where they have any."""
    if scope == EVERYTHING:
        return {each: list(found) for each, found in relations.items()}
    every = {r.rel_id: r for found in relations.values() for r in found}
    ends = [end for r in every.values() for end in (r.source_entity_id, r.target_entity_id)]
    records = seen_records(ends, planner, scope)
    evidence = _evidence(list(every), planner)
    backed = _backed(evidence, planner, scope)
    seen = {
        rel_id
        for rel_id, r in every.items()
        if {r.source_entity_id, r.target_entity_id} <= records
        and (rel_id in backed or rel_id not in evidence)
    }
    return {each: [r for r in found if r.rel_id in seen] for each, found in relations.items()}


def _evidence(ids: Sequence[str], planner: Planner) -> dict[str, list[int]]:
    """The live chunks that support each record; only records that any chunk supports."""
    chunks = {
        record: dict.fromkeys(
            chunk for each in supports if each.known_until is None for chunk in each.chunk_ids
        )
        for record, supports in planner.support(ids).items()
    }
    every = list(dict.fromkeys(chunk for found in chunks.values() for chunk in found))
    number = dict(zip(every, planner.numbers(every).tolist(), strict=True))
    return {
        record: [number[chunk] for chunk in found if number[chunk] >= 0]
        for record, found in chunks.items()
        if found
    }


def _backed(passages: Mapping[str, Iterable[int]], planner: Planner, scope: Scope) -> set[str]:
    """The records that have one of their passages in `scope`."""
    every = np.array(sorted({n for found in passages.values() for n in found}), dtype=np.int64)
    seen = set(seen_numbers(every, planner, scope).tolist())
    return {record for record, found in passages.items() if not seen.isdisjoint(found)}

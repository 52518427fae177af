"""The things that may be one with others: those with a name and a type of their own, and the
names that facts are about."""

from collections.abc import Collection

import msgspec

from quipu.ports import Planner
from quipu.records.ids import name_id
from quipu.records.mentions import key_words
from quipu.records.record import Entity
from quipu.records.schema import EntityType
from quipu.resolve.merges import APART, SAME, Merges, may_be_merged
from quipu.text import name_key

__all__ = ["candidates"]

_PAGE = 2_000
# Known by exact names in which one letter makes another thing, or by a number.
_EXACT = frozenset({
    EntityType.SYMBOL, EntityType.URL, EntityType.PACKAGE, EntityType.ADR, EntityType.GOAL,
    EntityType.TASK, EntityType.FILE,
})  # fmt: skip


def candidates(planner: Planner, merges: Merges, types: Collection[str] = ()) -> list[Entity]:
    """Every such thing by id, one of what is merged; only of `types`, if any are named.

    It reads every entity and every fact: fit for upkeep, not for a search.
    """
    found: dict[str, Entity] = {}
    known: set[str] = set()
    after = ""
    while page := planner.scan("entity", after=after, limit=_PAGE):
        for entity in page:
            if not isinstance(entity, Entity):
                continue
            after = entity.entity_id
            stands = merges.stands_for(after)
            if may_be_merged(entity.type) and entity.type not in _EXACT:
                found[stands] = merges.united.get(stands, entity)
                known.add(name_key(entity.name))
    found |= _spoken_of(planner, merges, known)
    wanted = frozenset(types)
    return [found[i] for i in sorted(found) if not wanted or found[i].type in wanted]


def _spoken_of(planner: Planner, merges: Merges, known: Collection[str]) -> dict[str, Entity]:
    """The names, mentioned somewhere, that facts have as subjects, written as there."""
    written: dict[str, str] = {}
    for fact in planner.facts():
        key = " ".join(key_words(fact.subject))
        if fact.predicate not in (SAME, APART) and name_key(fact.subject) not in known:
            written[name_id(key)] = min(fact.subject, written.get(name_id(key), fact.subject))
    found: dict[str, Entity] = {}
    for entity_id, entity in planner.get(sorted(written)).items():
        if isinstance(entity, Entity):
            stands = merges.stands_for(entity_id)
            found[stands] = merges.united.get(stands, _named(entity, written[entity_id]))
    return found


def _named(entity: Entity, name: str) -> Entity:
    return msgspec.structs.replace(entity, name=name)

"""Acronyms that texts define, as decisions of a rule: two names are one where every text that
defines the short one means the same by it."""

from collections.abc import Collection, Iterable

from quipu.ports import Planner
from quipu.records.ids import name_id, name_key
from quipu.records.mentions import key_words
from quipu.records.record import Entity, Relation
from quipu.records.schema import EntityType, RelationType
from quipu.resolve.merges import NO_HOMONYMS, Decision, decisions

__all__ = ["defined", "definitions_at", "is_written"]

_SAME = frozenset({RelationType.SAME_AS.value})
_RULE = "acronym"
_MOST = 20


def definitions_at(planner: Planner, keys: Iterable[str]) -> list[Relation]:
    """The definitions that have a name of one of `keys` at either end, by id."""
    near = planner.neighbors(
        [name_id(key) for key in keys], direction="both", types=_SAME, limit_per_id=_MOST
    )
    found = {r.rel_id: r for relations in near.values() for r in relations}
    return [found[i] for i in sorted(found) if found[i].properties.get("rule") == _RULE]


def defined(planner: Planner, keys: Collection[str]) -> list[Decision]:
    """What the definitions of the names `keys` come to; a short name that is defined in two ways,
    that something else is called, or that was parted from the long one, means neither."""
    near = definitions_at(planner, keys)
    if not near:
        return []
    shorts = sorted({name_key(r.source_entity_id) or "" for r in near})
    every: dict[str, list[Relation]] = {}
    for relation in definitions_at(planner, shorts):
        every.setdefault(relation.source_entity_id, []).append(relation)
    plain = [found[0] for _, found in sorted(every.items()) if len(found) == 1]
    called = planner.named(
        [key for r in plain for end in _ends(r) if (key := name_key(end)) is not None]
    )
    parted = {frozenset((d.merged_id, d.kept_id)) for d in decisions(planner, same=False)}
    made = [decision for r in plain if (decision := _decision(r, called)) is not None]
    return [d for d in made if frozenset((d.merged_id, d.kept_id)) not in parted]


def is_written(decision: Decision, text: str) -> bool:
    """Whether `text` may mean the acronym: it has no capitals, has it as it was defined ("Mr." is
    no MR), or names what it stands for."""
    return (
        text == text.lower()
        or decision.merged_name in text
        or " ".join(key_words(decision.kept_name)) in " ".join(key_words(text))
    )


def _ends(relation: Relation) -> tuple[str, str]:
    return relation.source_entity_id, relation.target_entity_id


def _decision(relation: Relation, called: dict[str, list[Entity]]) -> Decision | None:
    """The short name is the thing with the long one: a record of its own, if there is just one
    called so, else the name."""
    short, long = _ends(relation)
    things = [
        [e for e in called.get(name_key(end) or "", ()) if e.type not in NO_HOMONYMS]
        for end in (short, long)
    ]
    if len(things[1]) > 1 or any(e not in things[1] for e in things[0]):
        return None
    kept = things[1][0] if things[1] else None
    written = relation.properties
    return Decision(
        merge_id=relation.rel_id,
        merged_id=short,
        kept_id=kept.entity_id if kept else long,
        merged_name=str(written.get("short", name_key(short))),
        kept_name=kept.name if kept else str(written.get("long", name_key(long))),
        type=kept.type if kept else EntityType.NAME.value,
        same=True,
        by=_RULE,
        reason=f"{written.get('long')} ({written.get('short')})",
        score=relation.confidence,
        decided_at=relation.created_at,
    )

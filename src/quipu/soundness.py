"""What a record must be, whoever wrote it: the rules that `validate` reports and `import` applies.

Pure: one record at a time, and for a relation the types of its ends. A kind of source adds what its
own things must be.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from quipu.errors import InvalidInput
from quipu.kind import parts
from quipu.records.record import Chunk, Entity, Episode, Fact, Record, Relation
from quipu.records.schema import (
    REQUIRED_ENTITY_FIELDS,
    REQUIRED_RELATION_FIELDS,
    EntityType,
    wrong_end,
)
from quipu.when.instants import parse_instant
from quipu.when.intervals import read_iso

__all__ = ["Soundness", "end_fault", "faults"]

_ENTITY_TYPES = frozenset(str(each) for each in EntityType)
_FACT_FIELDS = ("fact_id", "subject", "predicate", "object", "updated_at", "source_sha")
_INSTANTS = ("observed_at", "ingested_at", "created_at", "updated_at", "first_seen", "last_seen")


class Soundness(ABC):
    """What things of a kind of source must be."""

    @abstractmethod
    def faults(self, entity: Entity) -> Iterator[str]:
        """Every promise that the thing breaks, in words; nothing for a sound one, or another's."""


def faults(record: Record) -> Iterator[str]:
    """Every promise that the record breaks by itself, in words; nothing for a sound one."""
    yield from _time_faults(record)
    match record:
        case Entity():
            yield from _entity_faults(record)
        case Relation():
            yield from _relation_faults(record)
        case Fact():
            yield from _fact_faults(record)
        case Chunk():
            if not 1 <= record.start_line <= record.end_line:
                yield "passage whose lines are no range"
        case Episode():
            pass


def end_fault(relation: Relation, source_type: str, target_type: str) -> str | None:
    """Which end of a relation of a known type is a thing it cannot tie; None where both fit."""
    wrong = wrong_end(relation.type, source_type, target_type)
    if wrong is None:
        return None
    given = source_type if wrong == "source" else target_type
    return f"{relation.type} with a {wrong} that is a {given}"


def _time_faults(record: Record) -> Iterator[str]:
    kind = type(record).__name__.lower()
    for field in _INSTANTS:
        value = getattr(record, field, "")
        if not value.strip():
            continue  # a required one that is blank is told by name
        try:
            parse_instant(value)
        except InvalidInput:
            yield f"{kind} whose {field} {value[:40]!r} is no date"


def _entity_faults(entity: Entity) -> Iterator[str]:
    if entity.type not in _ENTITY_TYPES:
        yield f"unknown entity type {entity.type!r}"
    for field in REQUIRED_ENTITY_FIELDS:
        if _blank(getattr(entity, field)):
            yield f"{entity.type or 'entity'} without {field}"
    if entity.mention_count < 1:
        yield "entity with a mention_count below 1"
    for each in parts("records", Soundness):
        yield from each.faults(entity)


def _relation_faults(relation: Relation) -> Iterator[str]:
    for field in REQUIRED_RELATION_FIELDS:
        if _blank(getattr(relation, field)):
            yield f"relation without {field}"
    if not 0 <= relation.confidence <= 1:
        yield "relation with a confidence outside [0, 1]"
    if not relation.weight > 0:
        yield "relation with a weight that is not above 0"
    if relation.source_entity_id and relation.source_entity_id == relation.target_entity_id:
        yield "relation from a thing to itself"


def _fact_faults(fact: Fact) -> Iterator[str]:
    for field in _FACT_FIELDS:
        if _blank(getattr(fact, field)):
            yield f"fact without {field}"
    if not 0 <= fact.confidence <= 1:
        yield "fact with a confidence outside [0, 1]"
    for field in ("valid_from", "valid_to"):
        value = getattr(fact, field)
        if value and read_iso(value) is None:
            yield f"fact whose {field} {value[:40]!r} is no date"
    if fact.valid_from and fact.valid_to and _before(fact.valid_to, fact.valid_from):
        yield "fact that ends before it begins"


def _before(one: str, other: str) -> bool:
    """Whether the date `one` is before `other`, compared as exactly as both are written."""
    length = min(len(one), len(other))
    return one[:length] < other[:length]


def _blank(value: object) -> bool:
    return not isinstance(value, str) or not value.strip()

"""What is wrong in a graph: one streaming pass over what the store holds.

Errors are broken promises about records, with the ids they are found at: a wrong type, a missing
property, a number out of range, an edge without an end, a fact that ends before it begins.
Warnings are counted, not listed in full: passages that nothing in the graph is tied to, and
relation types that are not in the schema (they are kept all the same).
"""

from collections.abc import Callable, Iterator
from typing import Protocol

import msgspec

from quipu.domain.ids import Kind
from quipu.domain.records import Chunk, Entity, Fact, Record, Relation, record_id
from quipu.domain.schema import (
    REQUIRED_ENTITY_FIELDS,
    REQUIRED_RELATION_FIELDS,
    EntityType,
    RelationType,
)
from quipu.index.mentions import FIELD
from quipu.ports import Graph, Index

__all__ = ["Finding", "Validation", "validate"]

_PAGE = 2000
_EXAMPLES = 5
_FOUND_AT_MOST = 1000
_ENTITY_TYPES = frozenset(str(each) for each in EntityType)
_RELATION_TYPES = frozenset(str(each) for each in RelationType)
_FACT_FIELDS = ("fact_id", "subject", "predicate", "object", "updated_at", "source_sha")


class Searched(Graph, Index, Protocol):
    """What validation reads."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong and where: the first ids (by id) and how many there are in all."""

    message: str
    ids: tuple[str, ...]
    count: int


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """Every finding, errors and warnings, each by message. `checked` counts records by kind."""

    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    checked: dict[str, int]

    @property
    def valid(self) -> bool:
        """Whether there is no error; warnings do not count."""
        return not self.errors


class _Findings:
    def __init__(self) -> None:
        self._ids: dict[str, list[str]] = {}
        self._counts: dict[str, int] = {}

    def add(self, message: str, record: str, *, most: int = _FOUND_AT_MOST) -> None:
        ids = self._ids.setdefault(message, [])
        self._counts[message] = self._counts.get(message, 0) + 1
        if len(ids) < most:
            ids.append(record)

    def all(self) -> tuple[Finding, ...]:
        return tuple(
            Finding(message=message, ids=tuple(ids), count=self._counts[message])
            for message, ids in sorted(self._ids.items())
        )


def validate(store: Searched) -> Validation:
    """Check every live record of `store` in one moment of it; reads only, a page at a time."""
    with store.moment():
        return _validated(store)


def _validated(store: Searched) -> Validation:
    errors, warnings = _Findings(), _Findings()
    checked: dict[str, int] = {}
    tied: set[str] = set()
    for kind, check in _checks(store, errors, warnings, tied):
        checked[kind] = 0
        for page in _pages(store, kind):
            checked[kind] += len(page)
            check(page)
    return Validation(errors=errors.all(), warnings=warnings.all(), checked=checked)


def _checks(
    store: Searched, errors: _Findings, warnings: _Findings, tied: set[str]
) -> Iterator[tuple[Kind, Callable[[list[Record]], None]]]:
    """A check for a page of each kind. Chunks come last: they need to know what is tied."""

    def entities(page: list[Record]) -> None:
        for record in page:
            if isinstance(record, Entity):
                _check_entity(record, errors)

    def relations(page: list[Record]) -> None:
        _check_ends(store, page, errors)
        for record in page:
            if isinstance(record, Relation):
                _check_relation(record, errors, warnings)
        _tie(store, page, tied)

    def facts(page: list[Record]) -> None:
        for record in page:
            if isinstance(record, Fact):
                _check_fact(record, errors)
        _tie(store, page, tied)

    def chunks(page: list[Record]) -> None:
        _check_chunks(store, [r for r in page if isinstance(r, Chunk)], tied, errors, warnings)

    yield "entity", entities
    yield "relation", relations
    yield "fact", facts
    yield "chunk", chunks


def _pages(store: Graph, kind: Kind) -> Iterator[list[Record]]:
    after = ""
    while page := store.scan(kind, after=after, limit=_PAGE):
        yield page
        after = record_id(page[-1])


def _check_entity(entity: Entity, errors: _Findings) -> None:
    if entity.type not in _ENTITY_TYPES:
        errors.add(f"unknown entity type {entity.type!r}", entity.entity_id)
    for field in REQUIRED_ENTITY_FIELDS:
        if _blank(getattr(entity, field)):
            errors.add(f"{entity.type or 'entity'} without {field}", entity.entity_id)
    if entity.mention_count < 1:
        errors.add("entity with a mention_count below 1", entity.entity_id)


def _check_relation(relation: Relation, errors: _Findings, warnings: _Findings) -> None:
    for field in REQUIRED_RELATION_FIELDS:
        if _blank(getattr(relation, field)):
            errors.add(f"relation without {field}", relation.rel_id)
    if not 0 <= relation.confidence <= 1:
        errors.add("relation with a confidence outside [0, 1]", relation.rel_id)
    if not relation.weight > 0:
        errors.add("relation with a weight that is not above 0", relation.rel_id)
    if relation.type and relation.type not in _RELATION_TYPES:
        message = f"unknown relation type {relation.type!r}"
        warnings.add(message, relation.rel_id, most=_EXAMPLES)


def _check_ends(store: Graph, page: list[Record], errors: _Findings) -> None:
    relations = [r for r in page if isinstance(r, Relation)]
    ends = {end for r in relations for end in (r.source_entity_id, r.target_entity_id) if end}
    held = store.get(sorted(ends))
    for relation in relations:
        for end in (relation.source_entity_id, relation.target_entity_id):
            if end and not isinstance(held.get(end), Entity):
                errors.add("relation with an end that is no live entity", relation.rel_id)


def _check_fact(fact: Fact, errors: _Findings) -> None:
    for field in _FACT_FIELDS:
        if _blank(getattr(fact, field)):
            errors.add(f"fact without {field}", fact.fact_id)
    if not 0 <= fact.confidence <= 1:
        errors.add("fact with a confidence outside [0, 1]", fact.fact_id)
    if fact.valid_from and fact.valid_to and _before(fact.valid_to, fact.valid_from):
        errors.add("fact that ends before it begins", fact.fact_id)


def _check_chunks(
    store: Searched, page: list[Chunk], tied: set[str], errors: _Findings, warnings: _Findings
) -> None:
    documents = store.get(sorted({chunk.document_id for chunk in page}))
    numbers = store.numbers([chunk.chunk_id for chunk in page])
    mentions = store.frequencies(FIELD, (), numbers).lengths
    for chunk, mentioned in zip(page, mentions, strict=True):
        document = documents.get(chunk.document_id)
        if not isinstance(document, Entity):
            errors.add("passage of a document that is no live entity", chunk.chunk_id)
        elif document.type != EntityType.DOCUMENT:
            errors.add("passage of an entity that is no Document", chunk.chunk_id)
        if not 1 <= chunk.start_line <= chunk.end_line:
            errors.add("passage whose lines are no range", chunk.chunk_id)
        if not mentioned and chunk.chunk_id not in tied:
            message = "passage that mentions no name and supports no relation or fact"
            warnings.add(message, chunk.chunk_id, most=_EXAMPLES)


def _tie(store: Graph, page: list[Record], tied: set[str]) -> None:
    for support in store.support([record_id(record) for record in page]).values():
        for each in support:
            if each.known_until is None:
                tied.update(each.chunk_ids)


def _before(one: str, other: str) -> bool:
    """Whether the date `one` is before `other`, compared as exactly as both are written."""
    length = min(len(one), len(other))
    return one[:length] < other[:length]


def _blank(value: object) -> bool:
    return not isinstance(value, str) or not value.strip()

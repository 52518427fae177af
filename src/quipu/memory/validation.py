"""What is wrong in a graph: one streaming pass over what the store holds.

Errors are broken promises about records, with the ids they are found at: a wrong type, a missing
property, a number out of range, a date that is none, an edge without an end, to itself or to a
thing it cannot tie, a fact that ends before it begins. An edge to something that was removed or
forgotten is none of them: it waits, unseen, for its return, as one of a goal or task does for what
was not told yet. `strict` asks for the node types of a
platform, too. Warnings are counted, not listed in full: passages that nothing in the graph is tied
to, and relation types that are not in the schema (they are kept all the same).
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import msgspec

from quipu.index.mentions import FIELD
from quipu.kind import ahead
from quipu.limits import NAMED, ROWS_AT_ONCE
from quipu.ports import Graph, Planner, changes_after
from quipu.records.ids import Kind
from quipu.records.record import Chunk, Entity, Episode, Record, Relation, record_id
from quipu.records.schema import REQUIRED_NODE_TYPES, EntityType, RelationType
from quipu.soundness import end_fault, faults

__all__ = ["Validation", "validate"]

_RELATION_TYPES = frozenset(str(each) for each in RelationType)
_NO_END = "relation with an end that is no live entity"
_NO_NODE = "no node of the required type {}"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong and where: the first ids (by id) and how many there are in all."""

    message: Annotated[str, "what is wrong"]
    ids: Annotated[tuple[str, ...], "the records it is found at, at most the first ones"]
    count: Annotated[int, "how many there are in all"]


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """Every finding, errors and warnings, each by message. `checked` counts records by kind."""

    errors: Annotated[tuple[Finding, ...], "what is wrong (exit code 1)"]
    warnings: Annotated[tuple[Finding, ...], "what is doubtful, counted"]
    checked: Annotated[dict[str, int], "how many records of each kind were looked at"]

    @property
    def valid(self) -> bool:
        """Whether there is no error; warnings do not count."""
        return not self.errors


class _Findings:
    def __init__(self) -> None:
        self._ids: dict[str, list[str]] = {}
        self._counts: dict[str, int] = {}

    def add(self, message: str, record: str, *, most: int = ROWS_AT_ONCE) -> None:
        ids = self._ids.setdefault(message, [])
        self._counts[message] = self._counts.get(message, 0) + 1
        if len(ids) < most:
            ids.append(record)

    def all(self) -> tuple[Finding, ...]:
        return tuple(
            Finding(message=message, ids=tuple(ids), count=self._counts[message])
            for message, ids in sorted(self._ids.items())
        )


def validate(store: Planner, *, strict: bool = False) -> Validation:
    """Check every live record of `store` in one moment of it; reads only, a page at a time. With
    `strict` a required node type that nothing is of is an error."""
    with store.moment():
        return _validated(store, strict=strict)


def _validated(store: Planner, *, strict: bool) -> Validation:
    errors, warnings = _Findings(), _Findings()
    checked: dict[str, int] = {}
    seen = _Seen()
    for kind, check in _checks(store, errors, warnings, seen):
        counted = 0
        for page in _pages(store, kind):
            counted += len(page)
            check(page)
        if kind != "episode":
            checked[kind] = counted
    _check_hidden(store, seen, errors)
    for node_type in REQUIRED_NODE_TYPES if strict else ():
        if node_type not in seen.types:
            errors.add(_NO_NODE.format(node_type), str(node_type))
    return Validation(errors=errors.all(), warnings=warnings.all(), checked=checked)


class _Types:
    """The type of every live entity. What a page refers to stands anywhere in the store: read
    again for each page, an entity that thousands of documents assert would cost a square."""

    def __init__(self, store: Graph) -> None:
        self._store = store
        self._of: dict[str, str] = {}

    def keep(self, entity: Entity) -> None:
        self._of[entity.entity_id] = sys.intern(entity.type)

    def of(self, ids: Iterable[str]) -> dict[str, str]:
        """Those of `ids` that are live entities; names have no row that was scanned."""
        asked = sorted(set(ids))
        rest = [each for each in asked if each not in self._of]
        named = {i: r.type for i, r in self._store.get(rest).items() if isinstance(r, Entity)}
        return {i: self._of[i] for i in asked if i in self._of} | named


@dataclass(slots=True)
class _Seen:
    """What later checks need to know: entity types, tied chunks, relations without an end."""

    types: set[str] = field(default_factory=set[str])
    tied: set[str] = field(default_factory=set[str])
    endless: dict[str, Relation] = field(default_factory=dict[str, Relation])


def _checks(
    store: Planner, errors: _Findings, warnings: _Findings, seen: _Seen
) -> Iterator[tuple[Kind, Callable[[list[Record]], None]]]:
    """A check for a page of each kind. Entities come first, for what follows refers to them;
    chunks last: they need to know what is tied."""
    types = _Types(store)

    def episodes(page: list[Record]) -> None:
        _check_each(page, errors)
        _note_endless(store, page, seen)

    def entities(page: list[Record]) -> None:
        _check_each(page, errors)
        for record in page:
            if isinstance(record, Entity):
                types.keep(record)
                seen.types.add(record.type)

    def relations(page: list[Record]) -> None:
        _check_each(page, errors)
        _check_ends(types, [r for r in page if isinstance(r, Relation)], errors, warnings)
        _mark_related(store, page, seen.tied)

    def facts(page: list[Record]) -> None:
        _check_each(page, errors)
        _mark_related(store, page, seen.tied)

    def chunks(page: list[Record]) -> None:
        _check_each(page, errors)
        passages = [r for r in page if isinstance(r, Chunk)]
        _check_documents(types, passages, errors)
        _check_chunks(store, passages, seen.tied, warnings)

    yield "entity", entities
    yield "relation", relations
    yield "fact", facts
    yield "chunk", chunks
    yield "episode", episodes


def _pages(store: Graph, kind: Kind) -> Iterator[list[Record]]:
    after = ""
    while page := store.scan(kind, after=after, limit=ROWS_AT_ONCE):
        yield page
        after = record_id(page[-1])


def _check_each(page: list[Record], errors: _Findings) -> None:
    for record in page:
        for message in faults(record):
            errors.add(message, record_id(record))


def _check_ends(
    types: _Types, relations: Sequence[Relation], errors: _Findings, warnings: _Findings
) -> None:
    type_of = types.of(end for r in relations for end in _ends(r))
    for relation in relations:
        ends = [type_of.get(end) for end in (relation.source_entity_id, relation.target_entity_id)]
        known = [end for end in ends if end is not None]
        if len(known) < 2 and all(_ends(relation)):
            errors.add(_NO_END, relation.rel_id)
        elif message := len(known) == 2 and end_fault(relation, *known):
            errors.add(message, relation.rel_id)
        if relation.type and relation.type not in _RELATION_TYPES:
            message = f"unknown relation type {relation.type!r}"
            warnings.add(message, relation.rel_id, most=NAMED)


def _ends(relation: Relation) -> tuple[str, ...]:
    return tuple(end for end in (relation.source_entity_id, relation.target_entity_id) if end)


def _note_endless(store: Graph, page: list[Record], seen: _Seen) -> None:
    """The relations of these episodes that are hidden, since an end of theirs never was."""
    episodes = [e for e in page if isinstance(e, Episode) and e.source_type not in ahead()]
    claims = store.claims([each.episode_id for each in episodes])
    claimed = {
        claim.record.rel_id: claim.record
        for rows in claims.values()
        for claim in rows
        if isinstance(claim.record, Relation)
    }
    live = store.get(sorted(claimed))
    hidden = {rel_id: record for rel_id, record in claimed.items() if rel_id not in live}
    known = store.support(sorted({end for r in hidden.values() for end in _ends(r)}))
    seen.endless |= {
        rel_id: record
        for rel_id, record in hidden.items()
        if not all(known.get(end) for end in _ends(record))
    }


def _check_hidden(store: Graph, seen: _Seen, errors: _Findings) -> None:
    """Hidden relations to what never was; one to what was forgotten is as it should be."""
    forgotten = _forgotten(store) if seen.endless else set[str]()
    for rel_id, relation in sorted(seen.endless.items()):
        missing = [end for end in _ends(relation) if end not in forgotten]
        known = store.support(missing)
        if any(not known.get(end) for end in missing):
            errors.add(_NO_END, rel_id)


def _forgotten(store: Graph) -> set[str]:
    return {c.record_id for c in changes_after(store, 0) if c.operation == "forget"}


def _check_documents(types: _Types, page: list[Chunk], errors: _Findings) -> None:
    type_of = types.of(chunk.document_id for chunk in page)
    for chunk in page:
        if chunk.document_id not in type_of:
            errors.add("passage of a document that is no live entity", chunk.chunk_id)
        elif type_of[chunk.document_id] != EntityType.DOCUMENT:
            errors.add("passage of an entity that is no Document", chunk.chunk_id)


def _check_chunks(store: Planner, page: list[Chunk], tied: set[str], warnings: _Findings) -> None:
    numbers = store.numbers([chunk.chunk_id for chunk in page])
    mentions = store.frequencies(FIELD, (), numbers).lengths
    for chunk, mentioned in zip(page, mentions, strict=True):
        if not mentioned and chunk.chunk_id not in tied:
            message = "passage that mentions no name and supports no relation or fact"
            warnings.add(message, chunk.chunk_id, most=NAMED)


def _mark_related(store: Graph, page: list[Record], tied: set[str]) -> None:
    for support in store.support([record_id(record) for record in page]).values():
        for each in support:
            if each.known_until is None:
                tied.update(each.chunk_ids)

"""What is wrong in a graph: one streaming pass over what the store holds.

Errors are broken promises about records, with the ids they are found at: a wrong type, a missing
property, a number out of range, a date that is none, an edge without an end, to itself or to a
thing it cannot tie, a fact that ends before it begins. An edge to something that was removed or
forgotten is none of them: it waits, unseen, for its return, as one of a goal or task does for what
was not told yet. `strict` asks for the node types of a
platform, too. Warnings are counted, not listed in full: passages that nothing in the graph is tied
to, and relation types that are not in the schema (they are kept all the same).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from quipu.domain.ids import Kind
from quipu.domain.records import Chunk, Entity, Episode, Record, Relation, record_id
from quipu.domain.schema import REQUIRED_NODE_TYPES, EntityType, RelationType
from quipu.domain.soundness import MAY_WAIT, end_fault, faults
from quipu.index.mentions import FIELD
from quipu.ports import Graph, Index

__all__ = ["Finding", "Validation", "validate"]

_PAGE = 2000
_EXAMPLES = 5
_FOUND_AT_MOST = 1000
_RELATION_TYPES = frozenset(str(each) for each in RelationType)
_NO_END = "relation with an end that is no live entity"
_NO_NODE = "no node of the required type {}"


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


def validate(store: Searched, *, strict: bool = False) -> Validation:
    """Check every live record of `store`; reads only, a page at a time. With `strict` a required
    node type that nothing is of is an error."""
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


@dataclass(slots=True)
class _Seen:
    """What later checks need to know: entity types, tied chunks, relations without an end."""

    types: set[str] = field(default_factory=set[str])
    tied: set[str] = field(default_factory=set[str])
    endless: dict[str, Relation] = field(default_factory=dict[str, Relation])


def _checks(
    store: Searched, errors: _Findings, warnings: _Findings, seen: _Seen
) -> Iterator[tuple[Kind, Callable[[list[Record]], None]]]:
    """A check for a page of each kind. Chunks come last: they need to know what is tied."""

    def episodes(page: list[Record]) -> None:
        _check_each(page, errors)
        _note_endless(store, page, seen)

    def entities(page: list[Record]) -> None:
        _check_each(page, errors)
        seen.types.update(record.type for record in page if isinstance(record, Entity))

    def relations(page: list[Record]) -> None:
        _check_each(page, errors)
        _check_ends(store, [r for r in page if isinstance(r, Relation)], errors, warnings)
        _tie(store, page, seen.tied)

    def facts(page: list[Record]) -> None:
        _check_each(page, errors)
        _tie(store, page, seen.tied)

    def chunks(page: list[Record]) -> None:
        _check_each(page, errors)
        chunks = [r for r in page if isinstance(r, Chunk)]
        _check_chunks(store, chunks, seen.tied, errors, warnings)

    yield "entity", entities
    yield "relation", relations
    yield "fact", facts
    yield "chunk", chunks
    yield "episode", episodes


def _pages(store: Graph, kind: Kind) -> Iterator[list[Record]]:
    after = ""
    while page := store.scan(kind, after=after, limit=_PAGE):
        yield page
        after = record_id(page[-1])


def _check_each(page: list[Record], errors: _Findings) -> None:
    for record in page:
        for message in faults(record):
            errors.add(message, record_id(record))


def _check_ends(
    store: Graph, relations: Sequence[Relation], errors: _Findings, warnings: _Findings
) -> None:
    held = store.get(sorted({end for r in relations for end in _ends(r)}))
    for relation in relations:
        ends = [held.get(end) for end in (relation.source_entity_id, relation.target_entity_id)]
        types = [end.type for end in ends if isinstance(end, Entity)]
        if len(types) < 2 and all(_ends(relation)):
            errors.add(_NO_END, relation.rel_id)
        elif message := len(types) == 2 and end_fault(relation, *types):
            errors.add(message, relation.rel_id)
        if relation.type and relation.type not in _RELATION_TYPES:
            message = f"unknown relation type {relation.type!r}"
            warnings.add(message, relation.rel_id, most=_EXAMPLES)


def _ends(relation: Relation) -> tuple[str, ...]:
    return tuple(end for end in (relation.source_entity_id, relation.target_entity_id) if end)


def _note_endless(store: Graph, page: list[Record], seen: _Seen) -> None:
    """The relations of these episodes that are hidden, since an end of theirs never was."""
    episodes = [e for e in page if isinstance(e, Episode) and e.source_type not in MAY_WAIT]
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
    found: set[str] = set()
    after = 0
    while changes := store.changes(after):
        after = changes[-1].sequence
        found.update(c.record_id for c in changes if c.operation == "forget")
    return found


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
        if not mentioned and chunk.chunk_id not in tied:
            message = "passage that mentions no name and supports no relation or fact"
            warnings.add(message, chunk.chunk_id, most=_EXAMPLES)


def _tie(store: Graph, page: list[Record], tied: set[str]) -> None:
    for support in store.support([record_id(record) for record in page]).values():
        for each in support:
            if each.known_until is None:
                tied.update(each.chunk_ids)

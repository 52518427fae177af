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
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import msgspec

from quipu.index.mentions import FIELD
from quipu.kind import source_types
from quipu.limits import NAMED, ROWS_AT_ONCE
from quipu.ports import Planner, changes_after
from quipu.records.ids import Kind
from quipu.records.record import Chunk, Entity, Episode, Fact, Relation, record_id
from quipu.records.schema import REQUIRED_NODE_TYPES, EntityType, RelationType
from quipu.soundness import end_fault, faults

__all__ = ["Validation", "validate"]

_NO_END = "relation with an end that is no live entity"


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
    """Messages with the first ids that each is found at."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._ids: dict[str, list[str]] = {}
        self._counts: Counter[str] = Counter()

    def add(self, message: str, record: str) -> None:
        ids = self._ids.setdefault(message, [])
        self._counts[message] += 1
        if len(ids) < self._most:
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
        found = _Pass(store)
        checked = found.run()
        for node_type in REQUIRED_NODE_TYPES if strict else ():
            if node_type not in found.types.values():
                found.errors.add(f"no node of the required type {node_type}", str(node_type))
    return Validation(errors=found.errors.all(), warnings=found.warnings.all(), checked=checked)


class _Pass:
    """One pass over a store: what is wrong, and what later pages need to know of earlier ones."""

    def __init__(self, store: Planner) -> None:
        self._store = store
        self.errors, self.warnings = _Findings(ROWS_AT_ONCE), _Findings(NAMED)
        # The type of every live entity. What a page refers to stands anywhere in the store: read
        # again for each page, an entity that thousands of documents assert would cost a square.
        self.types: dict[str, str] = {}
        self._tied = set[str]()
        self._endless: dict[str, Relation] = {}

    def run(self) -> dict[str, int]:
        """Check all; how many records of each kind there are. Entities come first, for what
        follows refers to them; chunks after what they may be tied by."""
        checks: dict[Kind, Callable[[list[Any]], None]] = {
            "entity": self._entities,
            "relation": self._relations,
            "fact": self._mark_related,
            "chunk": self._chunks,
            "episode": self._note_endless,
        }
        checked: dict[str, int] = {}
        for kind, check in checks.items():
            checked[kind], after = 0, ""
            while page := self._store.scan(kind, after=after, limit=ROWS_AT_ONCE):
                for record in page:
                    for message in faults(record):
                        self.errors.add(message, record_id(record))
                check(page)
                checked[kind] += len(page)
                after = record_id(page[-1])
        self._check_hidden()
        del checked["episode"]
        return checked

    def _entities(self, page: list[Entity]) -> None:
        self.types |= {each.entity_id: sys.intern(each.type) for each in page}

    def _relations(self, page: list[Relation]) -> None:
        type_of = self._types_of(end for relation in page for end in _ends(relation))
        told = frozenset(RelationType)
        for relation in page:
            known = [type_of[end] for end in _ends(relation) if end in type_of]
            if len(known) < 2:
                self.errors.add(_NO_END, relation.rel_id)
            elif message := len(known) == 2 and end_fault(relation, *known):
                self.errors.add(message, relation.rel_id)
            if relation.type and relation.type not in told:
                message = f"unknown relation type {relation.type!r}"
                self.warnings.add(message, relation.rel_id)
        self._mark_related(page)

    def _types_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The types of those of `ids` that are live entities; names have no row that was
        scanned."""
        asked = sorted(set(ids))
        rest = self._store.get([each for each in asked if each not in self.types])
        named = {i: record.type for i, record in rest.items() if isinstance(record, Entity)}
        return {i: self.types[i] for i in asked if i in self.types} | named

    def _mark_related(self, page: list[Relation] | list[Fact]) -> None:
        for support in self._store.support([record_id(record) for record in page]).values():
            for each in support:
                if each.known_until is None:
                    self._tied.update(each.chunk_ids)

    def _chunks(self, page: list[Chunk]) -> None:
        type_of = self._types_of(chunk.document_id for chunk in page)
        numbers = self._store.numbers([chunk.chunk_id for chunk in page])
        mentions = self._store.frequencies(FIELD, (), numbers).lengths
        for chunk, mentioned in zip(page, mentions, strict=True):
            if chunk.document_id not in type_of:
                self.errors.add("passage of a document that is no live entity", chunk.chunk_id)
            elif type_of[chunk.document_id] != EntityType.DOCUMENT:
                self.errors.add("passage of an entity that is no Document", chunk.chunk_id)
            if not mentioned and chunk.chunk_id not in self._tied:
                message = "passage that mentions no name and supports no relation or fact"
                self.warnings.add(message, chunk.chunk_id)

    def _note_endless(self, page: list[Episode]) -> None:
        """Note the relations of episodes that are hidden, since an end of theirs never was."""
        claims = self._store.claims(
            [e.episode_id for e in page if e.source_type not in source_types("ahead")]
        )
        claimed = {
            claim.record.rel_id: claim.record
            for rows in claims.values()
            for claim in rows
            if isinstance(claim.record, Relation)
        }
        live = self._store.get(sorted(claimed))
        hidden = {rel_id: record for rel_id, record in claimed.items() if rel_id not in live}
        known = self._store.support(sorted({end for r in hidden.values() for end in _ends(r)}))
        self._endless |= {
            rel_id: record
            for rel_id, record in hidden.items()
            if not all(known.get(end) for end in _ends(record))
        }

    def _check_hidden(self) -> None:
        """Tell hidden relations to what never was; one to what was forgotten is as it should be."""
        changes = changes_after(self._store, 0) if self._endless else ()
        forgotten = {change.record_id for change in changes if change.operation == "forget"}
        for rel_id, relation in sorted(self._endless.items()):
            missing = [end for end in _ends(relation) if end not in forgotten]
            known = self._store.support(missing)
            if any(not known.get(end) for end in missing):
                self.errors.add(_NO_END, rel_id)


def _ends(relation: Relation) -> tuple[str, ...]:
    return tuple(end for end in (relation.source_entity_id, relation.target_entity_id) if end)

"""Turning what was found in a document into claims with ids, times and evidence."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from quipu.records.batch import Claim
from quipu.records.document import Document
from quipu.records.ids import named_entity_id, relation_id
from quipu.records.record import Entity, Properties, Relation


class Unresolved(NamedTuple):
    """Something a document names that is not there: no relation is asserted for it."""

    path: str
    line: int
    relation: str
    target: str


class PassageText(Protocol):
    """What evidence needs of a chunk."""

    @property
    def chunk_id(self) -> str: ...

    @property
    def start_line(self) -> int: ...


def evidence_at(chunks: Sequence[PassageText], line: int) -> tuple[str, ...]:
    """Which of `chunks`, in order, holds a line: the first one for line 0; () without chunks."""
    if not chunks:
        return ()
    at = max(bisect_right(chunks, line, key=lambda each: each.start_line) - 1, 0)
    return (chunks[at].chunk_id,)


@dataclass(slots=True)
class Assertions:
    """Collects the claims of one episode; `evidence` is the chunk a line stands in."""

    document: Document
    document_id: str
    episode_id: str
    namespace: str
    chunks: Sequence[PassageText]
    claims: list[Claim] = field(default_factory=list[Claim])
    unresolved: list[Unresolved] = field(default_factory=list[Unresolved])

    def evidence(self, line: int) -> tuple[str, ...]:
        """The chunk that holds `line`, or the first one for line 0; () without chunks."""
        return evidence_at(self.chunks, line)

    def entity(self, entity: Entity, line: int = 0) -> None:
        """Assert an entity, at a line."""
        self.claims.append(Claim(entity, self.episode_id, self.evidence(line)))

    def named(self, type: str, name: str, line: int) -> str:  # noqa: A002
        """Assert that a thing of this name exists, for it was named here; its id."""
        entity_id = named_entity_id(self.namespace, type, name)
        self.entity(
            Entity(
                entity_id=entity_id,
                type=type,
                name=name,
                updated_at=self.document.updated_at,
                source_sha=self.document.source_sha,
                first_seen=self.document.updated_at,
                last_seen=self.document.updated_at,
            ),
            line,
        )
        return entity_id

    def relation(
        self,
        source_id: str,
        type: str,  # noqa: A002 - the record's own word
        target_id: str,
        line: int,
        *,
        confidence: float = 1.0,
        properties: Properties | None = None,
    ) -> None:
        """Assert a relation; one from a thing to itself says nothing and is left out."""
        if source_id == target_id:
            return
        relation = Relation(
            rel_id=relation_id(self.namespace, source_id, type, target_id),
            source_entity_id=source_id,
            target_entity_id=target_id,
            type=type,
            created_at=self.document.updated_at,
            updated_at=self.document.updated_at,
            source_sha=self.document.source_sha,
            confidence=confidence,
            properties=properties or {},
        )
        self.claims.append(Claim(relation, self.episode_id, self.evidence(line)))

    def missing(self, line: int, relation: str, target: str) -> None:
        """Count something that was named and is not there."""
        self.unresolved.append(Unresolved(self.document.path, line, relation, target))

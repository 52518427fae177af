"""One observation of a source, put together: its episode, its document, its passage, and the things
and relations that it asserts. All that is written of it has the same times and the same digest.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from quipu.records.batch import Batch, Claim
from quipu.records.ids import (
    document_entity_id,
    episode_id_of,
    make_id,
    named_entity_id,
    relation_id,
)
from quipu.records.record import Asserted, Chunk, Entity, Episode, Properties, Relation
from quipu.records.schema import EntityType
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["Draft"]


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What stands under `ref` at one moment. `sha` is the digest of its content, `revision` that of
    the version it stands in, where it has one; `seen` is the instant it is true of. `document` is
    the reference of its document, of which it may be a part; it has none where that is empty.
    """

    namespace: str
    type: str
    ref: str
    sha: str
    seen: str = UNKNOWN_TIME
    document: str = ""
    group: str = ""
    revision: str = ""

    @cached_property
    def episode_id(self) -> str:
        """The id of the observation: the same content under the same reference is the same."""
        return episode_id_of(self.namespace, self.type, self.ref, self.sha)

    @cached_property
    def document_id(self) -> str:
        """The id of the document that its passages belong to."""
        return document_entity_id(self.namespace, self.document)

    def episode(
        self,
        now: str,
        *,
        preview: str = "",
        summary: str | None = None,
        properties: Properties | None = None,
    ) -> Episode:
        """The observation itself, taken in at `now`."""
        return Episode(
            episode_id=self.episode_id,
            source_type=self.type,
            source_ref=self.ref,
            observed_at=self.seen,
            ingested_at=now,
            content_hash=self.sha,
            source_sha=self.revision or self.sha,
            document_id=self.document_id if self.document else None,
            group=self.group,
            preview_text=preview,
            summary_text=summary,
            properties=properties or {},
        )

    def passage(
        self,
        text: str,
        *,
        profile: str,
        title: str = "",
        position: int = 0,
        heading_path: tuple[str, ...] = (),
    ) -> Chunk:
        """The one passage of it, whole."""
        return Chunk(
            chunk_id=make_id("chunk", self.episode_id, self.sha),
            episode_id=self.episode_id,
            document_id=self.document_id,
            profile=profile,
            position=position,
            text=text,
            start_line=1,
            end_line=text.count("\n") + 1,
            title=title,
            heading_path=heading_path,
        )

    def document_entity(
        self,
        kind: str,
        title: str,
        *,
        name: str = "",
        ref: str = "",
        properties: Properties | None = None,
    ) -> Entity:
        """The document that the passage belongs to, of a `kind`; `name` is what it is called if not
        by its title, `ref` what a citation opens if not this source. `properties` win."""
        return Entity(
            entity_id=self.document_id,
            type=EntityType.DOCUMENT,
            name=name or title,
            updated_at=self.seen,
            source_sha=self.revision or self.sha,
            properties={
                "id": self.document_id,
                "title": title,
                "type": kind,
                "file_path": ref or self.ref,
                **(properties or {}),
            },
        )

    def entity(
        self,
        type_: EntityType,
        name: str,
        *,
        key: str = "",
        description: str = "",
        aliases: tuple[str, ...] = (),
        properties: Mapping[str, object] | None = None,
    ) -> Entity:
        """A thing that is known by its name, or by a `key`."""
        return Entity(
            entity_id=named_entity_id(self.namespace, type_, key or name),
            type=type_,
            name=name,
            aliases=aliases,
            description=description,
            updated_at=self.seen,
            source_sha=self.sha,
            properties=dict(properties or {}),  # type: ignore[arg-type]
        )

    def relation(
        self,
        source: str,
        type_: str,
        target: str,
        *,
        seen: str = "",
        confidence: float = 1.0,
        why: Iterable[str] = (),
        properties: Properties | None = None,
    ) -> Relation:
        """A relation between two things, by their ids; `why` is the evidence that a rule has for
        it, `seen` the instant it is true of if not the source's."""
        reasons = list(why)
        at = seen or self.seen
        return Relation(
            rel_id=relation_id(self.namespace, source, type_, target),
            source_entity_id=source,
            target_entity_id=target,
            type=type_,
            created_at=at,
            updated_at=at or UNKNOWN_TIME,
            source_sha=self.sha,
            confidence=confidence,
            description="; ".join(reasons),
            properties=properties or ({"evidence": [*reasons]} if reasons else {}),
        )

    def claims(self, records: Iterable[Asserted], *chunks: Chunk) -> tuple[Claim, ...]:
        """The records as this observation asserts them, with the passages they stand in."""
        evidence = tuple(chunk.chunk_id for chunk in chunks)
        return tuple(Claim(record, self.episode_id, evidence) for record in records)

    def batch(self, episode: Episode, records: Iterable[Asserted], *, now: str) -> Batch:
        """An observation without a passage, in place of what stood under its reference."""
        return Batch(
            recorded_at=now,
            episodes=(episode,),
            claims=self.claims(records),
            replaces=(self.ref,),
        )

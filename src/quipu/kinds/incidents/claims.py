"""What an incident's report and an attempt assert: entities, relations, one passage each."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

import msgspec

from quipu.kinds.incidents.model import Incident, IncidentReport, Outcome, healing_actions
from quipu.kinds.incidents.records import (
    INCIDENT,
    OUTCOME,
    incident_entity,
    incident_entity_id,
    incident_ref,
    incident_text,
    incident_title,
    outcome_entity,
    outcome_entity_id,
    outcome_ref,
    service_entity,
    service_id,
)
from quipu.kinds.incidents.similar import Link
from quipu.records.ids import make_id
from quipu.records.inferred import inferred_relation
from quipu.records.naming import document_entity_id, named_entity_id
from quipu.records.record import Asserted, Chunk, Entity, Episode
from quipu.records.schema import EntityType, RelationType
from quipu.text import excerpt
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["Written", "incident_claims", "link_claims", "outcome_claims"]

_PROFILE = "prose"
_PREVIEW = 500

Claimed = tuple[Asserted, tuple[str, ...]]


class Written(NamedTuple):
    """The names under which one report is stored."""

    ref: str
    sha: str
    seen: str
    episode_id: str
    document_id: str

    @classmethod
    def of(cls, namespace: str, named: str, report: IncidentReport) -> Self:
        """Those of a report; its attempts are episodes of their own."""
        own = msgspec.structs.replace(report, outcomes=())
        return cls._of(
            namespace, INCIDENT, incident_ref(named, report.source), own, report.timestamp
        )

    @classmethod
    def of_outcome(cls, namespace: str, outcome: Outcome) -> Self:
        """Those of an attempt."""
        ref = outcome_ref(outcome.outcome_id)
        return cls._of(namespace, OUTCOME, ref, outcome, outcome.recorded_at)

    @classmethod
    def _of(
        cls, namespace: str, source_type: str, ref: str, value: object, seen: str | None
    ) -> Self:
        sha = hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()
        return cls(
            ref=ref,
            sha=sha,
            seen=seen or UNKNOWN_TIME,
            episode_id=make_id("episode", namespace, source_type, ref, sha),
            document_id=document_entity_id(namespace, ref),
        )

    def episode(self, incident: Incident, now: str) -> Episode:
        """The observation of the report; its component is its group."""
        return self._episode(INCIDENT, incident, incident_text(incident), now)

    def outcome_episode(self, incident: Incident, outcome: Outcome, now: str) -> Episode:
        """The observation of the attempt."""
        return self._episode(OUTCOME, incident, _outcome_text(incident, outcome), now)

    def _episode(self, source_type: str, incident: Incident, text: str, now: str) -> Episode:
        return Episode(
            episode_id=self.episode_id,
            source_type=source_type,
            source_ref=self.ref,
            observed_at=self.seen,
            ingested_at=now,
            content_hash=self.sha,
            source_sha=self.sha,
            document_id=self.document_id,
            group=incident.component,
            preview_text=excerpt(text, limit=_PREVIEW),
            properties={"pointer": incident.pointer} if incident.pointer else {},
        )

    def chunk(self, incident: Incident) -> Chunk:
        """The passage that is searched; `heading_path` carries the incident's embedding_id."""
        text = incident_text(incident)
        path = ("embedding", str(incident.embedding_id))
        return self._chunk(text, incident_title(incident), path)

    def outcome_chunk(self, incident: Incident, outcome: Outcome) -> Chunk:
        """The passage of an attempt."""
        text = _outcome_text(incident, outcome)
        return self._chunk(text, f"Outcome on {incident.component}", ())

    def _chunk(self, text: str, title: str, path: tuple[str, ...]) -> Chunk:
        return Chunk(
            chunk_id=make_id("chunk", self.episode_id, self.sha),
            episode_id=self.episode_id,
            document_id=self.document_id,
            profile=_PROFILE,
            position=0,
            text=text,
            start_line=1,
            end_line=text.count("\n") + 1,
            title=title,
            heading_path=path,
        )

    def document(self, title: str, kind: str) -> Entity:
        """The document the passage belongs to."""
        return Entity(
            entity_id=self.document_id,
            type=EntityType.DOCUMENT,
            name=title,
            updated_at=self.seen,
            source_sha=self.sha,
            properties={
                "id": self.document_id,
                "title": title,
                "type": kind,
                "file_path": self.ref,
            },
        )


def _outcome_text(incident: Incident, outcome: Outcome) -> str:
    did = " and ".join(a.replace("_", " ") for a in outcome.actions_taken)
    worked = "worked" if outcome.success else "did not work"
    what = f" ({incident.title})" if incident.title else ""
    minutes = outcome.resolution_time_minutes
    took = f" after {minutes:g} minutes" if minutes is not None and outcome.success else ""
    first = f"{incident.component}{what}: {did} {worked}{took}."
    learned = f"Lessons learned: {outcome.lessons_learned}" if outcome.lessons_learned else ""
    return "\n".join(filter(None, (first, learned)))


def incident_claims(
    namespace: str, incident: Incident, made: Written, chunk: Chunk
) -> Iterator[Claimed]:
    """The incident, its document, the services it speaks of, and what ties them."""
    here = (chunk.chunk_id,)
    seen, sha = made.seen, made.sha
    entity = incident_entity(namespace, incident, seen=seen, sha=sha)
    own = entity.entity_id
    yield entity, here
    yield made.document(entity.name, "incident"), here
    described = inferred_relation(
        namespace, made.document_id, RelationType.DESCRIBES, own, seen=seen, sha=sha
    )
    yield described, here
    services = dict.fromkeys((incident.component, *incident.affected_services))
    others = (*services, *incident.upstream_deps, *incident.downstream_deps)
    for name in dict.fromkeys(others):
        yield service_entity(namespace, name, seen=seen, sha=sha), here
    for name in services:
        target = service_id(namespace, name)
        yield (
            inferred_relation(namespace, own, RelationType.AFFECTS, target, seen=seen, sha=sha),
            here,
        )
    needs = [(incident.component, other) for other in incident.upstream_deps]
    needs += [(other, incident.component) for other in incident.downstream_deps]
    for source, target in needs:
        ends = service_id(namespace, source), service_id(namespace, target)
        yield (
            inferred_relation(
                namespace, ends[0], RelationType.DEPENDS_ON, ends[1], seen=seen, sha=sha
            ),
            here,
        )


def link_claims(
    namespace: str, links: Iterable[Link], made: Written, now: str
) -> Iterator[Claimed]:
    """The edges to other incidents, asserted by the report that brought them to light."""
    for each in links:
        ends = (
            incident_entity_id(namespace, each.source.incident_id),
            incident_entity_id(namespace, each.target.incident_id),
        )
        relation = inferred_relation(
            namespace,
            ends[0],
            each.kind,
            ends[1],
            seen=now,
            sha=made.sha,
            confidence=each.confidence,
            why=each.why,
        )
        yield relation, ()


def outcome_claims(
    namespace: str, incident: Incident, outcome: Outcome, made: Written, chunk: Chunk, now: str
) -> Iterator[Claimed]:
    """The attempt, its document, its actions, and RESOLVED_BY from the incident to it.

    RESOLVED_BY leads to every attempt; whether it worked stands on the outcome.
    """
    here = (chunk.chunk_id,)
    seen, sha = made.seen, made.sha
    entity = outcome_entity(namespace, outcome, seen=seen, sha=sha)
    own = entity.entity_id
    yield entity, here
    yield made.document(f"{incident.component}: {entity.name}", "outcome"), here
    yield (
        inferred_relation(
            namespace, made.document_id, RelationType.DESCRIBES, own, seen=seen, sha=sha
        ),
        here,
    )
    for action in healing_actions(outcome.actions_taken):
        key = named_entity_id(namespace, EntityType.HEALING_ACTION, action)
        known = Entity(
            entity_id=key,
            type=EntityType.HEALING_ACTION,
            name=action,
            updated_at=seen,
            source_sha=sha,
        )
        yield known, here
        yield inferred_relation(namespace, own, RelationType.USES, key, seen=seen, sha=sha), here
    resolved = inferred_relation(
        namespace,
        incident_entity_id(namespace, incident.incident_id),
        RelationType.RESOLVED_BY,
        outcome_entity_id(namespace, outcome.outcome_id),
        seen=now,
        sha=sha,
        why=(f"outcome {outcome.outcome_id} names the incident",),
    )
    yield resolved, here

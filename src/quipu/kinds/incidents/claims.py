"""What an incident's report and an attempt assert: entities, relations, one passage each."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

import msgspec

from quipu.kinds.incidents.model import Incident, IncidentReport, Outcome, healing_actions
from quipu.kinds.incidents.records import (
    INCIDENT,
    OUTCOME,
    incident_entity,
    incident_entity_id,
    incident_ref,
    incident_text,
    outcome_entity,
    outcome_ref,
    service_id,
)
from quipu.kinds.incidents.similar import NewEdge
from quipu.records.record import Asserted, Chunk, Episode, Properties
from quipu.records.schema import EntityType, RelationType
from quipu.source import Draft
from quipu.text import excerpt
from quipu.when.instants import UNKNOWN_TIME

__all__ = [
    "incident_claims",
    "incident_passage",
    "link_claims",
    "outcome_claims",
    "outcome_draft",
    "outcome_passage",
    "report_draft",
]

_PROFILE = "prose"
_PREVIEW = 500

Claimed = tuple[Asserted, tuple[str, ...]]


def report_draft(namespace: str, named: str, report: IncidentReport) -> Draft:
    """A report; its attempts are observations of their own."""
    own = msgspec.structs.replace(report, outcomes=())
    ref = incident_ref(named, report.source)
    return _draft(namespace, INCIDENT, ref, own, report.timestamp)


def outcome_draft(namespace: str, outcome: Outcome) -> Draft:
    """An attempt at an incident."""
    fields = msgspec.to_builtins(outcome)
    if outcome.confidence == 1:  # as it was told before an attempt had one
        del fields["confidence"]
    return _draft(namespace, OUTCOME, outcome_ref(outcome.outcome_id), fields, outcome.recorded_at)


def _draft(namespace: str, source_type: str, ref: str, value: object, seen: str | None) -> Draft:
    order = None if isinstance(value, dict) else "deterministic"
    sha = hashlib.sha256(msgspec.json.encode(value, order=order)).hexdigest()
    return Draft(
        namespace=namespace,
        type=source_type,
        ref=ref,
        sha=sha,
        seen=seen or UNKNOWN_TIME,
        document=ref,
    )


def incident_passage(draft: Draft, incident: Incident, now: str) -> tuple[Episode, Chunk]:
    """The observation and the passage that is searched; its `heading_path` carries the
    incident's embedding_id."""
    text = incident_text(incident)
    path = ("embedding", str(incident.embedding_id))
    return _passage(draft, incident, now, text, f"Incident on {incident.component}", path)


def outcome_passage(
    draft: Draft, incident: Incident, outcome: Outcome, now: str
) -> tuple[Episode, Chunk]:
    """The observation and the passage of an attempt."""
    text = _outcome_text(incident, outcome)
    return _passage(draft, incident, now, text, f"Outcome on {incident.component}", ())


def _passage(
    draft: Draft, incident: Incident, now: str, text: str, title: str, path: tuple[str, ...]
) -> tuple[Episode, Chunk]:
    pointer: Properties = {"pointer": incident.pointer} if incident.pointer else {}
    grouped = replace(draft, group=incident.component)
    episode = grouped.episode(now, preview=excerpt(text, limit=_PREVIEW), properties=pointer)
    return episode, draft.passage(text, profile=_PROFILE, title=title, heading_path=path)


def _outcome_text(incident: Incident, outcome: Outcome) -> str:
    did = " and ".join(a.replace("_", " ") for a in outcome.actions_taken)
    worked = "worked" if outcome.success else "did not work"
    what = f" ({incident.title})" if incident.title else ""
    minutes = outcome.resolution_time_minutes
    took = f" after {minutes:g} minutes" if minutes is not None and outcome.success else ""
    first = f"{incident.component}{what}: {did} {worked}{took}."
    learned = f"Lessons learned: {outcome.lessons_learned}" if outcome.lessons_learned else ""
    return "\n".join(filter(None, (first, learned)))


def incident_claims(draft: Draft, incident: Incident, chunk: Chunk) -> Iterator[Claimed]:
    """The incident, its document, the services it speaks of, and what ties them."""
    here = (chunk.chunk_id,)
    space = draft.namespace
    entity = incident_entity(draft, incident)
    own = entity.entity_id
    yield entity, here
    yield draft.document_entity("incident", entity.name), here
    yield draft.relation(draft.document_id, RelationType.DESCRIBES, own), here
    services = dict.fromkeys((incident.component, *incident.affected_services))
    others = (*services, *incident.upstream_deps, *incident.downstream_deps)
    for name in dict.fromkeys(others):
        yield draft.entity(EntityType.SERVICE, name), here
    for name in services:
        yield draft.relation(own, RelationType.AFFECTS, service_id(space, name)), here
    needs = [(incident.component, other) for other in incident.upstream_deps]
    needs += [(other, incident.component) for other in incident.downstream_deps]
    for source, target in needs:
        ends = service_id(space, source), service_id(space, target)
        yield draft.relation(ends[0], RelationType.DEPENDS_ON, ends[1]), here


def link_claims(draft: Draft, links: Iterable[NewEdge], now: str) -> Iterator[Claimed]:
    """The edges to other incidents, asserted by the report that brought them to light."""
    for each in links:
        source = incident_entity_id(draft.namespace, each.source.incident_id)
        target = incident_entity_id(draft.namespace, each.target.incident_id)
        yield (
            draft.relation(
                source, each.kind, target, seen=now, confidence=each.confidence, why=each.why
            ),
            (),
        )


def outcome_claims(
    draft: Draft, incident: Incident, outcome: Outcome, chunk: Chunk, now: str
) -> Iterator[Claimed]:
    """The attempt, its document, its actions, and that it is PART_OF the incident; where it ended
    the incident, RESOLVED_BY leads to it, as sure as it is that it did."""
    here = (chunk.chunk_id,)
    entity = outcome_entity(draft, outcome)
    own = entity.entity_id
    whole = incident_entity_id(draft.namespace, incident.incident_id)
    yield entity, here
    yield draft.document_entity("outcome", f"{incident.component}: {entity.name}"), here
    yield draft.relation(draft.document_id, RelationType.DESCRIBES, own), here
    for action in healing_actions(outcome.actions_taken):
        known = draft.entity(EntityType.HEALING_ACTION, action)
        yield known, here
        yield draft.relation(own, RelationType.USES, known.entity_id), here
    why = (f"outcome {outcome.outcome_id} names the incident",)
    yield draft.relation(own, RelationType.PART_OF, whole, seen=now, why=why), here
    if outcome.success:
        yield (
            draft.relation(
                whole,
                RelationType.RESOLVED_BY,
                own,
                seen=now,
                confidence=outcome.confidence,
                why=why,
            ),
            here,
        )

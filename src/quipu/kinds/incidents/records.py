"""Incidents and outcomes as the five kinds of record, and back.

An incident is an `Incident` entity that AFFECTS the `Service` it was seen on; an attempt is an
`Outcome` entity that USES `HealingAction`s; RESOLVED_BY ties the two. A metric is a property of
its own, so a later report of the same incident adds to what was measured and erases nothing. Each
report and each attempt is an episode with one passage.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar, cast

import msgspec

from quipu.kinds.incidents.model import METRICS, Incident, IncidentReport, Outcome, healing_actions
from quipu.limits import PREVIEW
from quipu.ports import Graph
from quipu.records.ids import named_entity_id
from quipu.records.record import Asserted, Chunk, Entity, Episode, Properties
from quipu.records.schema import EntityType, RelationType
from quipu.soundness import Soundness
from quipu.source import Draft
from quipu.text import excerpt
from quipu.when.instants import UNKNOWN_TIME

__all__ = [
    "INCIDENT",
    "LINKS",
    "OUTCOME",
    "SOUNDNESS",
    "attempt_told",
    "description_text",
    "embedding_alias",
    "incident_claims",
    "incident_entity_id",
    "incident_in",
    "incident_of",
    "incident_passage",
    "incident_ref",
    "incident_text",
    "named_by_ref",
    "outcome_claims",
    "outcome_draft",
    "outcome_entity_id",
    "outcome_in",
    "outcome_passage",
    "outcome_ref",
    "report_draft",
    "service_id",
    "services_in",
]

Made = TypeVar("Made")

_SOMEWHERE = "the service"
_FIELDS = frozenset(Incident.__struct_fields__) - {"metrics"}
_PROFILE = "prose"
_LONGEST_NAME = 4
"""The words of a service's name, as a text may write it."""

INCIDENT = "incident"
OUTCOME = "incident_outcome"
"""The source types of the episodes that assert incidents and outcomes."""

LINKS = (
    RelationType.SIMILAR_TO,
    RelationType.CAUSED_BY,
    RelationType.ESCALATED_FROM,
    RelationType.RESOLVED_BY,
)
"""The edges of the incident graph."""


def incident_entity_id(namespace: str, incident: str) -> str:
    """The record id of the incident whose `incident_id` is `incident`."""
    return named_entity_id(namespace, EntityType.INCIDENT, incident)


def outcome_entity_id(namespace: str, outcome: str) -> str:
    """The record id of the outcome whose `outcome_id` is `outcome`."""
    return named_entity_id(namespace, EntityType.OUTCOME, outcome)


def service_id(namespace: str, component: str) -> str:
    """The record id of a service."""
    return named_entity_id(namespace, EntityType.SERVICE, component)


def services_in(graph: Graph, text: str) -> list[str]:
    """The services of the graph that a text names (`session cache` is `session-cache`)."""
    words = re.findall(r"[a-z0-9]+", text.casefold())
    names = (
        "-".join(words[begin : begin + size])
        for size in range(1, _LONGEST_NAME + 1)
        for begin in range(len(words) - size + 1)
    )
    keys = {service_id(graph.namespace, name): name for name in names}
    return sorted(keys[key] for key in graph.get(list(keys)))


def incident_ref(incident: str, source: str = "") -> str:
    """What a citation opens: the incident, or one source's report of it."""
    return f"incident:{incident}#{source}" if source else f"incident:{incident}"


def outcome_ref(outcome: str) -> str:
    """What a citation of an attempt opens."""
    return f"outcome:{outcome}"


def named_by_ref(ref: str) -> str:
    """The id of the incident or attempt that a citation opens."""
    return ref.partition(":")[2].partition("#")[0]


def embedding_alias(number: int) -> str:
    """The name under which the incident of an `embedding_id` is found in the graph."""
    return f"embedding:{number}"


def incident_text(incident: Incident) -> str:
    """The incident in words: what is embedded and searched. No raw log."""
    known = incident.metrics.known()
    measured = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in known.items())
    affected = (s for s in incident.affected_services if s != incident.component)
    told = {
        "Measured ": measured,
        "Root cause: ": incident.root_cause,
        "Also affected: ": ", ".join(affected),
    }
    parts = (
        f"{incident.component}: {incident.severity} incident.",
        _sentence(incident.title),
        _sentence(incident.summary),
        *(_sentence(f"{label}{text}") for label, text in told.items() if text),
    )
    return "\n".join(part for part in parts if part)


def description_text(incident: Incident) -> str:
    """What is told of an incident, wherever it happened: its title, summary and cause without the
    names of services, by which it is near to its like in others; "" where nobody told anything."""
    parts = (incident.title, incident.summary, incident.root_cause)
    text = "\n".join(_sentence(each) for each in parts if each.strip())
    named = {incident.component, *incident.affected_services, *incident.upstream_deps}
    named |= set(incident.downstream_deps)
    written = "|".join(re.escape(name) for name in sorted(named, key=lambda n: (-len(n), n)))
    return re.sub(rf"(?<![\w-])(?:{written})(?![\w-])", _SOMEWHERE, text, flags=re.IGNORECASE)


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".!?" else f"{text}."


def incident_of(entity: Entity) -> Incident:
    """The incident that `incident_claims` made into this record; what others said of it by its
    name is left out."""
    values: Properties = {"timestamp": None, "agent_analysis": {}, "predictive_insights": {}}
    values |= {name: value for name, value in entity.properties.items() if name in _FIELDS}
    metrics = {name: value for name, value in entity.properties.items() if name in METRICS}
    return msgspec.convert({**values, "metrics": metrics}, Incident)


def _outcome_of(entity: Entity) -> Outcome:
    fields = Outcome.__struct_fields__
    values = {name: value for name, value in entity.properties.items() if name in fields}
    return msgspec.convert(values, Outcome)


def incident_in(record: object) -> Incident | None:
    """The incident in a record; None where it is none, though it may be called one: a thing of
    that type can be told without anything that incidents are compared by."""
    return _read_or_none(record, EntityType.INCIDENT, incident_of)


def outcome_in(record: object) -> Outcome | None:
    """The attempt in a record; None where it is none, though it may be called one."""
    return _read_or_none(record, EntityType.OUTCOME, _outcome_of)


def _read_or_none(record: object, type_: EntityType, read: Callable[[Entity], Made]) -> Made | None:
    if not isinstance(record, Entity) or record.type != type_:
        return None
    try:
        return read(record)
    except msgspec.ValidationError:
        return None


class IncidentSoundness(Soundness):
    """Incidents and outcomes can be read back by whoever compares them."""

    def faults(self, entity: Entity) -> Iterator[str]:
        """What cannot be used of the properties."""
        try:
            if entity.type == EntityType.INCIDENT and "incident_id" in entity.properties:
                incident_of(entity)
            elif entity.type == EntityType.OUTCOME and "outcome_id" in entity.properties:
                _outcome_of(entity)
        except msgspec.ValidationError as error:
            yield f"{entity.type} whose properties cannot be used ({error})"


SOUNDNESS = IncidentSoundness()


def report_draft(namespace: str, named: str, report: IncidentReport) -> Draft:
    """The observation of a report; its attempts are observations of their own."""
    own = msgspec.json.encode(msgspec.structs.replace(report, outcomes=()), order="deterministic")
    return _draft(namespace, INCIDENT, incident_ref(named, report.source), own, report.timestamp)


def outcome_draft(namespace: str, outcome: Outcome) -> Draft:
    """The observation of an attempt at an incident."""
    fields = msgspec.to_builtins(outcome)
    if outcome.confidence == 1:  # as it was told before an attempt had one
        del fields["confidence"]
    own, ref = msgspec.json.encode(fields), outcome_ref(outcome.outcome_id)
    return _draft(namespace, OUTCOME, ref, own, outcome.recorded_at)


def _draft(namespace: str, source_type: str, ref: str, said: bytes, seen: str | None) -> Draft:
    return Draft(
        namespace=namespace,
        type=source_type,
        ref=ref,
        sha=hashlib.sha256(said).hexdigest(),
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
    did = " and ".join(a.replace("_", " ") for a in outcome.actions_taken)
    what = f" ({incident.title})" if incident.title else ""
    text = f"{incident.component}{what}: {attempt_told(did, outcome)}."
    if outcome.lessons_learned:
        text += f"\nLessons learned: {outcome.lessons_learned}"
    return _passage(draft, incident, now, text, f"Outcome on {incident.component}", ())


def attempt_told(did: str, outcome: Outcome) -> str:
    """Whether what was done worked, and after how long."""
    minutes = outcome.resolution_time_minutes
    took = f" after {minutes:g} minutes" if minutes is not None and outcome.success else ""
    return f"{did} {'worked' if outcome.success else 'did not work'}{took}"


def _passage(
    draft: Draft, incident: Incident, now: str, text: str, title: str, path: tuple[str, ...]
) -> tuple[Episode, Chunk]:
    pointer: Properties = {"pointer": incident.pointer} if incident.pointer else {}
    grouped = replace(draft, group=incident.component)
    episode = grouped.episode(now, preview=excerpt(text, limit=PREVIEW), properties=pointer)
    return episode, draft.passage(text, profile=_PROFILE, title=title, heading_path=path)


def incident_claims(draft: Draft, incident: Incident) -> Iterator[Asserted]:
    """The incident, its document, the services it speaks of, and what ties them."""
    entity = _incident_entity(draft, incident)
    yield entity
    yield draft.document_entity("incident", entity.name)
    yield draft.relation(draft.document_id, RelationType.DESCRIBES, entity.entity_id)
    felt = dict.fromkeys((incident.component, *incident.affected_services))
    every = (*felt, *incident.upstream_deps, *incident.downstream_deps)
    services = {name: draft.entity(EntityType.SERVICE, name) for name in every}
    yield from services.values()
    for name in felt:
        yield draft.relation(entity.entity_id, RelationType.AFFECTS, services[name].entity_id)
    for needing, needed in incident.needs:
        ends = services[needing].entity_id, services[needed].entity_id
        yield draft.relation(ends[0], RelationType.DEPENDS_ON, ends[1])


def _incident_entity(draft: Draft, incident: Incident) -> Entity:
    plain = cast(Properties, msgspec.to_builtins(incident))
    measured = cast(Properties, plain.pop("metrics"))
    kept = {key: value for key, value in plain.items() if value not in ("", [], (), {})}
    what = incident.title or f"{incident.severity} incident"
    when = f" ({incident.timestamp[:16]}Z)" if incident.timestamp else ""
    return draft.entity(
        EntityType.INCIDENT,
        f"{incident.component}: {what}{when}",
        key=incident.incident_id,
        aliases=(embedding_alias(incident.embedding_id), incident.incident_id),
        description=incident.summary or incident.root_cause,
        properties={**kept, **measured, "time_known": incident.timestamp is not None},
    )


def outcome_claims(
    draft: Draft, incident: Incident, outcome: Outcome, now: str
) -> Iterator[Asserted]:
    """The attempt, its document, its actions, and that it is PART_OF the incident; where it ended
    the incident, RESOLVED_BY leads to it, as sure as it is that it did."""
    worked = "worked" if outcome.success else "did not work"
    plain = cast(Properties, msgspec.to_builtins(outcome))
    kept = {k: v for k, v in plain.items() if v is not None and (k, v) != ("confidence", 1.0)}
    entity = draft.entity(
        EntityType.OUTCOME,
        f"{' and '.join(outcome.actions_taken) or 'nothing'}: {worked}",
        key=outcome.outcome_id,
        aliases=(outcome.outcome_id,),
        description=outcome.lessons_learned,
        properties=kept,
    )
    yield entity
    yield draft.document_entity("outcome", f"{incident.component}: {entity.name}")
    yield draft.relation(draft.document_id, RelationType.DESCRIBES, entity.entity_id)
    for action in healing_actions(outcome.actions_taken):
        known = draft.entity(EntityType.HEALING_ACTION, action)
        yield known
        yield draft.relation(entity.entity_id, RelationType.USES, known.entity_id)
    whole = incident_entity_id(draft.namespace, incident.incident_id)
    why = (f"outcome {outcome.outcome_id} names the incident",)
    yield draft.relation(entity.entity_id, RelationType.PART_OF, whole, seen=now, why=why)
    if outcome.success:
        yield draft.relation(
            whole,
            RelationType.RESOLVED_BY,
            entity.entity_id,
            seen=now,
            confidence=outcome.confidence,
            why=why,
        )

"""Incidents and outcomes as the five kinds of record, and back.

An incident is an `Incident` entity that AFFECTS the `Service` it was seen on; an attempt is an
`Outcome` entity that USES `HealingAction`s; RESOLVED_BY ties the two. A metric is a property of
its own, so a later report of the same incident adds to what was measured and erases nothing.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import msgspec

from quipu.kinds.incidents.model import METRICS, Incident, Outcome
from quipu.records.naming import named_entity_id
from quipu.records.record import Entity, Properties
from quipu.records.schema import EntityType, RelationType
from quipu.soundness import Soundness
from quipu.source import Draft

__all__ = [
    "INCIDENT",
    "LINKS",
    "OUTCOME",
    "SOUNDNESS",
    "description_text",
    "embedding_alias",
    "incident_entity",
    "incident_entity_id",
    "incident_in",
    "incident_of",
    "incident_ref",
    "incident_text",
    "outcome_entity",
    "outcome_entity_id",
    "outcome_in",
    "outcome_ref",
    "service_id",
]

Made = TypeVar("Made")

_SOMEWHERE = "the service"
_FIELDS = frozenset(Incident.__struct_fields__) - {"metrics"}

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


def incident_ref(incident: str, source: str = "") -> str:
    """What a citation opens: the incident, or one source's report of it."""
    return f"incident:{incident}#{source}" if source else f"incident:{incident}"


def outcome_ref(outcome: str) -> str:
    """What a citation of an attempt opens."""
    return f"outcome:{outcome}"


def embedding_alias(number: int) -> str:
    """The name under which the incident of an `embedding_id` is found in the graph."""
    return f"embedding:{number}"


def incident_text(incident: Incident) -> str:
    """The incident in words: what is embedded and searched. Numbers, causes, no raw log."""
    known = incident.metrics.known()
    measured = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in known.items())
    causes = _causes(incident.agent_analysis)
    affected = ", ".join(s for s in incident.affected_services if s != incident.component)
    parts = (
        f"{incident.component}: {incident.severity} incident.",
        _sentence(incident.title),
        _sentence(incident.summary),
        _sentence(f"Measured {measured}" if measured else ""),
        _sentence(f"Root cause: {incident.root_cause}" if incident.root_cause else ""),
        _sentence(f"Analysis: {', '.join(causes)}" if causes and not incident.root_cause else ""),
        _sentence(f"Also affected: {affected}" if affected else ""),
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


def _causes(analysis: Properties) -> list[str]:
    insights = analysis.get("root_cause_insights")
    rows = cast(list[Any], insights) if isinstance(insights, list) else []
    causes = (cast(dict[str, Any], row).get("cause") for row in rows if isinstance(row, dict))
    return [str(cause) for cause in causes if cause]


def incident_entity(draft: Draft, incident: Incident) -> Entity:
    """The record of an incident, as its report asserts it."""
    plain = cast(Properties, msgspec.to_builtins(incident))
    measured = plain.pop("metrics")
    assert isinstance(measured, dict)
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


def incident_of(entity: Entity) -> Incident:
    """The incident that `incident_entity` made into this record; what others said of it by its
    name is left out."""
    values: Properties = {"timestamp": None, "agent_analysis": {}, "predictive_insights": {}}
    values |= {name: value for name, value in entity.properties.items() if name in _FIELDS}
    metrics = {name: value for name, value in entity.properties.items() if name in METRICS}
    return msgspec.convert({**values, "metrics": metrics}, Incident)


def incident_in(record: object) -> Incident | None:
    """The incident in a record; None where it is none, though it may be called one: a thing of
    that type can be told without anything that incidents are compared by."""
    return _read_or_none(record, EntityType.INCIDENT, incident_of)


def outcome_entity(draft: Draft, outcome: Outcome) -> Entity:
    """The record of an attempt."""
    plain = cast(Properties, msgspec.to_builtins(outcome))
    did = " and ".join(outcome.actions_taken) or "nothing"
    return draft.entity(
        EntityType.OUTCOME,
        f"{did}: {'worked' if outcome.success else 'did not work'}",
        key=outcome.outcome_id,
        aliases=(outcome.outcome_id,),
        description=outcome.lessons_learned,
        properties={
            key: value
            for key, value in plain.items()
            if value is not None and (key, value) != ("confidence", 1.0)
        },
    )


def outcome_of(entity: Entity) -> Outcome:
    """The attempt that `outcome_entity` made into this record."""
    fields = Outcome.__struct_fields__
    values = {name: value for name, value in entity.properties.items() if name in fields}
    return msgspec.convert(values, Outcome)


def outcome_in(record: object) -> Outcome | None:
    """The attempt in a record; None where it is none, though it may be called one."""
    return _read_or_none(record, EntityType.OUTCOME, outcome_of)


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
                outcome_of(entity)
        except msgspec.ValidationError as error:
            yield f"{entity.type} whose properties cannot be used ({error})"


SOUNDNESS = IncidentSoundness()

"""The exchange form of the incident graph: three shapes, exactly these keys.

`latency_p99` is `metrics.latency_ms` here. What an incident has beyond these keys travels in
`agent_analysis.event`, so an export comes back without loss.
"""

from collections.abc import Mapping
from typing import cast

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import (
    Incident,
    IncidentReport,
    Outcome,
    OutcomeReport,
    check_component,
    check_metric,
    outcome_id,
)
from quipu.records.record import Properties
from quipu.records.schema import RelationType
from quipu.when.instants import parse_instant

__all__ = [
    "GraphEdge",
    "IncidentNode",
    "IncidentNodes",
    "NodeMetrics",
    "OutcomeNode",
    "incident_node",
    "outcome_node",
    "outcome_report",
    "report_of",
    "resolving",
]

_EVENT = "event"
_BESIDE = (
    "title", "summary", "root_cause", "source_severity", "affected_services", "upstream_deps",
    "downstream_deps", "blast_radius", "tags", "extra", "pointer",
)  # fmt: skip
_MEASURED = ("throughput", "cpu_util", "memory_util")


class NodeMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured; null is unknown."""

    latency_ms: float | None = None
    error_rate: float | None = None


class IncidentNode(msgspec.Struct, frozen=True, kw_only=True):
    """A single detected incident. `timestamp` is null where nobody knows it."""

    incident_id: str
    component: str
    severity: str
    timestamp: str | None
    metrics: NodeMetrics
    agent_analysis: Properties
    predictive_insights: Properties
    embedding_id: int


class OutcomeNode(msgspec.Struct, frozen=True, kw_only=True):
    """What happened after one intervention; null is unknown."""

    incident_id: str
    actions_taken: tuple[str, ...]
    resolution_time_minutes: float | None
    success: bool
    blast_radius: str
    lessons_learned: str
    recorded_at: str | None


class GraphEdge(msgspec.Struct, frozen=True, kw_only=True):
    """A tie between two incidents, or from an incident to an outcome."""

    source_id: str
    target_id: str
    type: str
    confidence: float
    created_at: str


class IncidentNodes(msgspec.Struct, frozen=True, kw_only=True):
    """The whole graph: incidents and outcomes by id, edges by (source, type, target)."""

    incidents: tuple[IncidentNode, ...] = ()
    outcomes: tuple[OutcomeNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()


def incident_node(incident: Incident) -> IncidentNode:
    """The incident in the exchange form."""
    plain = cast(Properties, msgspec.to_builtins(incident))
    beside = {name: plain[name] for name in _BESIDE if plain[name] not in ("", [], (), {})}
    beside |= {name: value for name, value in incident.metrics.known().items() if name in _MEASURED}
    return IncidentNode(
        incident_id=incident.incident_id,
        component=incident.component,
        severity=str(incident.severity),
        timestamp=incident.timestamp,
        metrics=NodeMetrics(
            latency_ms=incident.metrics.latency_p99, error_rate=incident.metrics.error_rate
        ),
        agent_analysis={**incident.agent_analysis, _EVENT: beside},
        predictive_insights=incident.predictive_insights,
        embedding_id=incident.embedding_id,
    )


def report_of(node: IncidentNode) -> IncidentReport:
    """The report an exchanged incident makes; InvalidInput when a field cannot be used."""
    analysis = dict(node.agent_analysis)
    held = analysis.pop(_EVENT, {})
    beside = dict(held) if isinstance(held, dict) else {}
    metrics: Properties = {name: beside.pop(name) for name in _MEASURED if name in beside}
    metrics |= {"latency_p99": node.metrics.latency_ms, "error_rate": node.metrics.error_rate}
    measured = {
        name: check_metric(name, value) for name, value in metrics.items() if value is not None
    }
    known = {name: value for name, value in beside.items() if name in _BESIDE}
    try:
        return msgspec.convert(
            {
                **known,
                "component": check_component(node.component),
                "timestamp": _instant(node.timestamp),
                "severity": node.severity,
                "metrics": measured,
                "incident_id": node.incident_id,
                "embedding_id": node.embedding_id,
                "agent_analysis": analysis,
                "predictive_insights": node.predictive_insights,
            },
            IncidentReport,
        )
    except msgspec.ValidationError as error:
        raise InvalidInput(f"incident {node.incident_id!r} cannot be used: {error}") from error


def outcome_node(outcome: Outcome) -> OutcomeNode:
    """The attempt in the exchange form; its own id follows from these fields."""
    return OutcomeNode(
        incident_id=outcome.incident_id,
        actions_taken=outcome.actions_taken,
        resolution_time_minutes=outcome.resolution_time_minutes,
        success=outcome.success,
        blast_radius=str(outcome.blast_radius),
        lessons_learned=outcome.lessons_learned,
        recorded_at=outcome.recorded_at,
    )


def resolving(nodes: IncidentNodes) -> dict[tuple[str, str], float]:
    """How sure it is that an attempt ended an incident, by the ids of both: the form has it on the
    RESOLVED_BY edge."""
    resolved = RelationType.RESOLVED_BY
    return {(e.source_id, e.target_id): e.confidence for e in nodes.edges if e.type == resolved}


def outcome_report(
    node: OutcomeNode, sure: Mapping[tuple[str, str], float] | None = None
) -> OutcomeReport:
    """The report an exchanged attempt makes, `sure` as `resolving` says; InvalidInput when a field
    cannot be used."""
    plain = msgspec.to_builtins(node)
    plain.pop("incident_id")
    plain["recorded_at"] = _instant(node.recorded_at)
    named = outcome_id(
        node.incident_id,
        node.actions_taken,
        success=node.success,
        resolution_time_minutes=node.resolution_time_minutes,
        lessons_learned=node.lessons_learned,
        recorded_at=plain["recorded_at"],
    )
    if node.success and sure:
        plain["confidence"] = sure.get((node.incident_id, named), 1.0)
    try:
        return msgspec.convert(plain, OutcomeReport)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"an outcome of {node.incident_id!r} cannot be used: {error}") from error


def _instant(written: str | None) -> str | None:
    return None if written is None else parse_instant(written)

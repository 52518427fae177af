"""The incident graph to a JSON file in its exchange form, and back without loss.

The form has three shapes, exactly these keys; `latency_p99` is `metrics.latency_ms` there. What an
incident has beyond them travels in `agent_analysis.event`.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar, cast

import msgspec

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.files.target import require_target
from quipu.kinds.incidents.case_base import edges_between, read_cases
from quipu.kinds.incidents.model import (
    Incident,
    IncidentReport,
    OutcomeReport,
    check_component,
    outcome_id,
)
from quipu.kinds.incidents.reading import IncidentsRead
from quipu.kinds.incidents.records import LINKS, incident_entity_id, outcome_entity_id, outcome_in
from quipu.ports import Graph, Store
from quipu.read.source import read_whole
from quipu.records.document import Problem
from quipu.records.misfit import misfit, why
from quipu.records.record import Properties, Relation
from quipu.records.schema import RelationType
from quipu.source import Draft
from quipu.when.instants import Clock, parse_instant

__all__ = [
    "GraphEdge",
    "IncidentNodes",
    "read_incident_graph",
    "write_edges",
    "write_incident_graph",
]

Made = TypeVar("Made")

_EVENT = "event"
_MEASURED = ("throughput", "cpu_util", "memory_util")
_SOURCE_TYPE = "incident_import"
_LARGEST = 500_000_000
_RESOLVED = RelationType.RESOLVED_BY


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


_EVENT_FIELDS = {*Incident.__struct_fields__} - {*IncidentNode.__struct_fields__}


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


def write_incident_graph(graph: Graph, path: Path, *, overwrite: bool = False) -> IncidentNodes:
    """Write every live incident, attempt and edge to `path`, whole or not at all; the same graph
    gives the same bytes."""
    require_target(path, overwrite=overwrite)
    cases = sorted(read_cases(graph).cases, key=lambda case: case.incident.incident_id)
    outcomes = [o for case in cases for o in sorted(case.outcomes, key=lambda o: o.outcome_id)]
    edges = edges_between(graph, [case.incident.incident_id for case in cases])
    nodes = IncidentNodes(
        incidents=tuple(_incident_node(case.incident) for case in cases),
        outcomes=msgspec.convert(outcomes, tuple[OutcomeNode, ...], from_attributes=True),
        edges=msgspec.convert(edges, tuple[GraphEdge, ...], from_attributes=True),
    )
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    data = msgspec.json.format(msgspec.json.encode(nodes, order="deterministic"), indent=2)
    try:
        temporary.write_bytes(data + b"\n")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreUnavailable(
            f"{str(path)!r} cannot be written: {error.strerror or error}; choose another place"
        ) from error
    return nodes


def _incident_node(incident: Incident) -> IncidentNode:
    plain = cast(Properties, msgspec.to_builtins(incident))
    event = {name: plain[name] for name in _EVENT_FIELDS if plain[name] not in ("", [], (), {})}
    known = incident.metrics.known()
    event |= {name: known[name] for name in _MEASURED if name in known}
    metrics = {"latency_ms": known.get("latency_p99"), "error_rate": known.get("error_rate")}
    analysis = {**incident.agent_analysis, _EVENT: event}
    return msgspec.convert({**plain, "metrics": metrics, "agent_analysis": analysis}, IncidentNode)


def read_incident_graph(path: Path) -> tuple[IncidentsRead, tuple[GraphEdge, ...]]:
    """Return the reports, attempts and edges of a file; what cannot be used is a problem.
    InvalidInput when it is no incident graph."""
    data = read_whole(path, max_bytes=_LARGEST)
    try:
        nodes = msgspec.json.decode(data, type=IncidentNodes)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(
            f"{str(path)!r} is no incident graph ({why(error, data)}): give what `quipu incident "
            "export` wrote"
        ) from error
    sure = {(e.source_id, e.target_id): e.confidence for e in nodes.edges if e.type == _RESOLVED}
    reports: list[IncidentReport] = []
    outcomes: list[tuple[str, OutcomeReport]] = []
    problems: list[Problem] = []
    for node in (*nodes.incidents, *nodes.outcomes):
        try:
            if isinstance(node, IncidentNode):
                reports.append(_report(node))
            else:
                outcomes.append((node.incident_id, _attempt(node, sure)))
        except InvalidInput as error:
            problems.append(Problem(node.incident_id, str(error)))
    return IncidentsRead(tuple(reports), tuple(outcomes), tuple(problems)), nodes.edges


def _report(node: IncidentNode) -> IncidentReport:
    """The report an exchanged incident makes; InvalidInput when a field cannot be used."""
    analysis = dict(node.agent_analysis)
    value = analysis.pop(_EVENT, {})
    event = value if isinstance(value, dict) else {}
    metrics: Properties = {name: event[name] for name in _MEASURED if name in event}
    metrics |= {"latency_p99": node.metrics.latency_ms, "error_rate": node.metrics.error_rate}
    fields: Properties = {
        **{name: told for name, told in event.items() if name in _EVENT_FIELDS},
        **cast(Properties, msgspec.structs.asdict(node)),
        "component": check_component(node.component),
        "timestamp": node.timestamp and parse_instant(node.timestamp),
        "metrics": metrics,
        "agent_analysis": analysis,
    }
    return _converted(fields, IncidentReport, f"incident {node.incident_id!r}")


def _attempt(node: OutcomeNode, sure: dict[tuple[str, str], float]) -> OutcomeReport:
    """The report an exchanged attempt makes. How sure it is that it ended its incident stands on
    the RESOLVED_BY edge (`sure`, by the ids of both)."""
    fields = msgspec.structs.asdict(node)
    del fields["incident_id"]
    fields["recorded_at"] = node.recorded_at and parse_instant(node.recorded_at)
    report = _converted(fields, OutcomeReport, f"an outcome of {node.incident_id!r}")
    known = sure.get((node.incident_id, outcome_id(node.incident_id, report)), 1.0)
    return msgspec.structs.replace(report, confidence=known) if node.success else report


def _converted(fields: Properties, shape: type[Made], what: str) -> Made:
    try:
        return msgspec.convert(fields, shape)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"{what} cannot be used: {misfit(error, fields)}") from error


def write_edges(
    store: Store, edges: Iterable[GraphEdge], *, clock: Clock
) -> tuple[int, list[Problem]]:
    """Assert imported edges whose ends are here; how many stand, and what was wrong."""
    given = sorted(edges, key=lambda e: (e.source_id, e.type, e.target_id))
    kept: list[Relation] = []
    problems: list[Problem] = []
    sha = hashlib.sha256(msgspec.json.encode(given)).hexdigest()
    now = clock()
    ref = f"incident-graph:{sha[:16]}"
    draft = Draft(namespace=store.namespace, type=_SOURCE_TYPE, ref=ref, sha=sha, seen=now)
    for edge in given:
        try:
            kept += _relations(store, draft, edge)
        except InvalidInput as error:
            problems.append(Problem(f"{edge.source_id} {edge.type} {edge.target_id}", str(error)))
    if kept and draft.episode_id not in store.get([draft.episode_id]):
        episode = draft.episode(now, preview=f"{len(kept)} edges of an incident graph")
        store.write(draft.batch(episode, kept, now=now))
    return len(kept), problems


def _relations(store: Store, draft: Draft, edge: GraphEdge) -> list[Relation]:
    """The edge; none where it says that a failed attempt resolved its incident, as exports of
    earlier versions do: the attempt itself tells what came of it."""
    if edge.type not in tuple(map(str, LINKS)):
        raise InvalidInput(f"type {edge.type!r} is unknown: use one of {', '.join(LINKS)}")
    if not 0 <= edge.confidence <= 1:
        raise InvalidInput(f"confidence {edge.confidence!r} is out of range: give 0 to 1")
    identify = outcome_entity_id if edge.type == _RESOLVED else incident_entity_id
    source = incident_entity_id(store.namespace, edge.source_id)
    target = identify(store.namespace, edge.target_id)
    records = store.get([source, target])
    for name, key in (("source_id", source), ("target_id", target)):
        if key not in records:
            raise InvalidInput(f"{name} {getattr(edge, name)!r} is not in the graph")
    tried = outcome_in(records[target])
    if edge.type == _RESOLVED and tried is not None and not tried.success:
        return []
    seen, kind = parse_instant(edge.created_at), RelationType(edge.type)
    sure = edge.confidence
    return [draft.relation(source, kind, target, seen=seen, confidence=sure, why=("imported",))]

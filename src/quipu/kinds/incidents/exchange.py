"""The incident graph to a JSON file in its exchange form, and back without loss.

The form has three shapes, exactly these keys; `latency_p99` is `metrics.latency_ms` there. What an
incident has beyond them travels in `agent_analysis.event`.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.files.target import replacing, require_target
from quipu.kinds.incidents.case_base import GraphEdge, edges_between, read_cases
from quipu.kinds.incidents.model import Incident, outcome_id
from quipu.kinds.incidents.read import IncidentsRead, read_rows
from quipu.kinds.incidents.records import LINKS, incident_entity_id, outcome_entity_id, outcome_in
from quipu.limits import LARGEST_EXPORT
from quipu.ports import Graph, Store
from quipu.read.source import read_whole
from quipu.records.document import Problem
from quipu.records.misfit import why
from quipu.records.record import Properties, Relation
from quipu.records.schema import RelationType
from quipu.source import Draft
from quipu.when.instants import Clock, parse_instant

__all__ = [
    "IncidentNodes",
    "read_incident_graph",
    "write_edges",
    "write_incident_graph",
]

_EVENT = "event"
_SOURCE_TYPE = "incident_import"
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


class OutcomeNode(msgspec.Struct, frozen=True, kw_only=True):
    """What happened after one intervention; null is unknown."""

    incident_id: str
    actions_taken: tuple[str, ...]
    resolution_time_minutes: float | None
    success: bool
    blast_radius: str
    lessons_learned: str
    recorded_at: str | None


class IncidentNodes(msgspec.Struct, frozen=True, kw_only=True):
    """The whole graph: incidents and outcomes by id, edges by (source, type, target)."""

    incidents: tuple[IncidentNode, ...] = ()
    outcomes: tuple[OutcomeNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()


def write_incident_graph(graph: Graph, path: Path, *, overwrite: bool = False) -> IncidentNodes:
    """Write every live incident, attempt and edge to `path`, whole or not at all; the same graph
    gives the same bytes."""
    require_target(path, overwrite=overwrite)
    cases = sorted(read_cases(graph).cases, key=lambda case: case.name)
    outcomes = [o for case in cases for o in sorted(case.outcomes, key=lambda o: o.outcome_id)]
    edges = edges_between(graph, [case.name for case in cases])
    nodes = IncidentNodes(
        incidents=tuple(_node(case.incident) for case in cases),
        outcomes=msgspec.convert(outcomes, tuple[OutcomeNode, ...], from_attributes=True),
        edges=msgspec.convert(edges, tuple[GraphEdge, ...], from_attributes=True),
    )
    data = msgspec.json.format(msgspec.json.encode(nodes, order="deterministic"), indent=2)
    with replacing(path) as stream:
        stream.write(data + b"\n")
    return nodes


def _node(incident: Incident) -> IncidentNode:
    plain = cast(Properties, msgspec.to_builtins(incident))
    known = incident.metrics.known()
    exchanged = {"latency_ms": "latency_p99", "error_rate": "error_rate"}
    metrics = {theirs: known.pop(ours, None) for theirs, ours in exchanged.items()}
    beyond = plain.keys() - {*IncidentNode.__struct_fields__}
    event = {name: plain[name] for name in beyond if plain[name] not in ("", [], (), {})}
    analysis = {**incident.agent_analysis, _EVENT: {**event, **known}}
    return msgspec.convert({**plain, "metrics": metrics, "agent_analysis": analysis}, IncidentNode)


def read_incident_graph(path: Path) -> tuple[IncidentsRead, tuple[GraphEdge, ...]]:
    """Return the reports, attempts and edges of a file; what cannot be used is a problem.
    InvalidInput when it is no incident graph."""
    data = read_whole(path, max_bytes=LARGEST_EXPORT)
    try:
        nodes = msgspec.json.decode(data, type=IncidentNodes)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(
            f"{str(path)!r} is no incident graph ({why(error, data)}): give what `quipu incident "
            "export` wrote"
        ) from error
    sure = {(e.source_id, e.target_id): e.confidence for e in nodes.edges if e.type == _RESOLVED}
    rows = [(node.incident_id, _record(node)) for node in nodes.incidents]
    for node in nodes.outcomes:
        told = {**msgspec.structs.asdict(node), "actions_taken": [*node.actions_taken]}
        rows.append((node.incident_id, told))
    read = read_rows(rows)
    outcomes = [
        (named, msgspec.structs.replace(told, confidence=sure.get((named, key), 1.0)))
        for named, told in read.outcomes
        for key in [outcome_id(named, told)]
    ]
    problems = tuple(problem._replace(severity="error") for problem in read.problems)
    return IncidentsRead(read.reports, tuple(outcomes), problems), nodes.edges


def _record(node: IncidentNode) -> dict[str, Any]:
    """An exchanged incident in our own words."""
    analysis = dict(node.agent_analysis)
    event = analysis.pop(_EVENT, {})
    return {
        "source_severity": "",
        **(event if isinstance(event, dict) else {}),
        **msgspec.structs.asdict(node),
        "metrics": msgspec.structs.asdict(node.metrics),
        "agent_analysis": analysis,
    }


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

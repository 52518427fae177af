"""The incident graph to a JSON file in its exchange form, and back without loss."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.files.target import require_target
from quipu.kinds.incidents.case_base import IncidentEdge, edges_between, read_cases
from quipu.kinds.incidents.nodes import GraphEdge, IncidentNodes, incident_node, outcome_node
from quipu.kinds.incidents.records import LINKS, incident_entity_id, outcome_entity_id, outcome_in
from quipu.ports import Graph, Store
from quipu.records.batch import Batch
from quipu.records.document import Problem
from quipu.records.misfit import why
from quipu.records.record import Relation
from quipu.records.schema import RelationType
from quipu.source import Draft
from quipu.when.instants import Clock, parse_instant

__all__ = ["incident_nodes", "read_incident_nodes", "write_edges", "write_incident_nodes"]

_SOURCE_TYPE = "incident_import"
_LARGEST = 500_000_000


def incident_nodes(graph: Graph) -> IncidentNodes:
    """Every live incident, attempt and edge in the exchange form."""
    case_base = read_cases(graph)
    cases = sorted(case_base.cases, key=lambda case: case.incident.incident_id)
    outcomes = sorted(
        (o for case in cases for o in case.outcomes), key=lambda o: (o.incident_id, o.outcome_id)
    )
    edges = edges_between(graph, [case.incident.incident_id for case in cases])
    return IncidentNodes(
        incidents=tuple(incident_node(case.incident) for case in cases),
        outcomes=tuple(map(outcome_node, outcomes)),
        edges=tuple(map(_edge, edges)),
    )


def _edge(edge: IncidentEdge) -> GraphEdge:
    return GraphEdge(
        source_id=edge.source_id,
        target_id=edge.target_id,
        type=edge.type,
        confidence=edge.confidence,
        created_at=edge.created_at,
    )


def write_incident_nodes(nodes: IncidentNodes, path: Path, *, overwrite: bool = False) -> None:
    """Write the graph to `path`, whole or not at all; the same graph gives the same bytes."""
    require_target(path, overwrite=overwrite)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    data = msgspec.json.format(msgspec.json.encode(nodes, order="deterministic"), indent=2)
    try:
        beside.write_bytes(data + b"\n")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StoreUnavailable(
            f"{str(path)!r} cannot be written: {error.strerror or error}; choose another place"
        ) from error


def read_incident_nodes(path: Path) -> IncidentNodes:
    """The graph in a file; InvalidInput when it is none."""
    try:
        if path.stat().st_size > _LARGEST:
            raise InvalidInput(f"{str(path)!r} is larger than {_LARGEST:,} bytes: split it")
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    try:
        return msgspec.json.decode(data, type=IncidentNodes)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(
            f"{str(path)!r} is no incident graph ({why(error, data)}): give what `quipu incident "
            "export` wrote"
        ) from error


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
            if (made := _relation(store, draft, edge)) is not None:
                kept.append(made)
        except InvalidInput as error:
            problems.append(Problem(f"{edge.source_id} {edge.type} {edge.target_id}", str(error)))
    if kept and draft.episode_id not in store.get([draft.episode_id]):
        episode = draft.episode(now, preview=f"{len(kept)} edges of an incident graph")
        store.write(Batch(recorded_at=now, episodes=(episode,), claims=draft.claims(kept)))
    return len(kept), problems


def _relation(store: Store, draft: Draft, edge: GraphEdge) -> Relation | None:
    """The edge; None where it says that a failed attempt resolved its incident, as exports of
    earlier versions do: the attempt itself tells what came of it."""
    if edge.type not in tuple(map(str, LINKS)):
        raise InvalidInput(f"type {edge.type!r} is unknown: use one of {', '.join(LINKS)}")
    if not 0 <= edge.confidence <= 1:
        raise InvalidInput(f"confidence {edge.confidence!r} is out of range: give 0 to 1")
    kind = RelationType(edge.type)
    space = store.namespace
    source = incident_entity_id(space, edge.source_id)
    resolved = kind == RelationType.RESOLVED_BY
    target = (outcome_entity_id if resolved else incident_entity_id)(space, edge.target_id)
    held = store.get([source, target])
    for name, key in (("source_id", source), ("target_id", target)):
        if key not in held:
            raise InvalidInput(f"{name} {getattr(edge, name)!r} is not in the graph")
    tried = outcome_in(held[target])
    if resolved and tried is not None and not tried.success:
        return None
    seen = parse_instant(edge.created_at)
    return draft.relation(
        source, kind, target, seen=seen, confidence=edge.confidence, why=("imported",)
    )

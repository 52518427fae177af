"""Incidents, attempts and edges read from a `Graph`: what policies and learning see of the past.

Only the graph: nothing here, or above it in `learn`, can reach a vector. `known_at` reads the
records as the store held them then; `as_of` leaves out what had not happened or was not yet
recorded by then, by the records' own times. A record without a time is left out where `as_of` is
asked: nobody can say that it was known.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from quipu.domain.incident_records import (
    INCIDENT,
    LINKS,
    OUTCOME,
    incident_entity_id,
    incident_of,
    outcome_entity_id,
    outcome_of,
    service_id,
)
from quipu.domain.incidents import Incident, Outcome
from quipu.domain.instants import UNKNOWN_TIME
from quipu.domain.records import Entity, Relation
from quipu.domain.schema import EntityType, RelationType
from quipu.ports import Graph

__all__ = ["Case", "Casebook", "Edge", "dependencies", "edges_between", "read_cases"]

_PAGE = 500
_EDGES = 1000
_HOPS = 2


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """An incident and every attempt at it, the earliest first."""

    incident: Incident
    outcomes: tuple[Outcome, ...] = ()


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """A tie of the incident graph, between `incident_id`s (to an `outcome_id` for RESOLVED_BY)."""

    source_id: str
    target_id: str
    type: str
    confidence: float
    created_at: str
    evidence: tuple[str, ...] = ()


class Casebook(msgspec.Struct, frozen=True, kw_only=True):
    """Cases by `incident_id`; those without a time come first, the others by time."""

    cases: tuple[Case, ...] = ()

    def of(self, component: str) -> tuple[Case, ...]:
        """The cases of one component."""
        return tuple(c for c in self.cases if c.incident.component == component)

    def before(self, moment: str) -> "Casebook":
        """What had happened before `moment`, with the outcomes recorded by then."""
        return Casebook(
            cases=tuple(
                Case(
                    incident=case.incident,
                    outcomes=tuple(
                        o
                        for o in case.outcomes
                        if o.recorded_at is not None and o.recorded_at <= moment
                    ),
                )
                for case in self.cases
                if case.incident.timestamp is not None and case.incident.timestamp < moment
            )
        )


def read_cases(graph: Graph, *, known_at: str | None = None, as_of: str | None = None) -> Casebook:
    """Every case in the memory, as the store knew it at `known_at`, as it stood at `as_of`."""
    incidents = _named(graph, INCIDENT, known_at)
    outcomes = _named(graph, OUTCOME, known_at)
    attempts: dict[str, list[Outcome]] = {}
    for entity in outcomes:
        outcome = outcome_of(entity)
        attempts.setdefault(outcome.incident_id, []).append(outcome)
    cases = [
        Case(
            incident=incident,
            outcomes=tuple(
                sorted(
                    attempts.get(incident.incident_id, ()),
                    key=lambda o: (o.recorded_at or UNKNOWN_TIME, o.outcome_id),
                )
            ),
        )
        for incident in map(incident_of, incidents)
    ]
    cases.sort(key=lambda c: (c.incident.timestamp or UNKNOWN_TIME, c.incident.incident_id))
    book = Casebook(cases=tuple(cases))
    return book.before(as_of) if as_of is not None else book


def _named(graph: Graph, source_type: str, known_at: str | None) -> list[Entity]:
    """The entities that episodes of this type are about, once each."""
    identify = incident_entity_id if source_type == INCIDENT else outcome_entity_id
    wanted = EntityType.INCIDENT if source_type == INCIDENT else EntityType.OUTCOME
    ids = sorted(
        {
            identify(graph.namespace, source.source_ref.partition(":")[2].partition("#")[0])
            for source in graph.sources(frozenset({source_type}))
        }
    )
    found: list[Entity] = []
    for at in range(0, len(ids), _PAGE):
        held = graph.get(ids[at : at + _PAGE], known_at=known_at)
        found += [e for e in held.values() if isinstance(e, Entity) and e.type == wanted]
    return sorted(found, key=lambda e: e.entity_id)


def edges_between(
    graph: Graph,
    incidents: Sequence[str],
    *,
    kinds: Iterable[RelationType] = LINKS,
    known_at: str | None = None,
) -> list[Edge]:
    """The edges of these kinds at the incidents, in both directions, each once, by
    (source, type, target)."""
    types = frozenset(str(kind) for kind in kinds)
    ids = [incident_entity_id(graph.namespace, each) for each in dict.fromkeys(incidents)]
    relations: dict[str, Relation] = {}
    for at in range(0, len(ids), _PAGE):
        found = graph.neighbors(
            ids[at : at + _PAGE],
            direction="both",
            types=types,
            limit_per_id=_EDGES,
            known_at=known_at,
        )
        relations |= {r.rel_id: r for rows in found.values() for r in rows}
    ends = sorted({e for r in relations.values() for e in (r.source_entity_id, r.target_entity_id)})
    names: dict[str, str] = {}
    for at in range(0, len(ends), _PAGE):
        for key, record in graph.get(ends[at : at + _PAGE], known_at=known_at).items():
            if isinstance(record, Entity):
                own = record.properties.get("outcome_id") or record.properties.get("incident_id")
                names[key] = str(own or key)
    edges = [
        Edge(
            source_id=names[r.source_entity_id],
            target_id=names[r.target_entity_id],
            type=r.type,
            confidence=r.confidence,
            created_at=r.created_at,
            evidence=_evidence(r),
        )
        for r in relations.values()
        if r.source_entity_id in names and r.target_entity_id in names
    ]
    return sorted(edges, key=lambda e: (e.source_id, e.type, e.target_id))


def _evidence(relation: Relation) -> tuple[str, ...]:
    held = relation.properties.get("evidence")
    return tuple(map(str, held)) if isinstance(held, list) else ()


def dependencies(
    graph: Graph,
    component: str,
    *,
    hops: int = _HOPS,
    direction: Literal["out", "in"] = "out",
    known_at: str | None = None,
) -> dict[str, int]:
    """The services that `component` needs (`in`: that need it), by name, with how many DEPENDS_ON
    edges away each is.

    A cycle ends where it comes back; the component itself is never among them.
    """
    start = service_id(graph.namespace, component)
    seen: dict[str, int] = {start: 0}
    rim = [start]
    for hop in range(1, hops + 1):
        found = graph.neighbors(
            rim,
            direction=direction,
            types=frozenset({str(RelationType.DEPENDS_ON)}),
            limit_per_id=_EDGES,
            known_at=known_at,
        )
        ends = {
            r.target_entity_id if direction == "out" else r.source_entity_id
            for rows in found.values()
            for r in rows
        }
        rim = sorted(ends - seen.keys())
        seen |= dict.fromkeys(rim, hop)
    records = graph.get(sorted(seen.keys() - {start}), known_at=known_at)
    return {
        record.name: seen[key]
        for key, record in sorted(records.items())
        if isinstance(record, Entity)
    }

"""Incidents, attempts and edges read from a `Graph`: what policies and learning see of the past.

Only the graph: nothing here, or above it in `learn`, can reach a vector. `as_of` leaves out what
had not happened or was not yet recorded by then, by the records' own times. A record without a
time is left out where `as_of` is asked: nobody can say that it was known.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import msgspec

from quipu.kinds.incidents.model import Incident, Outcome
from quipu.kinds.incidents.records import (
    INCIDENT,
    LINKS,
    OUTCOME,
    incident_entity_id,
    incident_in,
    outcome_entity_id,
    outcome_in,
    service_id,
)
from quipu.ports import Graph
from quipu.records.record import Entity, Relation
from quipu.records.schema import RelationType
from quipu.when.instants import UNKNOWN_TIME

__all__ = [
    "Case",
    "CaseBase",
    "CaseReader",
    "IncidentEdge",
    "attempts_at",
    "dependencies",
    "edges_between",
    "read_cases",
]

_PAGE = 500
_EDGES = 1000
_FOLLOWED = 10_000
_HOPS = 2


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """An incident and every attempt at it, the earliest first."""

    incident: Incident
    outcomes: tuple[Outcome, ...] = ()


class IncidentEdge(msgspec.Struct, frozen=True, kw_only=True):
    """A tie of the incident graph, between `incident_id`s (to an `outcome_id` for RESOLVED_BY)."""

    source_id: Annotated[str, "the incident it leaves"]
    target_id: Annotated[str, "the incident, or outcome, it leads to"]
    type: Annotated[str, "`SIMILAR_TO`, `CAUSED_BY`, `ESCALATED_FROM` or `RESOLVED_BY`"]
    confidence: Annotated[float, "how sure the edge is"]
    created_at: Annotated[str, "when it was made"]
    evidence: Annotated[tuple[str, ...], "what it was made from"] = ()


class CaseBase(msgspec.Struct, frozen=True, kw_only=True):
    """Cases by `incident_id`; those without a time come first, the others by time."""

    cases: tuple[Case, ...] = ()

    def of(self, component: str) -> tuple[Case, ...]:
        """The cases of one component."""
        return tuple(c for c in self.cases if c.incident.component == component)

    def before(self, moment: str) -> "CaseBase":
        """What had happened before `moment`, with the outcomes recorded by then."""
        return CaseBase(
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


def read_cases(graph: Graph, *, as_of: str | None = None) -> CaseBase:
    """Every case in the memory, as it stood at `as_of`."""
    incidents, outcomes = _read(graph)
    case_base = _joined(incidents.values(), outcomes.values())
    return case_base.before(as_of) if as_of is not None else case_base


class CaseReader:
    """The cases of a graph, read once and then followed by its log of changes: an answer costs
    what was told since the last one, however long the past is."""

    def __init__(self, graph: Graph) -> None:
        """Nothing is read yet."""
        self._graph = graph
        self._sequence = -1
        self._incidents: dict[str, Incident] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._case_base = CaseBase()

    def read(self) -> CaseBase:
        """Every case there is now; the same object while nothing has changed."""
        now = self._graph.sequence()
        if now != self._sequence:
            self._follow(now)
            self._case_base = _joined(self._incidents.values(), self._outcomes.values())
        return self._case_base

    def _follow(self, now: int) -> None:
        news = (
            self._graph.changes(self._sequence, limit=_FOLLOWED + 1) if self._sequence > 0 else []
        )
        forgotten = any(change.operation == "forget" for change in news)
        if not 0 < len(news) <= _FOLLOWED or forgotten:
            self._incidents, self._outcomes = _read(self._graph)
            self._sequence = now
            return
        changed = [change.record_id for change in news if change.kind == "entity"]
        records = self._graph.get(changed)
        for key in changed:
            self._incidents.pop(key, None)
            self._outcomes.pop(key, None)
            record = records.get(key)
            if (incident := incident_in(record)) is not None:
                self._incidents[key] = incident
            elif (outcome := outcome_in(record)) is not None:
                self._outcomes[key] = outcome
        self._sequence = news[-1].sequence


def _read(graph: Graph) -> tuple[dict[str, Incident], dict[str, Outcome]]:
    incidents = {e.entity_id: each for e in _named(graph, INCIDENT) if (each := incident_in(e))}
    outcomes = {e.entity_id: each for e in _named(graph, OUTCOME) if (each := outcome_in(e))}
    return incidents, outcomes


def _joined(incidents: Iterable[Incident], outcomes: Iterable[Outcome]) -> CaseBase:
    attempts: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
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
        for incident in incidents
    ]
    cases.sort(key=lambda c: (c.incident.timestamp or UNKNOWN_TIME, c.incident.incident_id))
    return CaseBase(cases=tuple(cases))


def _named(graph: Graph, source_type: str) -> list[Entity]:
    """The entities that episodes of this type are about, once each, by id."""
    identify = incident_entity_id if source_type == INCIDENT else outcome_entity_id
    refs = (source.source_ref for source in graph.sources(frozenset({source_type})))
    named = (ref.partition(":")[2].partition("#")[0] for ref in refs)
    ids = sorted({identify(graph.namespace, name) for name in named})
    found: list[Entity] = []
    for at in range(0, len(ids), _PAGE):
        records = graph.get(ids[at : at + _PAGE])
        found += [e for e in records.values() if isinstance(e, Entity)]
    return sorted(found, key=lambda e: e.entity_id)


def edges_between(
    graph: Graph,
    incidents: Sequence[str],
    *,
    kinds: Iterable[RelationType] = LINKS,
) -> list[IncidentEdge]:
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
        )
        relations |= {r.rel_id: r for rows in found.values() for r in rows}
    ends = sorted({e for r in relations.values() for e in (r.source_entity_id, r.target_entity_id)})
    names: dict[str, str] = {}
    for at in range(0, len(ends), _PAGE):
        for key, record in graph.get(ends[at : at + _PAGE]).items():
            if isinstance(record, Entity):
                own = record.properties.get("outcome_id") or record.properties.get("incident_id")
                names[key] = str(own or key)
    edges = [
        IncidentEdge(
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


_TRIED = frozenset({str(RelationType.PART_OF), str(RelationType.RESOLVED_BY)})


def attempts_at(graph: Graph, incidents: Sequence[str]) -> dict[str, tuple[Outcome, ...]]:
    """What was tried at each incident, the earliest first. An attempt is PART_OF its incident; in
    a store of an earlier version only RESOLVED_BY leads to it, whether it worked or not."""
    keys = {incident_entity_id(graph.namespace, each): each for each in incidents}
    found = graph.neighbors(list(keys), direction="both", types=_TRIED, limit_per_id=_EDGES)
    ends = {
        end
        for rows in found.values()
        for r in rows
        for end in (r.source_entity_id, r.target_entity_id)
    }
    records = graph.get(sorted(ends - keys.keys()))
    tried = [outcome for each in records.values() if (outcome := outcome_in(each)) is not None]
    tried.sort(key=lambda o: (o.recorded_at or UNKNOWN_TIME, o.outcome_id))
    return {each: tuple(o for o in tried if o.incident_id == each) for each in incidents}


def _evidence(relation: Relation) -> tuple[str, ...]:
    evidence = relation.properties.get("evidence")
    return tuple(map(str, evidence)) if isinstance(evidence, list) else ()


def dependencies(
    graph: Graph,
    component: str,
    *,
    hops: int = _HOPS,
    direction: Literal["out", "in"] = "out",
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
        )
        ends = {
            r.target_entity_id if direction == "out" else r.source_entity_id
            for rows in found.values()
            for r in rows
        }
        rim = sorted(ends - seen.keys())
        seen |= dict.fromkeys(rim, hop)
    records = graph.get(sorted(seen.keys() - {start}))
    return {
        record.name: seen[key]
        for key, record in sorted(records.items())
        if isinstance(record, Entity)
    }

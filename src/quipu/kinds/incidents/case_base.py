"""Incidents, attempts and edges read from a `Graph`: what policies and learning see of the past,
and what there is to show of it.

Only the graph: nothing here can reach a vector. A moment leaves out what had not happened or was
not yet recorded by then, by the records' own times. A record without a time is left out where a
moment is asked: nobody can say that it was known.
"""

from collections.abc import Iterable, Sequence
from statistics import mean, median
from typing import Annotated, Literal, TypeAlias

import msgspec

from quipu.kinds.incidents.model import Incident, IncidentHead, Outcome
from quipu.kinds.incidents.records import (
    INCIDENT,
    LINKS,
    OUTCOME,
    incident_entity_id,
    incident_in,
    named_by_ref,
    outcome_entity_id,
    outcome_in,
)
from quipu.limits import ROWS_AT_ONCE
from quipu.ports import Graph
from quipu.records.record import Entity, Record, Relation
from quipu.records.schema import RelationType
from quipu.when.instants import UNKNOWN_TIME, to_epoch

__all__ = [
    "Case",
    "CaseBase",
    "GraphEdge",
    "IncidentDetail",
    "IncidentEdge",
    "IncidentList",
    "IncidentRow",
    "IncidentSummary",
    "attempts_at",
    "edges_between",
    "read_cases",
    "recorded_by",
    "service_record",
]

State: TypeAlias = Literal["open", "resolved"]


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """An incident and every attempt at it, the earliest first."""

    incident: Incident
    outcomes: tuple[Outcome, ...] = ()

    @property
    def name(self) -> str:
        """The id of its incident."""
        return self.incident.incident_id

    @property
    def ending(self) -> Outcome | None:
        """The attempt that ended it; None while it is open."""
        return next((outcome for outcome in self.outcomes if outcome.success), None)

    @property
    def state(self) -> State:
        """`resolved` when an attempt ended it, else `open`."""
        return "resolved" if self.ending else "open"

    @property
    def minutes(self) -> float | None:
        """The time to repair: that of the attempt that ended it, or from its beginning to when
        that was recorded."""
        ending, began = self.ending, self.incident.timestamp
        if ending is None or ending.resolution_time_minutes is not None:
            return ending.resolution_time_minutes if ending else None
        if ending.recorded_at is None or began is None:
            return None
        apart = (to_epoch(ending.recorded_at) - to_epoch(began)) / 60
        return round(apart, 1) if apart >= 0 else None


class CaseBase(msgspec.Struct, frozen=True, kw_only=True):
    """Cases by time; those without a time come first."""

    cases: tuple[Case, ...] = ()

    def of(self, component: str) -> tuple[Case, ...]:
        """The cases of one component."""
        return tuple(c for c in self.cases if c.incident.component == component)

    def before(self, moment: str) -> "CaseBase":
        """What had happened before `moment`, with the outcomes recorded by then."""
        return CaseBase(
            cases=tuple(
                Case(incident=case.incident, outcomes=recorded_by(case.outcomes, moment))
                for case in self.cases
                if case.incident.timestamp is not None and case.incident.timestamp < moment
            )
        )


class GraphEdge(msgspec.Struct, frozen=True, kw_only=True):
    """A tie of the incident graph, between `incident_id`s (to an `outcome_id` for RESOLVED_BY)."""

    source_id: Annotated[str, "the incident it leaves"]
    target_id: Annotated[str, "the incident, or outcome, it leads to"]
    type: Annotated[str, "`SIMILAR_TO`, `CAUSED_BY`, `ESCALATED_FROM` or `RESOLVED_BY`"]
    confidence: Annotated[float, "how sure the edge is"]
    created_at: Annotated[str, "when it was made"]


class IncidentEdge(GraphEdge, frozen=True, kw_only=True):
    """A tie, and why it was made."""

    evidence: Annotated[tuple[str, ...], "what it was made from"] = ()


class IncidentRow(IncidentHead, frozen=True, kw_only=True):
    """An incident in a list."""

    state: Annotated[State, "`open`, or `resolved` when an attempt ended it"]
    minutes: Annotated[float | None, "how long it took until it was over, or null"]
    attempts: Annotated[int, "how many attempts were recorded"]


class IncidentList(msgspec.Struct, frozen=True, kw_only=True):
    """Incidents, the latest first."""

    incidents: Annotated[tuple[IncidentRow, ...], "each incident, the latest first"]
    total: Annotated[int, "how many there are, those beyond the limit included"]


class IncidentDetail(msgspec.Struct, frozen=True, kw_only=True):
    """An incident with everything that is known of it."""

    incident: Annotated[Incident, "the incident"]
    state: Annotated[State, "`open`, or `resolved` when an attempt ended it"]
    minutes: Annotated[float | None, "how long it took until it was over, or null"]
    outcomes: Annotated[tuple[Outcome, ...], "what was tried, the earliest first"]
    edges: Annotated[
        tuple[IncidentEdge, ...], "its edges to other incidents and to what resolved it"
    ]


class ServiceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What befell a service."""

    component: Annotated[str, "the service"]
    incidents: Annotated[int, "how many incidents it had"]
    open: Annotated[int, "how many of them are open"]
    median_minutes: Annotated[float | None, "the median time to repair, or null"]
    mean_minutes: Annotated[float | None, "the mean time to repair (MTTR), or null"]
    last: Annotated[str | None, "when the last one began, or null"]


class IncidentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The incidents of a memory by service."""

    incidents: Annotated[int, "how many incidents"]
    open: Annotated[int, "how many of them are open"]
    services: Annotated[tuple[ServiceRecord, ...], "each service, that with the most first"]


def recorded_by(outcomes: Iterable[Outcome], moment: str | None) -> tuple[Outcome, ...]:
    """Return the attempts that were recorded by `moment`; all of them without one."""
    return tuple(
        o for o in outcomes if moment is None or (o.recorded_at and o.recorded_at <= moment)
    )


def read_cases(graph: Graph) -> CaseBase:
    """Return every case in the memory."""
    ids = [
        identify(graph.namespace, named_by_ref(source.source_ref))
        for type_, identify in ((INCIDENT, incident_entity_id), (OUTCOME, outcome_entity_id))
        for source in graph.sources(frozenset({type_}))
    ]
    records = graph.get(sorted(set(ids))).values()
    attempts = _attempts(records)
    incidents = [i for record in records if (i := incident_in(record)) is not None]
    incidents.sort(key=lambda i: (i.timestamp or UNKNOWN_TIME, i.incident_id))
    cases = (Case(incident=i, outcomes=attempts.get(i.incident_id, ())) for i in incidents)
    return CaseBase(cases=tuple(cases))


def attempts_at(graph: Graph, incidents: Sequence[str]) -> dict[str, tuple[Outcome, ...]]:
    """Return what was tried at each incident, the earliest first. An attempt is PART_OF its
    incident; in a store of an earlier version only RESOLVED_BY leads to it, whether it worked or
    not."""
    tried = (RelationType.PART_OF, RelationType.RESOLVED_BY)
    return _attempts(_relations(graph, incidents, tried)[1].values())


def _attempts(records: Iterable[Record]) -> dict[str, tuple[Outcome, ...]]:
    """The attempts in records by the incident they name, the earliest first."""
    outcomes = [o for record in records if (o := outcome_in(record)) is not None]
    outcomes.sort(key=lambda o: (o.recorded_at or UNKNOWN_TIME, o.outcome_id))
    found: dict[str, tuple[Outcome, ...]] = {}
    for outcome in outcomes:
        found[outcome.incident_id] = (*found.get(outcome.incident_id, ()), outcome)
    return found


def edges_between(
    graph: Graph, incidents: Sequence[str], *, kinds: Iterable[RelationType] = LINKS
) -> list[IncidentEdge]:
    """Return the edges of these kinds at the incidents, in both directions, each once, by
    (source, type, target)."""
    relations, ends = _relations(graph, incidents, kinds)
    names = {
        key: str(end.properties.get("outcome_id") or end.properties.get("incident_id") or key)
        for key, end in ends.items()
        if isinstance(end, Entity)
    }
    edges: list[IncidentEdge] = []
    for relation in relations:
        why = relation.properties.get("evidence")
        edges.append(
            IncidentEdge(
                source_id=names[relation.source_entity_id],
                target_id=names[relation.target_entity_id],
                type=relation.type,
                confidence=relation.confidence,
                created_at=relation.created_at,
                evidence=tuple(map(str, why)) if isinstance(why, list) else (),
            )
        )
    return sorted(edges, key=lambda e: (e.source_id, e.type, e.target_id))


def _relations(
    graph: Graph, incidents: Sequence[str], kinds: Iterable[RelationType]
) -> tuple[list[Relation], dict[str, Record]]:
    """The relations of these kinds at the incidents, each once, and what stands at their ends."""
    ids = [incident_entity_id(graph.namespace, name) for name in dict.fromkeys(incidents)]
    types = frozenset(map(str, kinds))
    rows = graph.neighbors(ids, direction="both", types=types, limit_per_id=ROWS_AT_ONCE)
    found = {relation.rel_id: relation for relations in rows.values() for relation in relations}
    ends = {e for r in found.values() for e in (r.source_entity_id, r.target_entity_id)}
    return list(found.values()), graph.get(sorted(ends))


def service_record(name: str, cases: Sequence[Case]) -> ServiceRecord:
    """Return what the cases of a service come to."""
    took = [case.minutes for case in cases if case.minutes is not None]
    times = [case.incident.timestamp for case in cases if case.incident.timestamp]
    return ServiceRecord(
        component=name,
        incidents=len(cases),
        open=sum(case.state == "open" for case in cases),
        median_minutes=round(median(took), 1) if took else None,
        mean_minutes=round(mean(took), 1) if took else None,
        last=max(times, default=None),
    )

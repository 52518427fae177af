"""Incidents, attempts and edges read from a `Graph`: what policies and learning see of the past.

Only the graph: nothing here, or above it in `learn`, can reach a vector. `as_of` leaves out what
had not happened or was not yet recorded by then, by the records' own times. A record without a
time is left out where `as_of` is asked: nobody can say that it was known.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec

from quipu.kinds.incidents.model import Incident, Outcome
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
from quipu.ports import Graph
from quipu.records.record import Entity, Record, Relation
from quipu.records.schema import RelationType
from quipu.when.instants import UNKNOWN_TIME, to_epoch

__all__ = [
    "Case",
    "CaseBase",
    "IncidentEdge",
    "State",
    "attempts_at",
    "edges_between",
    "read_cases",
    "recorded_by",
]

State: TypeAlias = Literal["open", "resolved"]

_PAGE = 500
_EDGES = 1000
_TRIED = frozenset({str(RelationType.PART_OF), str(RelationType.RESOLVED_BY)})


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


class IncidentEdge(msgspec.Struct, frozen=True, kw_only=True):
    """A tie of the incident graph, between `incident_id`s (to an `outcome_id` for RESOLVED_BY)."""

    source_id: Annotated[str, "the incident it leaves"]
    target_id: Annotated[str, "the incident, or outcome, it leads to"]
    type: Annotated[str, "`SIMILAR_TO`, `CAUSED_BY`, `ESCALATED_FROM` or `RESOLVED_BY`"]
    confidence: Annotated[float, "how sure the edge is"]
    created_at: Annotated[str, "when it was made"]
    evidence: Annotated[tuple[str, ...], "what it was made from"] = ()


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


def recorded_by(outcomes: Iterable[Outcome], moment: str | None) -> tuple[Outcome, ...]:
    """The attempts that were recorded by `moment`; all of them without one."""
    return tuple(
        o for o in outcomes if moment is None or (o.recorded_at and o.recorded_at <= moment)
    )


def read_cases(graph: Graph) -> CaseBase:
    """Every case in the memory."""
    named = {INCIDENT: incident_entity_id, OUTCOME: outcome_entity_id}
    records = _loaded(
        graph,
        {
            identify(graph.namespace, named_by_ref(source.source_ref))
            for type_, identify in named.items()
            for source in graph.sources(frozenset({type_}))
        },
    )
    attempts = _attempts(records.values())
    incidents = [i for each in records.values() if (i := incident_in(each)) is not None]
    incidents.sort(key=lambda i: (i.timestamp or UNKNOWN_TIME, i.incident_id))
    cases = (Case(incident=i, outcomes=attempts.get(i.incident_id, ())) for i in incidents)
    return CaseBase(cases=tuple(cases))


def _attempts(records: Iterable[Record]) -> dict[str, tuple[Outcome, ...]]:
    """The attempts in records by the incident they name, the earliest first."""
    outcomes = [o for each in records if (o := outcome_in(each)) is not None]
    outcomes.sort(key=lambda o: (o.recorded_at or UNKNOWN_TIME, o.outcome_id))
    found: dict[str, tuple[Outcome, ...]] = {}
    for each in outcomes:
        found[each.incident_id] = (*found.get(each.incident_id, ()), each)
    return found


def attempts_at(graph: Graph, incidents: Sequence[str]) -> dict[str, tuple[Outcome, ...]]:
    """What was tried at each incident, the earliest first. An attempt is PART_OF its incident; in
    a store of an earlier version only RESOLVED_BY leads to it, whether it worked or not."""
    relations = _relations(graph, incidents, _TRIED)
    ends = {e for r in relations for e in (r.source_entity_id, r.target_entity_id)}
    return _attempts(_loaded(graph, ends).values())


def edges_between(
    graph: Graph, incidents: Sequence[str], *, kinds: Iterable[RelationType] = LINKS
) -> list[IncidentEdge]:
    """The edges of these kinds at the incidents, in both directions, each once, by
    (source, type, target)."""
    relations = _relations(graph, incidents, frozenset(map(str, kinds)))
    ends = {e for r in relations for e in (r.source_entity_id, r.target_entity_id)}
    names = {
        key: str(each.properties.get("outcome_id") or each.properties.get("incident_id") or key)
        for key, each in _loaded(graph, ends).items()
        if isinstance(each, Entity)
    }
    edges: list[IncidentEdge] = []
    for each in relations:
        why = each.properties.get("evidence")
        edges.append(
            IncidentEdge(
                source_id=names[each.source_entity_id],
                target_id=names[each.target_entity_id],
                type=each.type,
                confidence=each.confidence,
                created_at=each.created_at,
                evidence=tuple(map(str, why)) if isinstance(why, list) else (),
            )
        )
    return sorted(edges, key=lambda e: (e.source_id, e.type, e.target_id))


def _relations(graph: Graph, incidents: Sequence[str], types: frozenset[str]) -> list[Relation]:
    ids = [incident_entity_id(graph.namespace, each) for each in dict.fromkeys(incidents)]
    found: dict[str, Relation] = {}
    for at in range(0, len(ids), _PAGE):
        page = ids[at : at + _PAGE]
        rows = graph.neighbors(page, direction="both", types=types, limit_per_id=_EDGES)
        found |= {each.rel_id: each for relations in rows.values() for each in relations}
    return list(found.values())


def _loaded(graph: Graph, ids: Iterable[str]) -> dict[str, Record]:
    ordered = sorted(ids)
    found: dict[str, Record] = {}
    for at in range(0, len(ordered), _PAGE):
        found |= graph.get(ordered[at : at + _PAGE])
    return found

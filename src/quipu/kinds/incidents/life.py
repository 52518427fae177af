"""An incident's life: what is open, what was done when, how long it took.

Only the graph is read.
"""

from collections.abc import Sequence
from statistics import mean, median
from typing import Annotated

import msgspec

from quipu.kinds.incidents.case_base import Case, CaseBase, IncidentEdge, State, edges_between
from quipu.kinds.incidents.model import Incident, IncidentHead, Outcome
from quipu.kinds.incidents.records import incident_ref, outcome_ref
from quipu.ports import Graph
from quipu.records.schema import RelationType

__all__ = [
    "IncidentDetail",
    "IncidentList",
    "IncidentRow",
    "IncidentSummary",
    "IncidentTimeline",
    "ServiceRecord",
    "detail",
    "listed",
    "summary",
    "timeline",
]


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


class IncidentMoment(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened in the life of an incident."""

    at: Annotated[str | None, "when, or null"]
    what: Annotated[str, "`cause`, `escalated from`, `began`, `caused`, `tried` or `resolved`"]
    text: Annotated[str, "it, in words"]
    ref: Annotated[str, "what a citation of it opens"]


class IncidentTimeline(msgspec.Struct, frozen=True, kw_only=True):
    """What happened in the life of an incident, the earliest first."""

    incident_id: Annotated[str, "the incident"]
    moments: Annotated[tuple[IncidentMoment, ...], "each moment; those without a time last"]


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


def listed(
    case_base: CaseBase,
    *,
    component: str | None,
    state: State | None,
    since: str | None,
    until: str | None,
    limit: int,
) -> IncidentList:
    """The incidents of a case base; with `since` or `until` only those whose time is known."""
    rows = [
        IncidentRow(
            **case.incident.head,
            state=case.state,
            minutes=case.minutes,
            attempts=len(case.outcomes),
        )
        for case in reversed(case_base.cases)
        if component in (None, case.incident.component)
        and state in (None, case.state)
        and _within(case.incident.timestamp, since, until)
    ]
    return IncidentList(incidents=tuple(rows[:limit]), total=len(rows))


def _within(at: str | None, since: str | None, until: str | None) -> bool:
    if since is None and until is None:
        return True
    return at is not None and (since is None or at >= since) and (until is None or at <= until)


def detail(graph: Graph, case: Case) -> IncidentDetail:
    """Return everything that is known of an incident."""
    return IncidentDetail(
        incident=case.incident,
        state=case.state,
        minutes=case.minutes,
        outcomes=case.outcomes,
        edges=tuple(edges_between(graph, [case.name])),
    )


_WHAT = {
    (RelationType.CAUSED_BY, True): "cause",
    (RelationType.ESCALATED_FROM, True): "escalated from",
    (RelationType.ESCALATED_FROM, False): "escalated to",
    (RelationType.CAUSED_BY, False): "caused",
}
"""What the other end of an edge is to an incident, by whether the edge leaves it."""
_ORDER = ("cause", "escalated from", "began", "escalated to", "caused", "tried", "resolved")


def timeline(graph: Graph, case_base: CaseBase, case: Case) -> IncidentTimeline:
    """What happened before, at and after an incident, as far as edges and attempts tell."""
    own = case.incident
    incidents = {each.incident.incident_id: each.incident for each in case_base.cases}
    moments = [_moment("began", own)]
    for edge in edges_between(graph, [own.incident_id]):
        forth = edge.source_id == own.incident_id
        other = incidents.get(edge.target_id if forth else edge.source_id)
        what = _WHAT.get((RelationType(edge.type), forth))
        if other is not None and what is not None:
            moments.append(_moment(what, other))
    moments += [
        IncidentMoment(
            at=outcome.recorded_at,
            what="resolved" if outcome.success else "tried",
            text=" + ".join(outcome.actions_taken),
            ref=outcome_ref(outcome.outcome_id),
        )
        for outcome in case.outcomes
    ]
    moments.sort(key=lambda m: (m.at is None, m.at or "", _ORDER.index(m.what), m.ref))
    return IncidentTimeline(incident_id=own.incident_id, moments=tuple(moments))


def _moment(what: str, incident: Incident) -> IncidentMoment:
    title = f": {incident.title}" if incident.title else ""
    text = f"{incident.severity} on {incident.component}{title}"
    ref = incident_ref(incident.incident_id)
    return IncidentMoment(at=incident.timestamp, what=what, text=text, ref=ref)


def summary(case_base: CaseBase) -> IncidentSummary:
    """Counts and time to repair by service."""
    services: dict[str, list[Case]] = {}
    for case in case_base.cases:
        services.setdefault(case.incident.component, []).append(case)
    records = [_service(name, cases) for name, cases in services.items()]
    records.sort(key=lambda r: (-r.incidents, r.component))
    return IncidentSummary(
        incidents=len(case_base.cases),
        open=sum(record.open for record in records),
        services=tuple(records),
    )


def _service(name: str, cases: Sequence[Case]) -> ServiceRecord:
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

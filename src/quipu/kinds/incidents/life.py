"""What incidents there are: what is open, what is known of one, how long they took.

Only the graph is read.
"""

from collections.abc import Sequence
from statistics import mean, median
from typing import Annotated

import msgspec

from quipu.kinds.incidents.case_base import Case, CaseBase, IncidentEdge, State, edges_between
from quipu.kinds.incidents.model import Incident, IncidentHead, Outcome
from quipu.ports import Graph

__all__ = [
    "IncidentDetail",
    "IncidentList",
    "IncidentRow",
    "IncidentSummary",
    "ServiceRecord",
    "detail",
    "listed",
    "summary",
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

"""The policies over history: what would have been advised at each moment, from what was known then.

Two readings of "known". `told`: an incident is known from its own time, an outcome from when it
was recorded, so a history that was imported later replays as it happened. `stored`: what this
memory held when the incident was first written, by the store's own record of support. Neither
lets anything from later in: the case base of each moment is built without it.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from quipu.kinds.incidents.case_base import Case, CaseBase, IncidentEdge, edges_between, read_cases
from quipu.kinds.incidents.learn.advise import decide, executions
from quipu.kinds.incidents.learn.effectiveness import weighed
from quipu.kinds.incidents.learn.moments import DatedPast, Moment, RecordedPast
from quipu.kinds.incidents.model import HealingAction, action_name
from quipu.kinds.incidents.policies import ActionPolicy, actions_of, evaluate
from quipu.kinds.incidents.records import incident_entity_id
from quipu.ports import Graph
from quipu.records.schema import RelationType

__all__ = ["Known", "Replay", "Replayed", "replay"]

Known = Literal["told", "stored"]
_NOT_HEALING = frozenset({HealingAction.ALERT_TEAM, HealingAction.NO_ACTION})
_PAGE = 500
_SIMILAR = 3


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """One incident: what the static policy and the memory of that moment advised first, and
    what was done."""

    incident_id: Annotated[str, "the incident: a hash of its component and time window"]
    component: Annotated[str, "its component"]
    at: Annotated[str, "the moment of the advice"]
    static: Annotated[str | None, "what the action policies name first, or null"]
    advised: Annotated[str | None, "what the memory of that moment names first, or null"]
    differs: Annotated[bool, "whether the two differ"]
    known_incidents: Annotated[int, "how many other incidents were known then"]
    taken: Annotated[tuple[str, ...], "what was done first"]
    success: Annotated[bool | None, "whether that worked; null when nothing was recorded"]


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """Every incident by time, and what it comes to."""

    known: Annotated[Known, "`told` or `stored`: what counts as known at a moment"]
    incidents: Annotated[int, "how many were replayed"]
    differs: Annotated[int, "for how many the memory would have advised another first action"]
    followed: Annotated[int, "how many first attempts did what is advised"]
    worked_when_followed: Annotated[float | None, "the share of those that worked, or null"]
    worked_otherwise: Annotated[float | None, "the share of the others that worked, or null"]
    skipped: Annotated[int, "incidents without a known time"]
    rows: Annotated[tuple[Replayed, ...], "each incident, the earliest first"]


def replay(graph: Graph, policies: Sequence[ActionPolicy], *, known: Known = "told") -> Replay:
    """Advise on every incident as it stood then; the recorded outcomes are only compared."""
    case_base = read_cases(graph)
    moments = _moments(graph, case_base, known)
    told = DatedPast(case_base) if known == "told" else RecordedPast(graph)
    edges = _similar(graph, case_base)
    rows = [
        _replayed(told.at(case, moment), case, policies, moment, edges)
        for case in sorted(
            case_base.cases,
            key=lambda c: (moments.get(c.incident.incident_id, ""), c.incident.incident_id),
        )
        if (moment := moments.get(case.incident.incident_id)) is not None
    ]
    return _summed(rows, known, skipped=len(case_base.cases) - len(rows))


def _replayed(
    then: Moment,
    case: Case,
    policies: Sequence[ActionPolicy],
    moment: str,
    edges: dict[str, list[IncidentEdge]],
) -> Replayed:
    incident = then.incident
    similar = edges.get(incident.incident_id, ())
    held = sorted(
        (e for e in similar if then.holds(e.target_id)), key=lambda e: (-e.confidence, e.target_id)
    )
    context = {e.target_id: e.confidence for e in held[:_SIMILAR]}  # as if none had come late
    done = executions(then.recent(policies), policies, incident.component)
    matches = evaluate(policies, incident.component, incident.metrics, at=moment, executions=done)
    static = actions_of(matches)
    tried = weighed(then.attempts, incident, at=moment, context=context, known=then.known)
    order, _ = decide(matches, tried)
    attempt = case.outcomes[0] if case.outcomes else None
    first, second = _first(static), _first(static if order is None else order)
    return Replayed(
        incident_id=incident.incident_id,
        component=incident.component,
        at=moment,
        static=first,
        advised=second,
        differs=first != second,
        known_incidents=then.incidents,
        taken=attempt.actions_taken if attempt else (),
        success=attempt.success if attempt else None,
    )


def _first(actions: Sequence[str]) -> str | None:
    return next((a for a in actions if a not in _NOT_HEALING), actions[0] if actions else None)


def _similar(graph: Graph, case_base: CaseBase) -> dict[str, list[IncidentEdge]]:
    """SIMILAR_TO by the newer end: it leads to what was there before."""
    ids = [case.incident.incident_id for case in case_base.cases]
    found: dict[str, list[IncidentEdge]] = {}
    for at in range(0, len(ids), _PAGE):
        page = edges_between(graph, ids[at : at + _PAGE], kinds=(RelationType.SIMILAR_TO,))
        for edge in page:
            rows = found.setdefault(edge.source_id, [])
            if edge not in rows:
                rows.append(edge)
    return found


def _moments(graph: Graph, case_base: CaseBase, known: Known) -> dict[str, str]:
    """When each incident had to be advised on, by id; absent where nobody knows."""
    if known == "told":
        return {
            c.incident.incident_id: c.incident.timestamp
            for c in case_base.cases
            if c.incident.timestamp is not None
        }
    named = {
        incident_entity_id(graph.namespace, c.incident.incident_id): c.incident.incident_id
        for c in case_base.cases
    }
    support = graph.support(list(named))
    return {named[key]: rows[0].recorded_at for key, rows in support.items() if rows}


def _summed(rows: Sequence[Replayed], known: Known, *, skipped: int) -> Replay:
    tried = [row for row in rows if row.success is not None and row.advised is not None]
    followed = [row for row in tried if row.advised in tuple(map(action_name, row.taken))]
    otherwise = [row for row in tried if row.advised not in tuple(map(action_name, row.taken))]
    return Replay(
        known=known,
        incidents=len(rows),
        differs=sum(row.differs for row in rows),
        followed=len(followed),
        worked_when_followed=_share(followed),
        worked_otherwise=_share(otherwise),
        skipped=skipped,
        rows=tuple(rows),
    )


def _share(rows: Sequence[Replayed]) -> float | None:
    return round(sum(bool(row.success) for row in rows) / len(rows), 4) if rows else None

"""The policies over history: what would have been advised at each moment, from what was known then.

Two readings of "known". `told`: an incident is known from its own time, an outcome from when it
was recorded, so a history that was imported later replays as it happened. `stored`: what this
memory held when the incident was first written, by the store's own record of support. Neither
lets anything from later in: the case base of each moment is built without it.

The past is read once, not again for each moment: every attempt is held in columns, which say for a
moment which of them were known then.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.case_base import (
    Case,
    CaseBase,
    IncidentEdge,
    edges_between,
    entity_ids,
    read_cases,
    read_versions,
)
from quipu.kinds.incidents.learn.advise import decide, executions
from quipu.kinds.incidents.learn.attempts import Attempts, credited
from quipu.kinds.incidents.learn.effectiveness import weighed
from quipu.kinds.incidents.model import HealingAction, Incident, Outcome, action_name
from quipu.kinds.incidents.policies import ActionPolicy, actions_of, evaluate
from quipu.kinds.incidents.records import (
    INCIDENT,
    OUTCOME,
    incident_entity_id,
    incident_in,
    outcome_in,
)
from quipu.ports import Graph
from quipu.records.record import Entity
from quipu.records.schema import RelationType
from quipu.when.instants import UNKNOWN_TIME, to_epoch

__all__ = ["Replay", "replay"]

Floats = NDArray[np.float64]
_HOUR_S = 3600.0
_BEFORE_S = 0.0005  # instants have milliseconds: what was told in the same one was not known yet
Known = Literal["told", "stored"]
_NOT_HEALING = frozenset({HealingAction.ALERT_TEAM, HealingAction.NO_ACTION})
_PAGE = 500
_SIMILAR = 3


class Moment(NamedTuple):
    """One incident as it was known when it was to be advised on, and what else was known:
    `known` says which of the `attempts`, `standing` which of its incidents, and `incidents`
    counts those."""

    incident: Incident
    attempts: Attempts
    known: NDArray[np.bool_]
    standing: NDArray[np.bool_]
    incidents: int
    places: dict[str, list[int]]
    tried: dict[str, "_Tried"]
    bound: float
    at: float

    def holds(self, incident_id: str) -> bool:
        """Whether an incident was known."""
        return any(bool(self.standing[at]) for at in self.places.get(incident_id, ()))

    def recent(self, policies: Sequence[ActionPolicy]) -> CaseBase:
        """The attempts on the component that may still keep a policy at rest."""
        longest = max((policy.cool_down_seconds for policy in policies), default=0.0)
        tried = self.tried.get(self.incident.component)
        rows = tried.between(self.at - max(longest, _HOUR_S), self.at) if tried else []
        return CaseBase(
            cases=tuple(
                Case(incident=self.attempts.incidents[row.case], outcomes=(row.outcome,))
                for row in rows
                if self.standing[row.case] and row.first <= self.bound < row.last
            )
        )


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
    past = DatedPast(case_base) if known == "told" else RecordedPast(graph)
    edges = _similar(graph, case_base)
    rows = [
        _replayed(past.at(case, moment), case, policies, moment, edges)
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
    known = sorted(
        (e for e in similar if then.holds(e.target_id)), key=lambda e: (-e.confidence, e.target_id)
    )
    context = {e.target_id: e.confidence for e in known[:_SIMILAR]}  # as if none had come late
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


class _Spanned(NamedTuple):
    """An attempt at the incident of number `case`, known from `first` until `last`."""

    case: int
    outcome: Outcome
    first: float
    last: float


class _Tried(NamedTuple):
    """The attempts on one component by when they were recorded."""

    times: list[float]
    rows: list[_Spanned]

    def between(self, first: float, last: float) -> list[_Spanned]:
        return self.rows[bisect_left(self.times, first) : bisect_right(self.times, last)]


class _Columns:
    """Attempts, where each incident stands in them, and each component's by time."""

    def __init__(self, case_base: CaseBase, spans: Sequence[_Spanned]) -> None:
        self.attempts = Attempts(case_base)
        self.places: dict[str, list[int]] = {}
        for at, incident in enumerate(self.attempts.incidents):
            self.places.setdefault(incident.incident_id, []).append(at)
        self.tried: dict[str, _Tried] = {}
        timed = [
            (to_epoch(row.outcome.recorded_at), row)
            for row in spans
            if row.outcome.recorded_at is not None
        ]
        for time, row in sorted(timed, key=lambda pair: (pair[0], pair[1].outcome.outcome_id)):
            component = self.attempts.incidents[row.case].component
            tried = self.tried.setdefault(component, _Tried([], []))
            tried.times.append(time)
            tried.rows.append(row)

    def moment(
        self,
        incident: Incident,
        at: float,
        bound: float,
        standing: NDArray[np.bool_],
        known: NDArray[np.bool_],
    ) -> Moment:
        """What is known, the incident itself left out."""
        own = self.places.get(incident.incident_id, [])
        standing[own] = False
        known = known & standing[self.attempts.case]
        return Moment(
            incident,
            self.attempts,
            known,
            standing,
            int(np.count_nonzero(standing)),
            self.places,
            self.tried,
            bound,
            at,
        )


class DatedPast:
    """An incident is known from its own time on, an outcome from when it was recorded."""

    def __init__(self, case_base: CaseBase) -> None:
        spans = [
            _Spanned(at, outcome, to_epoch(outcome.recorded_at), math.inf)
            for at, case in enumerate(case_base.cases)
            for outcome in case.outcomes
            if outcome.recorded_at is not None
        ]
        self._columns = _Columns(case_base, spans)

    def at(self, case: Case, moment: str) -> Moment:
        """What was known when `case` happened."""
        attempts, at = self._columns.attempts, to_epoch(moment)
        standing = attempts.began < at  # unknown compares false
        return self._columns.moment(case.incident, at, at, standing, attempts.recorded <= at)


class RecordedPast:
    """What this memory held, by the store's own record of support.

    A record that changed is there in each of its versions; each is known for its own time.
    """

    def __init__(self, graph: Graph) -> None:
        incidents = _spans(graph, INCIDENT)
        outcomes: dict[str, list[tuple[float, float, Outcome]]] = {}
        for first, last, version in _spans(graph, OUTCOME):
            if (outcome := outcome_in(version)) is not None:
                outcomes.setdefault(outcome.incident_id, []).append((first, last, outcome))
        cases: list[Case] = []
        began: list[float] = []
        ended: list[float] = []
        times: list[tuple[float, float]] = []
        spans: list[_Spanned] = []
        for first, last, version in incidents:
            if (incident := incident_in(version)) is None:
                continue
            own = sorted(
                outcomes.get(incident.incident_id, ()),
                key=lambda row: (row[2].recorded_at or UNKNOWN_TIME, row[2].outcome_id, row[0]),
            )
            cases.append(Case(incident=incident, outcomes=tuple(o for *_, o in own)))
            began.append(first)
            ended.append(last)
            times += [(a, b) for a, b, outcome in own for _ in credited(outcome)]
            spans += [_Spanned(len(cases) - 1, outcome, a, b) for a, b, outcome in own]
        self._columns = _Columns(CaseBase(cases=tuple(cases)), spans)
        self._began, self._ended = np.array(began), np.array(ended)
        self._rows = np.array(times, dtype=np.float64).reshape(-1, 2)

    def at(self, case: Case, moment: str) -> Moment:
        """What was held when `case` was first told."""
        at = to_epoch(moment)
        incident = self._then(case.incident, at)
        before = at - _BEFORE_S
        standing = (self._began <= before) & (before < self._ended)
        known = (self._rows[:, 0] <= before) & (before < self._rows[:, 1])
        return self._columns.moment(incident, at, before, standing, known)

    def _then(self, incident: Incident, at: float) -> Incident:
        """The incident as its first report told it."""
        for place in self._columns.places.get(incident.incident_id, ()):
            if self._began[place] <= at < self._ended[place]:
                return self._columns.attempts.incidents[place]
        return incident


def _spans(graph: Graph, source_type: str) -> list[tuple[float, float, Entity]]:
    """(from, until, record) of every version of the records that such sources are about."""
    found: list[tuple[float, float, Entity]] = []
    for versions in read_versions(graph, entity_ids(graph, source_type)).values():
        ends = [to_epoch(moment) for moment, _ in versions[1:]]
        for (moment, record), until in zip(versions, [*ends, math.inf], strict=True):
            if record is not None:
                found.append((to_epoch(moment), until, record))
    return found

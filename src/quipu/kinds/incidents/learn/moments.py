"""What was known of the past at each moment of it, without reading the past again for each.

`DatedPast` goes by the records' own times, `RecordedPast` by when this memory was told. Both hold
every attempt once, in columns, and say for a moment which of them were known then.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.case_base import Case, CaseBase, entity_ids, read_versions
from quipu.kinds.incidents.learn.attempts import Attempts, credited
from quipu.kinds.incidents.model import Incident, Outcome
from quipu.kinds.incidents.policies import ActionPolicy
from quipu.kinds.incidents.records import (
    INCIDENT,
    OUTCOME,
    incident_in,
    outcome_in,
)
from quipu.ports import Graph
from quipu.records.record import Entity
from quipu.when.instants import UNKNOWN_TIME, to_epoch

__all__ = ["DatedPast", "Moment", "RecordedPast"]

Floats = NDArray[np.float64]
_HOUR_S = 3600.0
_BEFORE_S = 0.0005  # instants have milliseconds: what was told in the same one was not known yet


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
        held = self.tried.get(self.incident.component)
        rows = held.between(self.at - max(longest, _HOUR_S), self.at) if held else []
        return CaseBase(
            cases=tuple(
                Case(incident=self.attempts.incidents[row.case], outcomes=(row.outcome,))
                for row in rows
                if self.standing[row.case] and row.first <= self.bound < row.last
            )
        )


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
            held = self.tried.setdefault(component, _Tried([], []))
            held.times.append(time)
            held.rows.append(row)

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
        held, at = self._columns.attempts, to_epoch(moment)
        standing = held.began < at  # unknown compares false
        return self._columns.moment(case.incident, at, at, standing, held.recorded <= at)


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

"""Every attempt of a case base in columns, so that thousands are weighed at once.

A row is an attempt with one of the actions that its result is put down to. How a row is weighed
stands in `effectiveness.py`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.case_base import CaseBase
from quipu.kinds.incidents.likeness import MeasuredIncidents
from quipu.kinds.incidents.model import HealingAction, Incident, Outcome, action_name
from quipu.when.instants import to_epoch

__all__ = ["Attempts", "credited"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class _AttemptRow(NamedTuple):
    case: int
    outcome: Outcome
    action: str


class Attempts:
    """The attempts of `case_base`, in its order. `case` and `action` (one of `names`) are numbers,
    `recorded` and `began` (of the incident) seconds from 1970, NaN where nobody knows; `tie` orders
    equal attempts, `places` equal incidents."""

    def __init__(self, case_base: CaseBase) -> None:
        self.incidents: tuple[Incident, ...] = tuple(case.incident for case in case_base.cases)
        rows = [
            _AttemptRow(at, outcome, action)
            for at, case in enumerate(case_base.cases)
            for outcome in case.outcomes
            for action in credited(outcome)
        ]
        self.outcomes: tuple[Outcome, ...] = tuple(row.outcome for row in rows)
        self.case = np.array([row.case for row in rows], dtype=np.int64)
        self.names = tuple(sorted({row.action for row in rows}))
        number = {name: at for at, name in enumerate(self.names)}
        self.action = np.array([number[row.action] for row in rows], dtype=np.int64)
        self.success = np.array([row.outcome.success for row in rows], dtype=np.bool_)
        self.recorded = _epochs([row.outcome.recorded_at for row in rows])
        self.began = _epochs([each.timestamp for each in self.incidents])
        self.tie = _ranks([row.outcome.outcome_id for row in rows])
        self.places = _ranks([each.incident_id for each in self.incidents])
        self._place = {each.incident_id: at for at, each in enumerate(self.incidents)}
        self._measured = MeasuredIncidents(self.incidents)

    def own(self, component: str) -> Flags:
        """Which rows were on this component."""
        return self._measured.on(component)[self.case]

    def kinds(self, incident: Incident) -> Floats:
        """How far each incident of the case base is of one kind with `incident`."""
        return self._measured.agreement(incident).kind

    def of(self, action: str) -> Flags:
        """Which rows are attempts with this action."""
        number = self.names.index(action) if action in self.names else -1
        return self.action == number

    def scores(self, context: Mapping[str, float]) -> Floats:
        """What retrieval said of each incident of the case base; 0 where it did not find it."""
        found = np.zeros(len(self.incidents))
        for name, score in context.items():
            at = self._place.get(name)
            if at is not None:
                found[at] = score
        return found


def credited(outcome: Outcome) -> tuple[str, ...]:
    """The actions an attempt's result is put down to, by name: whatever was done, calling the team
    only when nothing else was."""
    names = tuple(dict.fromkeys(map(action_name, outcome.actions_taken)))
    return tuple(name for name in names if name != HealingAction.ALERT_TEAM) or names


def _epochs(instants: Sequence[str | None]) -> Floats:
    return np.array([np.nan if i is None else to_epoch(i) for i in instants], dtype=np.float64)


def _ranks(names: Sequence[str]) -> NDArray[np.int64]:
    order = {name: at for at, name in enumerate(sorted(set(names)))}
    return np.array([order[name] for name in names], dtype=np.int64)

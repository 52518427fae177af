"""Every attempt of a case base in columns, so that thousands are weighed at once.

A row is an attempt with one of the actions that its result is put down to. How a row is weighed
stands in `effectiveness.py`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.case_base import CaseBase
from quipu.kinds.incidents.likeness import MeasuredIncidents
from quipu.kinds.incidents.model import HealingAction, Incident, Outcome, action_name
from quipu.when.instants import to_epoch

__all__ = ["Attempts", "credited"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Attempts:
    """The attempts of `case_base`, in its order. `case` is a number, `recorded` and `began` (of
    the incident) are seconds from 1970, NaN where nobody knows; `tie` orders equal attempts,
    `places` equal incidents."""

    def __init__(self, case_base: CaseBase) -> None:
        self.incidents: tuple[Incident, ...] = tuple(case.incident for case in case_base.cases)
        rows = [
            (at, outcome, action)
            for at, case in enumerate(case_base.cases)
            for outcome in case.outcomes
            for action in credited(outcome)
        ]
        self.outcomes: tuple[Outcome, ...] = tuple(outcome for _, outcome, _ in rows)
        self.case = np.array([at for at, _, _ in rows], dtype=np.int64)
        self.names = tuple(sorted({action for _, _, action in rows}))
        self._actions = np.array([action for _, _, action in rows], dtype=object)
        self.success = np.array([each.success for each in self.outcomes], dtype=np.bool_)
        self.recorded = _epochs([each.recorded_at for each in self.outcomes])
        self.began = _epochs([each.timestamp for each in self.incidents])
        self.tie = _ranks([each.outcome_id for each in self.outcomes])
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
        return np.asarray(self._actions == action, dtype=np.bool_)

    def scores(self, context: Mapping[str, float]) -> Floats:
        """What retrieval said of each incident of the case base; 0 where it did not find it."""
        found = np.zeros(len(self.incidents))
        for name in context.keys() & self._place.keys():
            found[self._place[name]] = context[name]
        return found


def credited(outcome: Outcome) -> tuple[str, ...]:
    """The actions an attempt's result is put down to, by name: whatever was done, calling the team
    only when nothing else was."""
    names = tuple(dict.fromkeys(map(action_name, outcome.actions_taken)))
    return tuple(name for name in names if name != HealingAction.ALERT_TEAM) or names


def _epochs(instants: Sequence[str | None]) -> Floats:
    return np.array([np.nan if i is None else to_epoch(i) for i in instants], dtype=np.float64)


def _ranks(names: Sequence[str]) -> NDArray[np.int64]:
    return np.unique(names, return_inverse=True)[1].astype(np.int64).reshape(len(names))

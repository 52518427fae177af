"""How alike incidents are by what was measured: pure numbers, no embedding.

Same component .35, the same metrics out of bounds (Jaccard) .30, near values .20, near severity
.15. Values are near as their logarithms are, on the scale of the lowest threshold.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.analysis import LEVELS
from quipu.kinds.incidents.model import Incident

__all__ = ["Agreement", "MeasuredIncidents", "agreement"]

Floats = NDArray[np.float64]
_COMPONENT, _METRICS, _VALUES, _SEVERITY = 0.35, 0.30, 0.20, 0.15
_UNMEASURED = 0.5
"""What counts where neither incident was measured."""
_SCALES = np.array([levels[0] for levels in LEVELS.values()])
_SEVERITY_STEPS = 2


class Agreement(NamedTuple):
    """How far incidents agree, each in [0, 1]: by their `kind` wherever they were seen, and in
    `total`, where the same component counts too."""

    kind: Floats
    total: Floats


class MeasuredIncidents:
    """Incidents in columns, so that thousands are compared with one at once."""

    def __init__(self, incidents: Sequence[Incident]) -> None:
        self._components = np.array([each.component for each in incidents], dtype=object)
        self._severity = np.array([each.severity.rank for each in incidents], dtype=np.int64)
        self._values = np.stack([_values(i) for i in incidents] or [_SCALES])[: len(incidents)]

    def on(self, component: str) -> NDArray[np.bool_]:
        """Which of them were seen on this component."""
        return np.asarray(self._components == component, dtype=np.bool_)

    def agreement(self, incident: Incident) -> Agreement:
        """How far each of them agrees with `incident`."""
        one = _values(incident)
        here, there = one >= _SCALES, self._values >= _SCALES  # unmeasured compares false
        metrics = _share((here & there).sum(axis=1), (here | there).sum(axis=1))
        gaps = np.abs(np.log1p(self._values / _SCALES) - np.log1p(one / _SCALES))
        near = np.nan_to_num(np.maximum(0.0, 1 - gaps))
        values = _share(near.sum(axis=1), (~np.isnan(gaps)).sum(axis=1))
        severity = 1 - np.abs(self._severity - incident.severity.rank) / _SEVERITY_STEPS
        kind = _METRICS * metrics + _VALUES * values + _SEVERITY * severity
        total = kind + _COMPONENT * self.on(incident.component)
        return Agreement(kind / (1 - _COMPONENT), total)


def agreement(one: Incident, other: Incident) -> tuple[float, float]:
    """(kind, total) of two incidents."""
    kind, total = MeasuredIncidents([other]).agreement(one)
    return float(kind[0]), float(total[0])


def _values(incident: Incident) -> Floats:
    return np.array([getattr(incident.metrics, name) for name in LEVELS], dtype=np.float64)


def _share(part: Floats, whole: Floats) -> Floats:
    return np.where(whole > 0, part / np.maximum(whole, 1), _UNMEASURED)

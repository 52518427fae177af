"""How alike two incidents are by what was measured: pure numbers, no embedding.

Same component .35, the same metrics out of bounds (Jaccard) .30, near values .20, near severity
.15.
"""

import math
from typing import NamedTuple

from quipu.domain.analysis import LEVELS, levels
from quipu.domain.incidents import Incident, Metrics

__all__ = ["Features", "features"]


class Features(NamedTuple):
    """How far two incidents agree, each in [0, 1]; `total` is their weighted sum."""

    component: float
    metrics: float
    values: float
    severity: float

    @property
    def total(self) -> float:
        """In [0, 1]."""
        return (
            0.35 * self.component + 0.30 * self.metrics + 0.20 * self.values + 0.15 * self.severity
        )

    @property
    def kind(self) -> float:
        """How far they are of one kind, wherever they were seen: the total without the
        component, in [0, 1]."""
        return (self.total - 0.35 * self.component) / 0.65


def features(one: Incident, other: Incident) -> Features:
    """How far the two agree; what neither measured counts as half."""
    first = {name for name, at in levels(one.metrics).items() if at}
    second = {name for name, at in levels(other.metrics).items() if at}
    both = first | second
    return Features(
        component=float(one.component == other.component),
        metrics=len(first & second) / len(both) if both else 0.5,
        values=_nearness(one.metrics, other.metrics),
        severity=1 - abs(one.severity.rank - other.severity.rank) / 2,
    )


def _nearness(one: Metrics, other: Metrics) -> float:
    """1 where values are equal, 0 where one is e times the other's distance on the scale."""
    first, second = one.known(), other.known()
    shared = [name for name in first if name in second and name in LEVELS]
    if not shared:
        return 0.5
    gaps = [
        abs(math.log1p(first[name] / LEVELS[name][0]) - math.log1p(second[name] / LEVELS[name][0]))
        for name in shared
    ]
    return sum(max(0.0, 1 - gap) for gap in gaps) / len(gaps)

"""How alike two incidents are by what was measured: pure numbers, no embedding.

Same component .35, the same metrics out of bounds (Jaccard) .30, near values .20, near severity
.15.
"""

import math
from functools import lru_cache
from typing import NamedTuple

from quipu.kinds.incidents.analysis import LEVELS, levels
from quipu.kinds.incidents.model import METRICS, Incident, Metrics

__all__ = [
    "METRICS_COMPARED",
    "SEVERITY_STEPS",
    "WEIGHTS",
    "ComparedMetrics",
    "Features",
    "features",
    "measured",
]

METRICS_COMPARED = tuple(name for name in METRICS if name in LEVELS)
"""The metrics whose values are compared."""


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
            WEIGHTS.component * self.component
            + WEIGHTS.metrics * self.metrics
            + WEIGHTS.values * self.values
            + WEIGHTS.severity * self.severity
        )

    @property
    def kind(self) -> float:
        """How far they are of one kind, wherever they were seen: the total without the
        component, in [0, 1]."""
        return (self.total - WEIGHTS.component * self.component) / (1 - WEIGHTS.component)


WEIGHTS = Features(component=0.35, metrics=0.30, values=0.20, severity=0.15)
"""What each counts for in `total`."""

SEVERITY_STEPS = 2
"""How many steps lie between the mildest and the gravest."""


class ComparedMetrics(NamedTuple):
    """What of an incident's numbers is compared: which are out of bounds, and their logarithms."""

    out: frozenset[str]
    logs: dict[str, float]


@lru_cache(maxsize=20_000)
def measured(metrics: Metrics) -> ComparedMetrics:
    """What of these numbers is compared."""
    return ComparedMetrics(
        out=frozenset(name for name, at in levels(metrics).items() if at),
        logs={
            name: math.log1p(value / LEVELS[name][0])
            for name, value in metrics.known().items()
            if name in LEVELS
        },
    )


def features(one: Incident, other: Incident) -> Features:
    """How far the two agree; what neither measured counts as half."""
    first, second = measured(one.metrics), measured(other.metrics)
    both = first.out | second.out
    return Features(
        component=float(one.component == other.component),
        metrics=len(first.out & second.out) / len(both) if both else 0.5,
        values=_nearness(first.logs, second.logs),
        severity=1 - abs(one.severity.rank - other.severity.rank) / SEVERITY_STEPS,
    )


def _nearness(first: dict[str, float], second: dict[str, float]) -> float:
    """1 where values are equal, 0 where their logarithms on the scale are 1 apart; the mean."""
    gaps = [abs(value - second[name]) for name, value in first.items() if name in second]
    return sum(max(0.0, 1 - gap) for gap in gaps) / len(gaps) if gaps else 0.5

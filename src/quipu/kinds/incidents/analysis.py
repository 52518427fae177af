"""What the numbers of an incident say: how grave it is, and what is out of bounds.

| metric | low | high | critical |
|---|---|---|---|
| latency_p99 | 150 ms | 300 ms | 500 ms |
| error_rate | .05 | .15 | .3 |
| cpu_util, memory_util | | .8 | .9 |

A metric at or above a threshold has that level (1, 2 or 3).
"""

import math
from collections.abc import Iterable

from quipu.kinds.incidents.model import BlastRadius, Metrics, Severity
from quipu.records.record import Properties, Value

__all__ = [
    "LEVELS",
    "agent_analysis",
    "blast_radius",
    "severity_by_rule",
]

LEVELS: dict[str, tuple[float, float, float]] = {
    "latency_p99": (150.0, 300.0, 500.0),
    "error_rate": (0.05, 0.15, 0.3),
    "cpu_util": (0.8, 0.8, 0.9),
    "memory_util": (0.8, 0.8, 0.9),
}
"""From which value a metric has level 1, 2, 3. Throughput has none: what is low differs."""

_DOUBT = (1.0, 0.5, 0.25, 0.05)
"""How likely a metric of each level is no anomaly; independent metrics multiply."""
_GRADES = (Severity.INFO, Severity.INFO, Severity.WARN, Severity.CRITICAL)
_SURE_OF_A_STATED_CAUSE = 0.95


def _level(metric: str, value: float) -> int:
    """0 (calm) to 3 (critical)."""
    return sum(value >= threshold for threshold in LEVELS[metric])


def _levels(metrics: Metrics) -> dict[str, int]:
    """The level of every known metric that has thresholds."""
    return {name: _level(name, v) for name, v in metrics.known().items() if name in LEVELS}


def severity_by_rule(metrics: Metrics) -> Severity:
    """Return the grade of the worst metric; INFO when nothing was measured."""
    return _GRADES[max(_levels(metrics).values(), default=0)]


def blast_radius(
    component: str, affected: Iterable[str], *, given: BlastRadius | None = None
) -> BlastRadius:
    """As given, else multi-service when another service than `component` was affected."""
    if given is not None:
        return given
    return BlastRadius.MULTI if set(affected) - {component} else BlastRadius.SINGLE


def agent_analysis(
    metrics: Metrics,
    severity: Severity,
    *,
    stated_cause: str = "",
    actions: Iterable[str] = (),
) -> Properties:
    """Return `incident_summary`, `root_cause_insights` (what its source states) and
    `recommended_actions`, those of the action policies that apply.

    `anomaly_confidence` = 1 − Π doubt(level): doubt is .5, .25, .05 for levels 1, 2, 3.
    """
    found = _levels(metrics)
    affected = sorted((name for name in found if found[name]), key=lambda n: (-found[n], n))
    stated: Properties = {
        "cause": stated_cause,
        "confidence": _SURE_OF_A_STATED_CAUSE,
        "evidence": "stated by the source",
    }
    recommended: list[Value] = [*actions]
    return {
        "incident_summary": {
            "severity": str(severity),
            "anomaly_confidence": round(1 - math.prod(_DOUBT[at] for at in found.values()), 3),
            "primary_metrics_affected": [*affected],
        },
        "root_cause_insights": [stated] if stated_cause else [],
        "recommended_actions": recommended,
    }

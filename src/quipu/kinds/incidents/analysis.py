"""What the numbers of an incident say: severity, what is out of bounds, where they head.

| metric | low | high | critical |
|---|---|---|---|
| latency_p99 | 150 ms | 300 ms | 500 ms |
| error_rate | .05 | .15 | .3 |
| cpu_util, memory_util | | .8 | .9 |

A metric at or above a threshold has that level (1, 2 or 3).

A forecast follows the line of Theil and Sen (the median of the slopes between all pairs, through
the medians) over what was measured of a component within 24 hours, at least three times; a single
outlier does not turn it. It is as sure as min(1, n / 10). A metric is stable where the line rises
or falls by less than 5 % of its critical threshold.
"""

import math
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from quipu.kinds.incidents.model import BlastRadius, Metrics, Severity
from quipu.records.record import Properties, Value
from quipu.when.instants import to_epoch

__all__ = [
    "LEVELS",
    "Sample",
    "agent_analysis",
    "blast_radius",
    "predictive_insights",
    "severity_by_rule",
]

LEVELS: dict[str, tuple[float, float, float]] = {
    "latency_p99": (150.0, 300.0, 500.0),
    "error_rate": (0.05, 0.15, 0.3),
    "cpu_util": (0.8, 0.8, 0.9),
    "memory_util": (0.8, 0.8, 0.9),
}
"""From which value a metric has level 1, 2, 3. Throughput has none: what is low differs."""

_HORIZON_MINUTES = 15
_SPAN_MINUTES = 24 * 60
_LEAST_SAMPLES, _MOST_SAMPLES, _SURE_SAMPLES = 3, 50, 10
_STABLE_SHARE = 0.05
_RISKS = ("low", "medium", "high", "critical")
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


class Sample(NamedTuple):
    """What was measured of a component at an instant."""

    at: str
    metrics: Metrics


def predictive_insights(samples: Sequence[Sample]) -> Properties:
    """Return `forecasts`, `warnings`, `recommendations` and `critical_risk_count` from `samples` in
    any order; the latest is the present."""
    series = {metric: _points(samples, metric) for metric in LEVELS}
    forecasts = [_forecast(m, points) for m, points in series.items() if points]
    warned = [f for f in forecasts if f["risk_level"] in _RISKS[2:]]
    warnings: list[Value] = [
        f"{f['metric']} is heading for {f['predicted_value']} in {_HORIZON_MINUTES} minutes "
        f"({f['risk_level']})"
        for f in warned
        if f["trend"] == "increasing"
    ]
    recommendations: list[Value] = [
        f"watch {f['metric']}: it is {f['trend']} and {f['risk_level']} is expected" for f in warned
    ]
    values: list[Value] = [*forecasts]
    return {
        "forecasts": values,
        "warnings": warnings,
        "recommendations": recommendations,
        "critical_risk_count": sum(f["risk_level"] == _RISKS[-1] for f in forecasts),
    }


def _points(samples: Sequence[Sample], metric: str) -> list[tuple[float, float]]:
    """(minutes before the present, negative or zero; value), the earliest first; none where they
    are too few for a line."""
    values = ((to_epoch(s.at) / 60, getattr(s.metrics, metric)) for s in samples)
    measured = sorted((at, value) for at, value in values if value is not None)
    present = measured[-1][0] if measured else 0.0
    recent = [(at - present, v) for at, v in measured if present - at <= _SPAN_MINUTES]
    return recent[-_MOST_SAMPLES:] if len(recent) >= _LEAST_SAMPLES else []


def _forecast(metric: str, points: list[tuple[float, float]]) -> Properties:
    slopes = [
        (value - before) / (at - earlier)
        for n, (earlier, before) in enumerate(points)
        for at, value in points[n + 1 :]
        if at > earlier
    ]
    slope = median(slopes) if slopes else 0.0
    offset = median(value - slope * at for at, value in points)
    most = math.inf if metric == "latency_p99" else 1.0
    predicted = min(max(0.0, offset + slope * _HORIZON_MINUTES), most)
    span = max(points[-1][0] - points[0][0], _HORIZON_MINUTES)
    stable = abs(slope) * span < _STABLE_SHARE * LEVELS[metric][-1]
    return {
        "metric": metric,
        "predicted_value": round(predicted, 4),
        "horizon_minutes": _HORIZON_MINUTES,
        "trend": "stable" if stable else "increasing" if slope > 0 else "decreasing",
        "risk_level": _RISKS[_level(metric, predicted)],
        "confidence": round(min(1.0, len(points) / _SURE_SAMPLES), 3),
        "samples": len(points),
    }

"""What the numbers of an incident say: severity, causes, how far it reached, where they head.

| metric | low | high | critical |
|---|---|---|---|
| latency_p99 | 150 ms | 300 ms | 500 ms |
| error_rate | .05 | .15 | .3 |
| cpu_util, memory_util | | .8 | .9 |

A metric at or above a threshold has that level (1, 2 or 3).

Where a component's metrics are heading is a robust straight line through what was measured within
the last 24 hours, at least three times. The slope is Theil and Sen's (the median of the slopes
between all pairs), which a single outlier does not turn; the line goes through the medians. A
forecast is as sure as min(1, n / 10). A metric is stable where the line, over the whole series or
the horizon, rises or falls by less than 5 % of the metric's critical threshold.
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
    "levels",
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
_SPAN_S = 24 * 3600.0
_LEAST_SAMPLES, _MOST_SAMPLES, _SURE_SAMPLES = 3, 50, 10
_STABLE = 0.05
_RISKS = ("low", "medium", "high", "critical")
_DOUBT = (1.0, 0.5, 0.25, 0.05)
"""How likely a metric of each level is no anomaly; independent metrics multiply."""
_GRADES = (Severity.INFO, Severity.INFO, Severity.WARN, Severity.CRITICAL)


def level(metric: str, value: float) -> int:
    """0 (calm) to 3 (critical)."""
    return sum(value >= threshold for threshold in LEVELS.get(metric, ()))


def levels(metrics: Metrics) -> dict[str, int]:
    """The level of every known metric that has thresholds."""
    return {name: level(name, v) for name, v in metrics.known().items() if name in LEVELS}


def severity_by_rule(metrics: Metrics) -> Severity:
    """The grade of the worst metric; INFO when nothing was measured."""
    return _GRADES[max(levels(metrics).values(), default=0)]


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
    upstream: Iterable[str] = (),
    stated_cause: str = "",
    actions: Iterable[str] = (),
) -> Properties:
    """`incident_summary`, `root_cause_insights` (the likeliest first) and `recommended_actions`.

    `anomaly_confidence` = 1 − Π doubt(level): doubt is .5, .25, .05 for levels 1, 2, 3.
    `actions` are those of the action policies that apply.
    """
    found = levels(metrics)
    affected = sorted((n for n, at in found.items() if at), key=lambda n: (-found[n], n))
    primary: list[Value] = [*affected]
    recommended: list[Value] = [*actions]
    causes: list[Value] = [*_causes(metrics, found, sorted(upstream), stated_cause)]
    return {
        "incident_summary": {
            "severity": str(severity),
            "anomaly_confidence": round(1 - math.prod(_DOUBT[at] for at in found.values()), 3),
            "primary_metrics_affected": primary,
        },
        "root_cause_insights": causes,
        "recommended_actions": recommended,
    }


def _causes(
    metrics: Metrics, found: dict[str, int], upstream: list[str], stated: str
) -> list[Properties]:
    """Each cause with how sure it is and what it is read from, the surest first."""
    slow, failing = found.get("latency_p99", 0) > 1, found.get("error_rate", 0) > 1
    busy = [name for name in ("cpu_util", "memory_util") if found.get(name, 0) > 1]
    measured = {name: f"{name} {value:g}" for name, value in metrics.known().items()}
    bad = ", ".join(measured[name] for name in found if found[name] > 1)
    needs = f"{bad}; needs {', '.join(upstream)}"
    rules = (
        (bool(stated), 0.95, stated, "stated by the source"),
        (len(busy) > 1, 0.85, "resource exhaustion", ", ".join(measured[n] for n in busy)),
        (len(busy) == 1 and slow, 0.7, "resource saturation", bad),
        (slow and bool(upstream), 0.6, f"{'failing' if failing else 'slow'} dependency", needs),
        (
            failing and not slow,
            0.6,
            "errors without slowness: a release, a configuration, credentials or a certificate",
            bad,
        ),
        (slow and not (failing or busy or upstream), 0.4, "slow code path or lock", bad),
    )
    return [{"cause": c, "confidence": p, "evidence": e} for holds, p, c, e in rules if holds]


class Sample(NamedTuple):
    """What was measured of a component at an instant."""

    at: str
    metrics: Metrics


def predictive_insights(samples: Sequence[Sample]) -> Properties:
    """`forecasts`, `warnings`, `recommendations` and `critical_risk_count` from `samples` in any
    order; the latest is the present."""
    series = {metric: _points(samples, metric) for metric in LEVELS}
    forecasts = [_forecast(m, points) for m, points in series.items() if points]
    warned = [f for f in forecasts if f["risk_level"] in ("high", "critical")]
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
        "critical_risk_count": sum(f["risk_level"] == "critical" for f in forecasts),
    }


def _points(samples: Sequence[Sample], metric: str) -> list[tuple[float, float]]:
    """(minutes before the present, negative or zero; value), the earliest first; none where they
    are too few for a line."""
    values = [(to_epoch(each.at), getattr(each.metrics, metric)) for each in samples]
    measured = sorted((at, value) for at, value in values if value is not None)
    present = measured[-1][0] if measured else 0.0
    recent = [((at - present) / 60, v) for at, v in measured if present - at <= _SPAN_S]
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
    stable = abs(slope) * span < _STABLE * LEVELS[metric][-1]
    return {
        "metric": metric,
        "predicted_value": round(predicted, 4),
        "horizon_minutes": _HORIZON_MINUTES,
        "trend": "stable" if stable else "increasing" if slope > 0 else "decreasing",
        "risk_level": _RISKS[level(metric, predicted)],
        "confidence": round(min(1.0, len(points) / _SURE_SAMPLES), 3),
        "samples": len(points),
    }

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

_HORIZON_MINUTES = 15
_SPAN_S = 24 * 3600.0
_LEAST_SAMPLES = 3
_MOST_SAMPLES = 50
_SURE_SAMPLES = 10
_STABLE = 0.05
_RISKS = ("low", "medium", "high", "critical")
_CAPPED = frozenset({"error_rate", "cpu_util", "memory_util"})
LEVELS: dict[str, tuple[float, float, float]] = {
    "latency_p99": (150.0, 300.0, 500.0),
    "error_rate": (0.05, 0.15, 0.3),
    "cpu_util": (0.8, 0.8, 0.9),
    "memory_util": (0.8, 0.8, 0.9),
}
"""From which value a metric has level 1, 2, 3. Throughput has none: what is low differs."""

_ERRORS_ALONE = "errors without slowness: a release, a configuration, credentials or a certificate"
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
    doubt = 1.0
    for each in found.values():
        doubt *= _DOUBT[each]
    affected = sorted((n for n, at in found.items() if at), key=lambda n: (-found[n], n))
    primary: list[Value] = [*affected]
    recommended: list[Value] = [*actions]
    causes: list[Value] = [*_causes(metrics, found, sorted(upstream), stated_cause)]
    return {
        "incident_summary": {
            "severity": str(severity),
            "anomaly_confidence": round(1 - doubt, 3),
            "primary_metrics_affected": primary,
        },
        "root_cause_insights": causes,
        "recommended_actions": recommended,
    }


def _causes(
    metrics: Metrics, found: dict[str, int], upstream: list[str], stated: str
) -> list[Properties]:
    """Each cause with how sure it is and what it is read from."""
    slow, failing = found.get("latency_p99", 0), found.get("error_rate", 0)
    cpu, memory = found.get("cpu_util", 0), found.get("memory_util", 0)
    exhausted, busy = cpu == memory == 3, max(cpu, memory)
    worst = "cpu_util" if cpu >= memory else "memory_util"
    needs = f"; needs {', '.join(upstream)}"
    both = _read(metrics, "latency_p99", "error_rate") + needs
    latency, errors = _read(metrics, "latency_p99"), _read(metrics, "error_rate")
    rules = (
        (bool(stated), 0.95, stated, "stated by the source"),
        (exhausted, 0.85, "resource exhaustion", _read(metrics, "cpu_util", "memory_util")),
        (
            slow > 0 and busy > 1 and not exhausted,
            0.7,
            "resource saturation",
            _read(metrics, "latency_p99", worst),
        ),
        (slow > 1 and failing > 1 and bool(upstream), 0.6, "failing dependency", both),
        (slow > 1 and failing < 2 and bool(upstream), 0.5, "slow dependency", latency + needs),
        (failing > 1 and slow < 2, 0.6, _ERRORS_ALONE, errors),
        (
            slow > 0 and not (failing or busy or upstream),
            0.4,
            "slow code path or lock",
            latency,
        ),
    )
    ordered = sorted((rule for rule in rules if rule[0]), key=lambda rule: (-rule[1], rule[2]))
    return [{"cause": c, "confidence": p, "evidence": e} for _, p, c, e in ordered]


def _read(metrics: Metrics, *names: str) -> str:
    known = metrics.known()
    return ", ".join(f"{name} {known[name]:g}" for name in names if name in known)


class Sample(NamedTuple):
    """What was measured of a component at an instant."""

    at: str
    metrics: Metrics


def predictive_insights(
    samples: Sequence[Sample], *, horizon_minutes: int = _HORIZON_MINUTES
) -> Properties:
    """`forecasts`, `warnings`, `recommendations` and `critical_risk_count` from `samples` in any
    order; the latest is the present."""
    forecasts: list[Properties] = []
    for metric in LEVELS:
        points = _points(samples, metric)
        if len(points) >= _LEAST_SAMPLES:
            forecasts.append(_forecast(metric, points, horizon_minutes))
    warned = [f for f in forecasts if f["risk_level"] in ("high", "critical")]
    warnings: list[Value] = [
        f"{f['metric']} is heading for {f['predicted_value']} in {horizon_minutes} minutes "
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
    """(minutes before the present, negative or zero; value), the earliest first."""
    measured = [
        (to_epoch(s.at), value)
        for s in samples
        if (value := getattr(s.metrics, metric)) is not None
    ]
    if not measured:
        return []
    present = max(at for at, _ in measured)
    recent = sorted((at, value) for at, value in measured if present - at <= _SPAN_S)
    return [((at - present) / 60, value) for at, value in recent[-_MOST_SAMPLES:]]


def _forecast(metric: str, points: list[tuple[float, float]], horizon: int) -> Properties:
    slopes = [
        (value - before) / (at - earlier)
        for n, (earlier, before) in enumerate(points)
        for at, value in points[n + 1 :]
        if at > earlier
    ]
    slope = median(slopes) if slopes else 0.0
    offset = median(value - slope * at for at, value in points)
    predicted = min(max(0.0, offset + slope * horizon), 1.0 if metric in _CAPPED else math.inf)
    span = points[-1][0] - points[0][0]
    stable = abs(slope) * max(span, horizon) < _STABLE * LEVELS[metric][-1]
    return {
        "metric": metric,
        "predicted_value": round(predicted, 4),
        "horizon_minutes": horizon,
        "trend": "stable" if stable else "increasing" if slope > 0 else "decreasing",
        "risk_level": _RISKS[level(metric, predicted)],
        "confidence": round(min(1.0, len(points) / _SURE_SAMPLES), 3),
        "samples": len(points),
    }

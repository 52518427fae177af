"""Where a component's metrics are heading: a robust straight line through what was measured.

The slope is Theil and Sen's (the median of the slopes between all pairs), which a single outlier
does not turn; the line goes through the medians. At least three measurements within the last
24 hours are needed; without them nothing is forecast. How sure a forecast is:

    confidence = min(1, n / 10) · max(0, 1 − MAD of the residuals / (MAD of the values + scale))

with `scale` 5 % of the metric's critical threshold, so that noise around a calm value counts
little. A metric is stable where the line, over the whole series or the horizon, rises or falls by
less than `scale` and less than twice the MAD of the residuals.
"""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from quipu.kinds.incidents.analysis import LEVELS, level
from quipu.kinds.incidents.model import Metrics
from quipu.records.record import Properties, Value
from quipu.when.instants import to_epoch

__all__ = ["HORIZON_MINUTES", "Sample", "predictive_insights"]

HORIZON_MINUTES = 15
_SPAN_S = 24 * 3600.0
_LEAST_SAMPLES = 3
_MOST_SAMPLES = 50
_RISKS = ("low", "medium", "high", "critical")
_BEYOND_NOISE = 2.0
_CAPPED = frozenset({"error_rate", "cpu_util", "memory_util"})


class Sample(NamedTuple):
    """What was measured of a component at an instant."""

    at: str
    metrics: Metrics


def predictive_insights(
    samples: Sequence[Sample], *, horizon_minutes: int = HORIZON_MINUTES
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
    held: list[Value] = [*forecasts]
    return {
        "forecasts": held,
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
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for i, earlier in enumerate(points)
        for later in points[i + 1 :]
        if later[0] > earlier[0]
    ]
    slope = median(slopes) if slopes else 0.0
    offset = median(value - slope * at for at, value in points)
    predicted = max(0.0, offset + slope * horizon)
    if metric in _CAPPED:
        predicted = min(predicted, 1.0)
    critical = LEVELS[metric][-1]
    values = [value for _, value in points]
    scale = 0.05 * critical
    noise = _mad([value - offset - slope * at for at, value in points])
    span = points[-1][0] - points[0][0]
    still = abs(slope) * max(span, horizon) < max(scale, _BEYOND_NOISE * noise)
    confidence = min(1.0, len(points) / 10) * max(0.0, 1 - noise / (_mad(values) + scale))
    return {
        "metric": metric,
        "predicted_value": round(predicted, 4),
        "horizon_minutes": horizon,
        "trend": "stable" if still else "increasing" if slope > 0 else "decreasing",
        "risk_level": _RISKS[level(metric, predicted)],
        "confidence": round(confidence, 3),
        "samples": len(points),
    }


def _mad(values: list[float]) -> float:
    middle = median(values)
    return median(abs(value - middle) for value in values)

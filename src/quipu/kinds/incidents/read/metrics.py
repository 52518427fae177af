"""What was measured, by whatever name the fields of a record give it."""

from quipu.kinds.incidents.model import METRICS, Metrics, check_metric
from quipu.read.fields import Fields

__all__ = ["is_metric", "metrics_in"]

_NAMES = {
    **{name: name for name in METRICS},
    "latency_ms": "latency_p99", "latency": "latency_p99", "cpu": "cpu_util",
    "memory": "memory_util", "cpu_utilization": "cpu_util", "memory_utilization": "memory_util",
}  # fmt: skip


def is_metric(name: str) -> bool:
    """Whether a field of this name is a measured value."""
    return name in _NAMES


def metrics_in(*places: Fields) -> Metrics:
    """What was measured, in these objects; the first that names a metric counts."""
    found: dict[str, float] = {}
    for place in places:
        for written, name in _NAMES.items():
            if name not in found and written in place:
                value = place.read(written, lambda v, n=name: check_metric(n, _number(v)), None)
                if value is not None:
                    found[name] = value
    return Metrics(**found)


def _number(value: object) -> object:
    """Text that is a number as that number: labels and attributes are text."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value

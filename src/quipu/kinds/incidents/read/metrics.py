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
    """Whether a field of this name is a measured value: `error.rate` and `error-rate` are
    `error_rate`."""
    return _plain(name) in _NAMES


def _plain(name: str) -> str:
    return name.replace(".", "_").replace("-", "_").casefold()


def metrics_in(*places: Fields) -> Metrics:
    """What was measured, in these objects; the first that names a metric counts."""
    found: dict[str, float] = {}
    for place in places:
        named = sorted((key for key in place.held if is_metric(key)), key=_rank)
        for written in named:
            name = _NAMES[_plain(written)]
            if name not in found and written in place:
                value = place.read(written, lambda v, n=name: check_metric(n, _number(v)), None)
                if value is not None:
                    found[name] = value
    return Metrics(**found)


def _rank(written: str) -> tuple[int, str]:
    """Our own names first, then by the table."""
    return list(_NAMES).index(_plain(written)), written


def _number(value: object) -> object:
    """Text that is a number as that number: labels and attributes are text."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value

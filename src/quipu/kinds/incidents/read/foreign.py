"""What all readers of incidents share: whose it is, how grave, what was measured."""

from collections.abc import Mapping

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import METRICS, Metrics, Severity, check_metric, severity_of
from quipu.read.fields import Fields, slug
from quipu.records.record import Properties

__all__ = ["component_of", "grade", "is_metric", "metrics_in"]

_METRIC_OF = {name: name for name in METRICS} | {
    "latency_ms": "latency_p99",
    "latency": "latency_p99",
    "cpu": "cpu_util",
    "memory": "memory_util",
    "cpu_utilization": "cpu_util",
    "memory_utilization": "memory_util",
}


def component_of(written: Mapping[str, str]) -> tuple[str, Properties]:
    """The first of these that gives a component, and the word as written where it differs.

    Other systems name services freely: `Payment Service` becomes `payment-service`.
    """
    for word in written.values():
        if component := slug(word):
            return component, {"component_as_written": word} if word != component else {}
    raise InvalidInput(f"no field names a component: one of {', '.join(written)} is needed")


def grade(problems: list[str], *words: str) -> tuple[Severity | None, str]:
    """The severity of the first word that is there, and that word where it says more."""
    for word in filter(None, words):
        try:
            severity = severity_of(word)
        except InvalidInput as error:
            problems.append(str(error))
            continue
        kept = word != str(severity) or severity == Severity.INFO  # somebody called it INFO
        return severity, word if kept else ""
    return None, ""


def is_metric(name: str) -> bool:
    """Whether a field of this name is a measured value: `error.rate` and `error-rate` are
    `error_rate`."""
    return _plain(name) in _METRIC_OF


def _plain(name: str) -> str:
    return name.replace(".", "_").replace("-", "_").casefold()


def metrics_in(*places: Fields) -> Metrics:
    """What was measured, in these objects; the first that names a metric counts, by our own name
    before another."""
    order = list(_METRIC_OF)
    found: dict[str, float] = {}
    for place in places:
        named = filter(is_metric, place.record)
        for written in sorted(named, key=lambda name: (order.index(_plain(name)), name)):
            name = _METRIC_OF[_plain(written)]
            value = place.read(written, lambda v, n=name: check_metric(n, v), None)
            if value is not None:
                found.setdefault(name, value)
    return Metrics(**found)

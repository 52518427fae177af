"""What the readers of other systems' incidents share: whose it is, how grave, what was measured."""

from collections.abc import Iterable

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import METRICS, Metrics, Severity, check_metric, severity_of
from quipu.read.fields import Fields, slug
from quipu.records.record import Properties

__all__ = ["component_of", "grade", "is_metric", "metrics_in"]

_NAMES = {
    **{name: name for name in METRICS},
    "latency_ms": "latency_p99",
    "latency": "latency_p99",
    "cpu": "cpu_util",
    "memory": "memory_util",
    "cpu_utilization": "cpu_util",
    "memory_utilization": "memory_util",
}


def component_of(
    fields: Fields, names: Iterable[str], *, what: str = "field"
) -> tuple[str, Properties]:
    """The first of `names` that gives a component, and the word as written where it differs.

    Other systems name services freely: `Payment Service` becomes `payment-service`.
    """
    tried = tuple(names)
    for name in tried:
        written = fields.text(name)
        if component := slug(written):
            kept: Properties = {"component_as_written": written} if written != component else {}
            return component, kept
    raise InvalidInput(f"no {what} names a component: one of {', '.join(tried)} is needed")


def grade(problems: list[str], *words: str) -> tuple[Severity | None, str]:
    """The severity of the first word that is there, and that word where it says more."""
    for word in words:
        if not word:
            continue
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
    return _plain(name) in _NAMES


def _plain(name: str) -> str:
    return name.replace(".", "_").replace("-", "_").casefold()


def metrics_in(*places: Fields) -> Metrics:
    """What was measured, in these objects; the first that names a metric counts."""
    found: dict[str, float] = {}
    for place in places:
        named = sorted((key for key in place.record if is_metric(key)), key=_rank)
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

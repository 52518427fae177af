"""What an operator watches, in Prometheus' words."""

from collections import Counter as Counted
from collections.abc import Callable, Iterator, Mapping
from http import HTTPMethod

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily

from quipu.memory import Memory, Status
from quipu.serve.shapes import Answer
from quipu.version import VERSION

__all__ = ["CONTENT_TYPE", "ServerMetrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_GAUGES: Mapping[str, tuple[str, str, Callable[[Memory, Status], Mapping[str, float]]]] = {
    "quipu_records": ("Live records.", "kind", lambda _, status: status.counts),
    "quipu_vectors": ("Vectors of a space.", "space", lambda _, status: status.spaces),
    "quipu_generation": ("The store's.", "", lambda _, status: {"": status.generation}),
    "quipu_unembedded": (
        "Passages without a vector.",
        "",
        lambda _, status: {"": status.unembedded},
    ),
    "quipu_index_age_seconds": (
        "Of the index.",
        "",
        lambda _, status: {} if status.age_s is None else {"": status.age_s},
    ),
    "quipu_jobs": ("Jobs.", "status", lambda memory, _: Counted(j.status for j in memory.jobs())),
}
"""What is read of a memory when somebody looks: its help, its label beside the namespace, its
values by that label."""


class ServerMetrics:
    """What one server counts. Callers are not named, nor questions; every label has few values,
    whatever clients send."""

    def __init__(self) -> None:
        kept = self._registry = CollectorRegistry()
        self._requests = Counter(
            "quipu_requests",
            "Requests that were answered.",
            ["route", "method", "status"],
            registry=kept,
        )
        self._latency = Histogram(
            "quipu_request_seconds",
            "How long requests took.",
            ["route"],
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
            registry=kept,
        )
        self._confidence = Histogram(
            "quipu_answer_confidence",
            "How sure answers were.",
            buckets=[n / 10 for n in range(1, 11)],
            registry=kept,
        )
        self._abstained = Counter(
            "quipu_abstentions", "Answers that were `unknown`.", registry=kept
        )
        self.calls = Gauge("quipu_calls", "Calls that run or wait for a thread.", registry=kept)
        Gauge("quipu_build_info", "The version.", ["version"], registry=kept).labels(VERSION).set(1)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request; status 0 is a client that left."""
        known = method if method in HTTPMethod.__members__ else "other"
        self._requests.labels(route, known, str(status)).inc()
        self._latency.labels(route).observe(seconds)

    def answered(self, reply: Answer) -> None:
        """Count an answer: how sure it was, and whether it was one."""
        self._confidence.observe(reply.confidence.value)
        if not reply.citations:
            self._abstained.inc()

    def text(self, memory: Memory | None, *, whole: bool) -> bytes:
        """Return the figures of a memory as Prometheus reads them; `whole` adds what the server
        counts for all of them."""
        shown = CollectorRegistry()
        shown.register(_Held(memory))  # pyright: ignore[reportArgumentType]  any object that collects
        return generate_latest(shown) + (generate_latest(self._registry) if whole else b"")


class _Held:
    """How a memory is at the moment somebody looks."""

    def __init__(self, memory: Memory | None) -> None:
        self._memory = memory

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield its gauges; none where there is no memory yet."""
        if (memory := self._memory) is None:
            return
        status = memory.stats()
        for name, (says, label, values) in _GAUGES.items():
            family = GaugeMetricFamily(
                name, says, labels=["namespace", *([label] if label else [])]
            )
            for key, value in values(memory, status).items():
                family.add_metric([memory.store.namespace, *([key] if label else [])], value)
            yield family

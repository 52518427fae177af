"""What an operator watches, in Prometheus' words."""

from collections import Counter as Counted
from collections.abc import Callable, Iterator, Mapping
from copy import copy

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.samples import Sample

from quipu.memory import Memory, Status
from quipu.serve.results import Answer
from quipu.version import VERSION

__all__ = ["CONTENT_TYPE", "METHODS", "ServerMetrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
"""Those that are told apart; any word is a method to HTTP."""

_BUILD = "quipu_build_info"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_TENTHS = tuple(n / 10 for n in range(1, 11))
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
"""What is read of each memory when somebody looks: its help, its label beside the namespace, its
values by that label."""


class ServerMetrics:
    """The figures of one server, by namespace. Callers are not named in them, nor questions.

    Every label has few values, whatever clients send: routes as they are declared, the methods of
    `METHODS`, and namespaces that a key opens.
    """

    def __init__(self) -> None:
        kept = self._registry = CollectorRegistry()
        space = ["namespace"]
        self._requests = Counter(
            "quipu_requests",
            "Requests that were answered.",
            [*space, "route", "method", "status"],
            registry=kept,
        )
        self._latency = Histogram(
            "quipu_request_seconds",
            "How long requests took.",
            [*space, "route"],
            buckets=_SECONDS,
            registry=kept,
        )
        self._confidence = Histogram(
            "quipu_answer_confidence",
            "How sure answers were.",
            space,
            buckets=_TENTHS,
            registry=kept,
        )
        self._abstained = Counter(
            "quipu_abstentions", "Answers that were `unknown`.", space, registry=kept
        )
        Gauge(_BUILD, "The version.", ["version"], registry=kept).labels(VERSION).set(1)

    def request(
        self, route: str, method: str, status: int, seconds: float, *, namespace: str = ""
    ) -> None:
        """Count a request; status 0 is a client that left, the namespace "" is nobody's."""
        known = method if method in METHODS else "other"
        self._requests.labels(namespace, route, known, str(status)).inc()
        self._latency.labels(namespace, route).observe(seconds)

    def answered(self, reply: Answer, *, namespace: str = "") -> None:
        """Count an answer: how sure it was, and whether it was one."""
        self._confidence.labels(namespace).observe(reply.confidence.value)
        if not reply.citations:
            self._abstained.labels(namespace).inc()

    def watch(self, memories: Callable[[], list[Memory]], active: Callable[[], int]) -> None:
        """Tell also of the memories that are open and the calls that run or wait, whenever the
        figures are read."""
        self._registry.register(_State(memories, active))  # pyright: ignore[reportArgumentType]  any object that collects

    def text(self, *, namespace: str | None = None, whole: bool = True) -> bytes:
        """The figures as Prometheus reads them: of every namespace, or of one; `whole` adds what
        the server counts without a namespace."""
        return generate_latest(_Shown(self._registry, namespace, whole=whole))  # pyright: ignore[reportArgumentType]  any object that collects


class _Shown:
    """What somebody may see of a registry's figures."""

    def __init__(self, registry: CollectorRegistry, namespace: str | None, *, whole: bool) -> None:
        self._registry, self._namespace, self._whole = registry, namespace, whole

    def collect(self) -> Iterator[Metric]:
        """Families with the samples that may be seen; those without any are left out."""
        for family in self._registry.collect():
            shown = copy(family)
            shown.samples = [each for each in family.samples if self._may_show(each)]
            if shown.samples or self._namespace is None:
                yield shown

    def _may_show(self, sample: Sample) -> bool:
        namespace = sample.labels.get("namespace")
        if namespace is None:
            return self._whole or sample.name == _BUILD
        return self._namespace in (None, namespace)


class _State:
    """How the memories are at the moment somebody looks."""

    def __init__(self, memories: Callable[[], list[Memory]], active: Callable[[], int]) -> None:
        self._memories, self._active = memories, active

    def collect(self) -> Iterator[Metric]:
        """The gauges of every open memory, by namespace."""
        found = [(memory, memory.stats()) for memory in self._memories()]
        for name, (says, label, values) in _GAUGES.items():
            labels = ["namespace", *([label] if label else [])]
            family = GaugeMetricFamily(name, says, labels=labels)
            for memory, status in found:
                space = memory.store.namespace
                for key, value in values(memory, status).items():
                    family.add_metric([space, *([key] if label else [])], value)
            yield family
        busy = GaugeMetricFamily("quipu_calls", "Calls that run or wait for a thread.")
        busy.add_metric([], self._active())
        yield busy

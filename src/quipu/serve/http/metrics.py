"""What an operator watches, in Prometheus' words, and spans where OpenTelemetry is configured."""

import logging
import os
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.samples import Sample

from quipu.errors import MissingExtra, QuipuError
from quipu.memory import Memory
from quipu.models.tally import TALLY, Tally
from quipu.records.reply import Reply
from quipu.serve.results import Answer
from quipu.version import VERSION

__all__ = ["CONTENT_TYPE", "METHODS", "ServerMetrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
"""Those that are told apart; any word is a method to HTTP."""

_log = logging.getLogger(__name__)
_BUILD = "quipu_build_info"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_TENTHS = tuple(n / 10 for n in range(1, 11))


class ServerMetrics:
    """The figures of one server, by namespace. Callers are not named in them, nor questions.

    Every label has few values, whatever clients send: routes as they are declared, the methods of
    `METHODS`, stages, and namespaces that a key opens.
    """

    def __init__(self, tally: Tally = TALLY) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Providers(tally))  # pyright: ignore[reportArgumentType]  as in `watch`
        kept = self._registry
        self._requests = Counter(
            "quipu_requests",
            "Requests that were answered.",
            ["namespace", "route", "method", "status"],
            registry=kept,
        )
        self._latency = Histogram(
            "quipu_request_seconds",
            "How long requests took.",
            ["namespace", "route"],
            buckets=_SECONDS,
            registry=kept,
        )
        self._stages = Histogram(
            "quipu_stage_seconds",
            "How long stages took.",
            ["namespace", "stage"],
            buckets=_SECONDS,
            registry=kept,
        )
        self._confidence = Histogram(
            "quipu_answer_confidence",
            "How sure answers were.",
            ["namespace"],
            buckets=_TENTHS,
            registry=kept,
        )
        self._abstained = Counter(
            "quipu_abstentions", "Answers that were `unknown`.", ["namespace"], registry=kept
        )
        self._failures = Counter(
            "quipu_stage_failures",
            "Stages that failed.",
            ["namespace", "stage", "kind"],
            registry=kept,
        )
        Gauge(_BUILD, "The version.", ["version"], registry=kept).labels(VERSION).set(1)
        self._tracer = _tracer()

    def request(
        self, route: str, method: str, status: int, seconds: float, *, namespace: str = ""
    ) -> None:
        """Count a request; status 0 is a client that left, the namespace "" is nobody's."""
        known = method if method in METHODS else "other"
        self._requests.labels(namespace, route, known, str(status)).inc()
        self._latency.labels(namespace, route).observe(seconds)

    def answered(self, reply: Reply | Answer, *, namespace: str = "") -> None:
        """Count an answer: how sure it was, and whether it was one."""
        self._confidence.labels(namespace).observe(reply.confidence.value)
        if not reply.citations:
            self._abstained.labels(namespace).inc()

    @contextmanager
    def stage(self, name: str, *, namespace: str = "") -> Generator[None]:
        """Time a stage of a question; one span, where spans are kept."""
        begun = time.perf_counter()
        try:
            if self._tracer is None:
                yield
            else:
                with self._tracer.start_as_current_span(f"quipu.{name}"):
                    yield
        except QuipuError as error:
            self._failures.labels(namespace, name, type(error).__name__).inc()
            raise
        finally:
            self._stages.labels(namespace, name).observe(time.perf_counter() - begun)

    def watch(self, memories: Callable[[], list[Memory]], active: Callable[[], int]) -> None:
        """Tell also of the memories that are open and the calls that run or wait, whenever the
        figures are read."""
        self._registry.register(_State(memories, active))  # pyright: ignore[reportArgumentType]  any object that collects

    def text(self, *, namespace: str | None = None, whole: bool = True) -> bytes:
        """The figures as Prometheus reads them: of every namespace, or of one; `whole` adds what
        the server counts without a namespace (calls, remote models)."""
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


class _Providers:
    """What remote models were asked, and what that took."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    def collect(self) -> Iterator[Metric]:
        """The counters of every model that was asked, by its name."""
        calls = CounterMetricFamily(
            "quipu_provider_calls", "Requests to a remote model.", labels=["model"]
        )
        errors = CounterMetricFamily(
            "quipu_provider_errors", "Of them, those that failed.", labels=["model", "kind"]
        )
        tokens = CounterMetricFamily(
            "quipu_provider_tokens", "Read and written by a remote model.", labels=["model"]
        )
        cost = CounterMetricFamily(
            "quipu_provider_cost", "Of remote models, by the prices that are set.", labels=["model"]
        )
        for model, found in self._tally.by_model().items():
            calls.add_metric([model], found.calls)
            tokens.add_metric([model], found.tokens)
            cost.add_metric([model], found.cost)
            for kind, count in found.failures.items():
                errors.add_metric([model, kind], count)
        yield from (calls, errors, tokens, cost)


class _State:
    """How the memories are at the moment somebody looks."""

    def __init__(self, memories: Callable[[], list[Memory]], active: Callable[[], int]) -> None:
        self._memories, self._active = memories, active

    def collect(self) -> Iterator[Metric]:
        """The gauges of every open memory, by namespace."""
        records = GaugeMetricFamily("quipu_records", "Live records.", labels=["namespace", "kind"])
        vectors = GaugeMetricFamily(
            "quipu_vectors", "Vectors of a space.", labels=["namespace", "space"]
        )
        generation = GaugeMetricFamily("quipu_generation", "The store's.", labels=["namespace"])
        age = GaugeMetricFamily("quipu_index_age_seconds", "Of the index.", labels=["namespace"])
        lacking = GaugeMetricFamily(
            "quipu_unembedded", "Passages without a vector.", labels=["namespace"]
        )
        jobs = GaugeMetricFamily("quipu_jobs", "Jobs.", labels=["namespace", "status"])
        for memory in self._memories():
            status, name = memory.stats(), memory.store.namespace
            for kind, count in status.counts.items():
                records.add_metric([name, kind], count)
            for space, count in status.spaces.items():
                vectors.add_metric([name, space], count)
            generation.add_metric([name], status.generation)
            lacking.add_metric([name], status.unembedded)
            if status.age_s is not None:
                age.add_metric([name], status.age_s)
            for state in ("accepted", "running", "done", "failed"):
                number = sum(1 for job in memory.jobs() if job.status == state)
                jobs.add_metric([name, state], number)
        busy = GaugeMetricFamily("quipu_calls", "Calls that run or wait for a thread.")
        busy.add_metric([], self._active())
        yield from (records, vectors, generation, age, lacking, jobs, busy)


def _tracer() -> Any:
    """What makes spans; None unless an OTLP endpoint is configured and the extra `otel` is there.
    The names are OpenTelemetry's own: OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME …"""
    variables = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    if not any(os.environ.get(name) for name in variables):
        return None
    try:
        return _make_tracer()
    except MissingExtra as missing:  # the variable may be meant for all programs of the machine
        _log.warning("%s; without it nothing is traced", missing)
        return None


def _make_tracer() -> Any:
    """What makes spans and sends them in the background to an OTLP collector, as OpenTelemetry's
    own variables say. Raises MissingExtra."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "an OTLP endpoint is configured, and traces need: pip install 'quipu-memory[otel]'"
        ) from error
    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "quipu"}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("quipu", VERSION)

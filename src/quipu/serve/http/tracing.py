"""Spans to an OTLP collector (the extra `otel`), as OpenTelemetry's own variables say."""

import os
from typing import Any

from quipu.errors import MissingExtra
from quipu.version import VERSION

__all__ = ["make_tracer"]


def make_tracer() -> Any:
    """What makes spans and sends them in the background. Raises MissingExtra."""
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

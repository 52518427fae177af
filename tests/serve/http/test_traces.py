"""Traces, which another program's variable may ask for."""

import logging
import sys

import pytest

from quipu.serve.http.metrics import ServerMetrics


def test_a_collector_of_all_programs_stops_no_server_without_the_extra(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with caplog.at_level(logging.WARNING):
        figures = ServerMetrics()
    assert "quipu-memory[otel]" in caplog.text
    with figures.stage("plan"):
        assert b"quipu_build_info" in figures.text()

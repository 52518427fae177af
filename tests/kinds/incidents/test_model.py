"""Ids, severities, bounds and analysis of incidents: pure rules."""

import pytest

from quipu.kinds.incidents.model import (
    Metrics,
    Severity,
    agent_analysis,
    incident_id,
    severity_by_rule,
    severity_of,
)


def test_the_id_is_that_of_the_component_and_the_window() -> None:
    first = incident_id("ledger", "2026-02-01T10:00:01Z")
    assert first == incident_id("ledger", "2026-02-01T10:04:59.999Z")
    assert first != incident_id("ledger", "2026-02-01T10:05:00Z")
    assert first != incident_id("payments", "2026-02-01T10:00:01Z")
    assert first == incident_id("ledger", "2026-02-01T12:00:01+02:00")
    assert first != incident_id("ledger", "2026-02-01T10:00:01Z", window_s=60)
    assert first != incident_id("ledger", "2026-02-01T10:00:01Z", own="pagerduty:P1")
    assert len(first) == 28


def test_severities_of_other_scales_are_mapped() -> None:
    words = ["low INFO", "medium high WARN sev-3 Warning", "critical CRITICAL P1"]
    graded = [{severity_of(word) for word in line.split()} for line in words]
    assert graded == [{severity} for severity in Severity]


@pytest.mark.parametrize(
    ("metrics", "severity"),
    [
        (Metrics(), "INFO"),
        (Metrics(latency_p99=299), "INFO"),
        (Metrics(latency_p99=300), "WARN"),
        (Metrics(error_rate=0.3), "CRITICAL"),
        (Metrics(cpu_util=0.8), "WARN"),
    ],
)
def test_severity_follows_the_thresholds(metrics: Metrics, severity: str) -> None:
    assert severity_by_rule(metrics) == severity


def test_the_analysis_names_what_is_out_of_bounds_and_why() -> None:
    analysis = agent_analysis(
        Metrics(latency_p99=900, error_rate=0.06, cpu_util=0.95, memory_util=0.95),
        Severity.CRITICAL,
    )
    summary = analysis["incident_summary"]
    assert isinstance(summary, dict)
    assert summary["primary_metrics_affected"] == [
        "cpu_util",
        "latency_p99",
        "memory_util",
        "error_rate",
    ]
    assert analysis["root_cause_insights"] == []

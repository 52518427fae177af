"""A report made whole: secrets taken out, and worked out what it leaves open."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.incidents.analysis import (
    Sample,
    agent_analysis,
    blast_radius,
    predictive_insights,
    severity_by_rule,
)
from quipu.kinds.incidents.model import (
    Incident,
    IncidentReport,
    Metrics,
    OutcomeReport,
    Severity,
    embedding_number,
)
from quipu.read import redact
from quipu.records.record import Value

__all__ = ["Actions", "cleaned", "completed"]

Actions: TypeAlias = Callable[[str, Metrics], Sequence[str]]
"""What the action policies advise for a component's numbers."""

Report = TypeVar("Report", IncidentReport, OutcomeReport)


def cleaned(report: Report) -> Report:
    """The report or attempt without secrets, in every text it has."""
    return msgspec.convert(_redacted(msgspec.to_builtins(report)), type(report))


def _redacted(value: Value) -> Value:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"{value[:40]!r} is no valid text (half of a surrogate pair): mend it at its source"
            ) from error
        return redact(value)[0]
    if isinstance(value, list | tuple):
        return [_redacted(each) for each in value]
    if isinstance(value, dict):
        return {redact(key)[0]: _redacted(each) for key, each in value.items()}
    return value


def completed(
    report: IncidentReport,
    named: str,
    earlier: Incident | None,
    before: Sequence[Incident],
    *,
    actions: Actions | None,
) -> Incident:
    """The incident that a report makes, together with what other reports of it said.

    A stated severity counts; without one it is the graver of the rule's and the one known.
    """
    metrics = _united(report.metrics, earlier)
    severity = report.severity or max(
        severity_by_rule(metrics),
        earlier.severity if earlier else Severity.INFO,
        key=lambda each: each.rank,
    )
    affected = tuple(
        dict.fromkeys((*report.affected_services, *(earlier.affected_services if earlier else ())))
    )
    analysis = report.agent_analysis
    if analysis is None:
        analysis = agent_analysis(
            metrics,
            severity,
            upstream=report.upstream_deps,
            stated_cause=report.root_cause,
            actions=actions(report.component, metrics) if actions else (),
        )
    insights = report.predictive_insights
    if insights is None:
        insights = predictive_insights(_samples(report, metrics, named, before))
    number = report.embedding_id
    if number is None:
        number = earlier.embedding_id if earlier else embedding_number(named)
    told = msgspec.structs.asdict(report)
    worked_out: dict[str, Any] = {
        "incident_id": named,
        "severity": severity,
        "timestamp": min(
            filter(None, (report.timestamp, earlier.timestamp if earlier else None)), default=None
        ),
        "metrics": metrics,
        "agent_analysis": analysis,
        "predictive_insights": insights,
        "embedding_id": number,
        "affected_services": affected,
        "blast_radius": blast_radius(report.component, affected, given=report.blast_radius),
    }
    fields = {name: told[name] for name in Incident.__struct_fields__ if name in told}
    return Incident(**{**fields, **worked_out})


def _united(metrics: Metrics, earlier: Incident | None) -> Metrics:
    """What was measured by any report; the present one counts where both measured."""
    return Metrics(**{**(earlier.metrics.known() if earlier else {}), **metrics.known()})


def _samples(
    report: IncidentReport, metrics: Metrics, named: str, before: Sequence[Incident]
) -> list[Sample]:
    samples = [
        Sample(each.timestamp, each.metrics)
        for each in before
        if each.timestamp is not None and each.incident_id != named
    ]
    return [*samples, Sample(report.timestamp, metrics)] if report.timestamp else []

"""Incident and outcome records in Quipu's own words (docs/how-to/incidents.md)."""

from typing import Any, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import (
    BlastRadius,
    IncidentReport,
    OutcomeReport,
    Severity,
    check_component,
    check_dependencies,
    severity_of,
)
from quipu.kinds.incidents.read.foreign import is_metric, metrics_in
from quipu.read.fields import Fields, prose_of
from quipu.records.record import Properties
from quipu.text import excerpt

__all__ = ["is_outcome", "is_record", "outcome", "record"]

_READ = frozenset(
    {
        "component",
        "outcomes",
        "outcome",
        "timestamp",
        "started_at",
        "time",
        "severity",
        "metrics",
        "title",
        "name",
        "summary",
        "description",
        "root_cause",
        "affected_services",
        "upstream_deps",
        "downstream_deps",
        "blast_radius",
        "tags",
        "source",
        "pointer",
        "url",
        "link",
        "incident_id",
        "embedding_id",
        "agent_analysis",
        "predictive_insights",
        "actions_taken",
        "success",
        "resolution_time_minutes",
        "lessons_learned",
        "recorded_at",
    }
)
_LONGEST_EXTRA = 4_000  # characters of JSON
_RAW = ("log", "logs", "raw", "raw_log", "raw_logs", "body", "payload", "stack_trace")


def is_record(record: dict[str, Any]) -> bool:
    """Whether this is an incident in our own words."""
    return "component" in record


def is_outcome(record: dict[str, Any]) -> bool:
    """Whether this is an attempt at an incident."""
    return "incident_id" in record and "actions_taken" in record and "component" not in record


def record(fields: Fields, *, source: str, pointer: str) -> IncidentReport:
    """The report that an object holds; InvalidInput when its component cannot be used."""
    component = check_component(fields.record.get("component"))
    upstream, downstream = _dependencies(fields)
    outcomes = [
        made
        for each in (*fields.objects("outcomes"), *fields.objects("outcome"))
        if (made := _tried(each)) is not None
    ]
    if "actions_taken" in fields and (made := _tried(fields)) is not None:
        outcomes.append(made)
    for name in _RAW:
        if name in fields:
            fields.problems.append(
                f"{name}: raw data is not kept; name a pointer to where it stays"
            )
    return IncidentReport(
        component=component,
        timestamp=fields.instant("timestamp", "started_at", "time"),
        severity=fields.read("severity", _severity, None),
        source_severity=_source_severity(fields),
        metrics=metrics_in(fields, fields.inside("metrics")),
        title=prose_of(fields.text("title", "name"), limit=200),
        summary=prose_of(fields.text("summary", "description")),
        root_cause=prose_of(fields.text("root_cause")),
        affected_services=_services(fields, "affected_services"),
        upstream_deps=upstream,
        downstream_deps=downstream,
        blast_radius=fields.read("blast_radius", _blast_radius, None),
        outcomes=tuple(outcomes),
        tags=fields.names("tags"),
        extra=_extra(fields),
        source=fields.text("source") or source,
        pointer=fields.text("pointer", "url", "link") or pointer,
        incident_id=fields.text("incident_id"),
        embedding_id=fields.read("embedding_id", _embedding_id, None),
        agent_analysis=fields.read("agent_analysis", _object, None),
        predictive_insights=fields.read("predictive_insights", _object, None),
    )


def outcome(fields: Fields) -> OutcomeReport:
    """The attempt that an object holds; InvalidInput when it cannot be used."""
    success = fields.record.get("success")
    if not isinstance(success, bool):
        raise InvalidInput(f"success {success!r} is neither true nor false: say whether it worked")
    actions = fields.names("actions_taken")
    if not actions:
        raise InvalidInput(
            f"actions_taken {fields.record.get('actions_taken')!r} names no action: say what was "
            "done, or no_action"
        )
    minutes = fields.record.get("resolution_time_minutes")
    number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
    if minutes is not None and not (number and 0 <= minutes < float("inf")):
        raise InvalidInput(
            f"resolution_time_minutes {minutes!r} is out of range: give 0 or more minutes"
        )
    return OutcomeReport(
        actions_taken=actions,
        success=success,
        resolution_time_minutes=None if minutes is None else float(minutes),
        blast_radius=fields.read("blast_radius", _blast_radius, None),
        lessons_learned=prose_of(fields.text("lessons_learned")),
        recorded_at=fields.instant("recorded_at"),
        confidence=_confidence(fields.record.get("confidence", 1.0)),
    )


def _confidence(value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= 1:
        raise InvalidInput(f"confidence {value!r} is out of range: give more than 0, up to 1")
    return float(value)


def _tried(fields: Fields) -> OutcomeReport | None:
    try:
        return outcome(fields)
    except InvalidInput as error:
        fields.problems.append(f"outcome: {error}")
        return None


def _severity(value: Any) -> Severity | None:
    return severity_of(str(value))


def _source_severity(fields: Fields) -> str:
    """The word as written; what a grade of ours already says is not kept twice, but that somebody
    called it INFO is: without a word and numbers it is INFO too, and may be a failure."""
    written = fields.text("severity")
    return "" if written in (Severity.WARN, Severity.CRITICAL) else written


def _blast_radius(value: Any) -> BlastRadius | None:
    try:
        return BlastRadius(str(value))
    except ValueError as error:
        raise InvalidInput(
            f"blast_radius {value!r} is unknown: use single-service or multi-service"
        ) from error


def _services(fields: Fields, name: str) -> tuple[str, ...]:
    kept: list[str] = []
    for each in fields.names(name):
        try:
            kept.append(check_component(each, field=name))
        except InvalidInput as error:
            fields.problems.append(str(error))
    return tuple(kept)


def _dependencies(fields: Fields) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Both lists; neither when they name one service on both sides."""
    upstream = _services(fields, "upstream_deps")
    downstream = _services(fields, "downstream_deps")
    try:
        check_dependencies(upstream, downstream)
    except InvalidInput as error:
        fields.problems.append(f"{error}; both were left out")
        return (), ()
    return upstream, downstream


def _embedding_id(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise InvalidInput(f"embedding_id {value!r} is no place in an index: give 0 or more")
    return value


def _object(value: Any) -> Properties:
    if not isinstance(value, dict):
        raise InvalidInput(f"{excerpt(repr(value), limit=80)} is not an object")
    return cast("Properties", value)


def _extra(fields: Fields) -> Properties:
    """What has no field of its own, under its own name: nothing is dropped unsaid."""
    kept: Properties = {}
    other = {
        f"metrics.{name}": value
        for name, value in fields.inside("metrics").record.items()
        if not is_metric(name)
    }
    for name, value in (*fields.record.items(), *other.items()):
        if name in _READ or name in _RAW or is_metric(name) or value is None:
            continue
        written = msgspec.json.encode(value)
        if msgspec.json.decode(written) != value:
            fields.problems.append(f"{name}: holds a number out of range")
            continue
        if len(written) > _LONGEST_EXTRA:
            fields.problems.append(
                f"{name}: more than {_LONGEST_EXTRA} characters are not kept; name a pointer to "
                "where they stay"
            )
            continue
        kept[name] = value
    return kept

"""Incident and outcome records in Quipu's own words (docs/how-to/incidents.md)."""

from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import (
    BlastRadius,
    IncidentReport,
    OutcomeReport,
    Severity,
    check_component,
    severity_of,
)
from quipu.kinds.incidents.read.foreign import is_metric, metrics_in
from quipu.read.fields import Fields, prose_of
from quipu.records.misfit import misfit
from quipu.records.record import Properties

__all__ = ["is_outcome", "is_record", "outcome", "record"]

_READ = {*IncidentReport.__struct_fields__, *OutcomeReport.__struct_fields__} | {
    "outcome",
    "started_at",
    "time",
    "name",
    "description",
    "url",
    "link",
    "metrics",
}
_EMBEDDING_ID = cast("type[int]", Annotated[int, Meta(ge=0, le=2**63 - 1)])
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
        severity=fields.read("severity", lambda value: severity_of(str(value)), None),
        source_severity=_source_severity(fields),
        metrics=metrics_in(fields, fields.inside("metrics")),
        title=prose_of(fields.text("title", "name"), limit=200),
        summary=prose_of(fields.text("summary", "description")),
        root_cause=prose_of(fields.text("root_cause")),
        affected_services=_services(fields, "affected_services"),
        upstream_deps=upstream,
        downstream_deps=downstream,
        blast_radius=fields.fit("blast_radius", BlastRadius),
        outcomes=tuple(outcomes),
        tags=fields.names("tags"),
        extra=_extra(fields),
        source=fields.text("source") or source,
        pointer=fields.text("pointer", "url", "link") or pointer,
        incident_id=fields.text("incident_id"),
        embedding_id=fields.fit("embedding_id", _EMBEDDING_ID),
        agent_analysis=fields.fit("agent_analysis", Properties),
        predictive_insights=fields.fit("predictive_insights", Properties),
    )


def outcome(fields: Fields) -> OutcomeReport:
    """The attempt that an object holds; InvalidInput when it cannot be used."""
    held = {
        "success": fields.record.get("success"),
        "actions_taken": fields.names("actions_taken"),
        "resolution_time_minutes": fields.record.get("resolution_time_minutes"),
        "blast_radius": fields.fit("blast_radius", BlastRadius),
        "lessons_learned": prose_of(fields.text("lessons_learned")),
        "recorded_at": fields.instant("recorded_at"),
        "confidence": fields.record.get("confidence", 1.0),
    }
    try:
        return msgspec.convert(held, OutcomeReport)
    except msgspec.ValidationError as error:
        raise InvalidInput(misfit(error, held)) from error


def _tried(fields: Fields) -> OutcomeReport | None:
    try:
        return outcome(fields)
    except InvalidInput as error:
        fields.problems.append(f"outcome: {error}")
        return None


def _source_severity(fields: Fields) -> str:
    """The word as written; what a grade of ours already says is not kept twice, but that somebody
    called it INFO is: without a word and numbers it is INFO too, and may be a failure."""
    written = fields.text("severity")
    return "" if written in (Severity.WARN, Severity.CRITICAL) else written


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
    if both := sorted(set(upstream) & set(downstream)):
        fields.problems.append(
            f"upstream_deps and downstream_deps both name {', '.join(map(repr, both))}: a service "
            "is needed, or needs this one; both were left out"
        )
        return (), ()
    return upstream, downstream


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

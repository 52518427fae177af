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

_READ = {
    *IncidentReport.__struct_fields__,
    *OutcomeReport.__struct_fields__,
    *("outcome", "started_at", "time", "name", "description", "url", "link"),
}
_RAW = {"log", "logs", "raw", "raw_log", "raw_logs", "body", "payload", "stack_trace"}
_EMBEDDING_ID = cast("type[int]", Annotated[int, Meta(ge=0, le=2**63 - 1)])
_LONGEST_EXTRA = 4_000  # characters of JSON


def is_record(record: dict[str, Any]) -> bool:
    """Whether this is an incident in our own words."""
    return "component" in record


def is_outcome(record: dict[str, Any]) -> bool:
    """Whether this is an attempt at an incident."""
    return "incident_id" in record and "actions_taken" in record and "component" not in record


def record(fields: Fields, *, source: str, pointer: str) -> IncidentReport:
    """The report that an object holds; InvalidInput when its component cannot be used."""
    component = check_component(fields.record.get("component"))
    needs = {name: _services(fields, name) for name in ("upstream_deps", "downstream_deps")}
    if both := sorted(set(needs["upstream_deps"]) & set(needs["downstream_deps"])):
        fields.problems.append(
            f"upstream_deps and downstream_deps both name {', '.join(map(repr, both))}: a service "
            "is needed, or needs this one; both were left out"
        )
        needs = {}
    tried = [*fields.objects("outcomes"), *fields.objects("outcome")]
    tried += [fields] if "actions_taken" in fields else []
    written = fields.text("severity")
    return IncidentReport(
        component=component,
        timestamp=fields.instant("timestamp", "started_at", "time"),
        severity=fields.read("severity", lambda value: severity_of(str(value)), None),
        # that somebody called it INFO is kept: without a word and numbers it is INFO too
        source_severity="" if written in (Severity.WARN, Severity.CRITICAL) else written,
        metrics=metrics_in(fields, fields.inside("metrics")),
        title=prose_of(fields.text("title", "name"), limit=200),
        summary=prose_of(fields.text("summary", "description")),
        root_cause=prose_of(fields.text("root_cause")),
        affected_services=_services(fields, "affected_services"),
        **needs,
        blast_radius=fields.fit("blast_radius", BlastRadius),
        outcomes=tuple(made for each in tried if (made := _tried(each)) is not None),
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


def _services(fields: Fields, name: str) -> tuple[str, ...]:
    kept: list[str] = []
    for each in fields.names(name):
        try:
            kept.append(check_component(each, field=name))
        except InvalidInput as error:
            fields.problems.append(str(error))
    return tuple(kept)


def _extra(fields: Fields) -> Properties:
    """What has no field of its own, under its own name: nothing is dropped unsaid."""
    measured = fields.inside("metrics").record
    other = {f"metrics.{name}": each for name, each in measured.items() if not is_metric(name)}
    kept: Properties = {}
    for name, value in {**fields.record, **other}.items():
        if name in _READ or is_metric(name) or value is None:
            continue
        written = msgspec.json.encode(value)
        if name in _RAW or len(written) > _LONGEST_EXTRA:
            what = "raw data is" if name in _RAW else f"more than {_LONGEST_EXTRA} characters are"
            fields.problems.append(f"{name}: {what} not kept; name a pointer to where it stays")
        elif msgspec.json.decode(written) != value:
            fields.problems.append(f"{name}: holds a number out of range")
        else:
            kept[name] = value
    return kept

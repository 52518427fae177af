"""OpenTelemetry events: OTLP log records in JSON, and flat events with attributes.

A record is a report when it is an event (it has a name) or is at least a warning. Its body is a
log line and is not kept; the trace it belongs to is the pointer.
"""

from collections.abc import Iterator
from typing import Any, cast

from quipu.kinds.incidents.model import IncidentReport
from quipu.kinds.incidents.read.foreign import component_of, grade, metrics_in
from quipu.read.fields import Fields, prose_of

__all__ = ["events", "is_event", "is_export", "report"]

_WARN = 13
_COMPONENT = ("service.name", "service", "component", "k8s.deployment.name", "app")
_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue")


def is_export(record: dict[str, Any]) -> bool:
    """Whether this is an OTLP export of logs."""
    return isinstance(record.get("resourceLogs"), list)


def is_event(record: dict[str, Any]) -> bool:
    """Whether this is one event or log record."""
    return "attributes" in record and any(
        name in record
        for name in (
            "timeUnixNano",
            "time_unix_nano",
            "severityText",
            "severity_text",
            "severityNumber",
            "eventName",
            "event_name",
            "trace_id",
            "traceId",
        )
    )


def events(fields: Fields) -> Iterator[Fields]:
    """Each record of an export, the attributes of its resource beside its own."""
    for resource in fields.objects("resourceLogs"):
        about = _attributes(resource.inside("resource").record.get("attributes"))
        for scope in resource.objects("scopeLogs"):
            for event in scope.objects("logRecords"):
                yield Fields({**event.record, "resource": {"attributes": about}}, [])


def report(event: Fields) -> IncidentReport | None:
    """The report of one record, or None when it is neither an event nor a warning."""
    own = _attributes(event.record.get("attributes"))
    about = _attributes(event.inside("resource").record.get("attributes"))
    attributes = Fields({**about, **own}, event.problems)
    name = event.text("eventName", "event_name", "name") or attributes.text("event.name")
    number = event.record.get("severityNumber")
    warned = isinstance(number, int) and number >= _WARN
    word = event.text("severityText", "severity_text") or attributes.text("severity")
    if not name and not warned and word.upper() not in ("WARN", "ERROR", "FATAL", "CRITICAL"):
        return None
    component, as_written = component_of(attributes, _COMPONENT, what="attribute")
    severity, written = grade(event.problems, word)
    trace, span = event.text("traceId", "trace_id"), event.text("spanId", "span_id")
    moment = event.instant(
        "timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "timestamp", "time"
    )
    return IncidentReport(
        component=component,
        timestamp=moment,
        severity=severity,
        source_severity=written,
        metrics=metrics_in(attributes),
        title=prose_of(_title(event, attributes), limit=200),
        summary=prose_of(attributes.text("summary", "description", "exception.message")),
        tags=("opentelemetry",),
        extra=as_written,
        source=f"otel:{':'.join(filter(None, (name or 'log', trace, span)))}",
        pointer=f"trace:{trace}" if trace else attributes.text("url.full"),
    )


def _title(event: Fields, attributes: Fields) -> str:
    """What an event is called: its own title or name, else its exception."""
    if titled := event.text("title") or attributes.text("title"):
        return titled
    if name := event.text("eventName", "event_name", "name") or attributes.text("event.name"):
        return name
    raised = attributes.text("exception.type"), attributes.text("exception.message")
    return ": ".join(filter(None, raised))


def _attributes(attributes: object) -> dict[str, Any]:
    """Attributes as an object: OTLP writes a list of keys and typed values."""
    if isinstance(attributes, dict):
        return cast(dict[str, Any], attributes)
    found: dict[str, Any] = {}
    for row in cast(list[Any], attributes) if isinstance(attributes, list) else []:
        fields = Fields(cast(dict[str, Any], row) if isinstance(row, dict) else {})
        value = fields.inside("value").record
        given = next((value[kind] for kind in _VALUES if kind in value), None)
        if given is not None and (key := fields.text("key")):
            found[key] = given
    return found

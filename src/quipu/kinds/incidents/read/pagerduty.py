"""PagerDuty: incidents of the REST API, and webhooks of version 2 and 3."""

from collections.abc import Iterator
from typing import Any

from quipu.kinds.incidents.model import IncidentReport
from quipu.kinds.incidents.read.foreign import component_of, grade
from quipu.read.fields import Fields, prose_of

__all__ = ["incidents", "is_wrapper", "report"]


def is_incident(record: dict[str, Any]) -> bool:
    """Whether this is an incident of PagerDuty."""
    return "incident_number" in record or (
        record.get("type") in ("incident", "incident_reference") and "urgency" in record
    )


def is_wrapper(record: dict[str, Any]) -> bool:
    """Whether such an incident is inside."""
    return any(True for _ in incidents(Fields(record)))


def incidents(fields: Fields) -> Iterator[Fields]:
    """Each incident in a webhook or an answer of the API, once."""
    places = [
        fields,
        fields.inside("incident"),
        *fields.objects("incidents"),
        fields.inside("event").inside("data"),
        *(each.inside("incident") for each in fields.objects("messages")),
    ]
    for place in places:
        if is_incident(dict(place.record)):
            yield Fields(place.record, [])


def report(incident: Fields) -> IncidentReport:
    """The report of one incident; InvalidInput when no service is named."""
    service = incident.inside("service")
    component, as_written = component_of(service, ("summary", "name", "id"), what="service")
    priority = incident.inside("priority").text("summary", "name")
    severity, word = grade(incident.problems, priority, incident.text("severity", "urgency"))
    impacted = incident.objects("impacted_services")
    resolved = incident.instant("resolved_at")
    return IncidentReport(
        component=component,
        timestamp=incident.instant("created_at"),
        severity=severity,
        source_severity=word,
        title=prose_of(incident.text("title", "summary"), limit=200),
        summary=prose_of(incident.text("description")),
        affected_services=tuple(
            dict.fromkeys(component_of(each, ("summary", "name"))[0] for each in impacted)
        ),
        tags=("pagerduty",),
        extra={**as_written, **({"resolved_at": resolved} if resolved else {})},
        source=f"pagerduty:{incident.text('id', 'incident_number')}",
        pointer=incident.text("html_url", "self"),
    )

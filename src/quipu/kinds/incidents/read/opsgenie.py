"""Opsgenie: alerts and incidents of the REST API, and alert webhooks."""

from collections.abc import Iterator
from typing import Any

from quipu.kinds.incidents.model import IncidentReport
from quipu.kinds.incidents.read.foreign import component_of, grade, metrics_in
from quipu.read.fields import Fields, prose_of, slug

__all__ = ["alerts", "is_wrapper", "report"]

_COMPONENT = ("component", "service", "app")


def is_alert(record: dict[str, Any]) -> bool:
    """Whether this is an alert or incident of Opsgenie."""
    return (
        "tinyId" in record
        or ("alertId" in record and "message" in record)
        or ("impactedServices" in record and "message" in record)
    )


def is_wrapper(record: dict[str, Any]) -> bool:
    """Whether such an alert is inside."""
    return any(True for _ in alerts(Fields(record)))


def alerts(fields: Fields) -> Iterator[Fields]:
    """Each alert in a webhook or an answer of the API."""
    rows = fields.objects("data") if isinstance(fields.record.get("data"), list) else []
    for place in (fields, fields.inside("alert"), fields.inside("data"), *rows):
        if is_alert(dict(place.record)):
            yield Fields(place.record, [])


def report(alert: Fields) -> IncidentReport:
    """The report of one alert; InvalidInput when nothing names a component."""
    details = alert.inside("details", "extraProperties")
    impacted = tuple(s for each in alert.names("impactedServices") if (s := slug(each)))
    place = Fields(
        {
            **{name: details.text(name) for name in _COMPONENT},
            "entity": alert.text("entity"),
            "impactedServices": impacted[0] if impacted else "",
            "alias": alert.text("alias"),
        },
        alert.problems,
    )
    names = (*_COMPONENT, "entity", "impactedServices", "alias")
    component, as_written = component_of(place, names)
    severity, word = grade(alert.problems, alert.text("priority"))
    return IncidentReport(
        component=component,
        timestamp=alert.instant("createdAt", "impactStartDate"),
        severity=severity,
        source_severity=word,
        metrics=metrics_in(details),
        title=prose_of(alert.text("message"), limit=200),
        summary=prose_of(alert.text("description")),
        affected_services=impacted,
        tags=("opsgenie", *alert.names("tags")),
        extra=as_written,
        source=f"opsgenie:{alert.text('alertId', 'id', 'tinyId')}",
        pointer=alert.inside("links").text("web") or alert.text("ownerTeamUrl"),
    )

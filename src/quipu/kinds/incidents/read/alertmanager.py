"""Webhooks of the Prometheus Alertmanager: each alert is a report; the body itself is not kept."""

from collections.abc import Iterator
from typing import Any

from quipu.kinds.incidents.model import IncidentReport
from quipu.kinds.incidents.read.foreign import component_of, grade, metrics_in
from quipu.read.fields import Fields, prose_of, slug

__all__ = ["alerts", "is_webhook", "report"]

_COMPONENT = (
    "component",
    "service",
    "app",
    "app_kubernetes_io_name",
    "deployment",
    "job",
    "container",
    "instance",
)


def is_webhook(record: dict[str, Any]) -> bool:
    """Whether this is what Alertmanager posts."""
    return isinstance(record.get("alerts"), list) and (
        "groupKey" in record or "commonLabels" in record or "receiver" in record
    )


def alerts(fields: Fields) -> Iterator[Fields]:
    """Each alert, with the group's address beside its own fields."""
    for alert in fields.objects("alerts"):
        address = fields.text("externalURL")
        yield Fields({"externalURL": address, **alert.record}, [])


def report(alert: Fields) -> IncidentReport:
    """The report that one alert makes; InvalidInput when no label names a component."""
    labels, annotations = alert.inside("labels"), alert.inside("annotations")
    component, as_written = component_of(labels, _COMPONENT, what="label")
    severity, word = grade(alert.problems, labels.text("severity", "priority", "level"))
    fingerprint = alert.text("fingerprint") or slug(labels.text("alertname")) or "alert"
    ended = alert.instant("endsAt") if alert.text("status") == "resolved" else None
    if alert.instant("startsAt") is None:
        alert.problems.append(f"startsAt {alert.record.get('startsAt')!r}: the time is unknown")
    return IncidentReport(
        component=component,
        timestamp=alert.instant("startsAt"),
        severity=severity,
        source_severity=word,
        metrics=metrics_in(annotations, labels),
        title=labels.text("alertname"),
        summary=prose_of(annotations.text("summary", "description", "message")),
        tags=("alertmanager",),
        extra={**as_written, **({"resolved_at": ended} if ended else {})},
        source=f"alertmanager:{fingerprint}",
        pointer=alert.text("generatorURL", "externalURL"),
    )

"""Incidents of Alertmanager, PagerDuty, Opsgenie and OpenTelemetry, by the field maps of
`vendors.toml`: a further system is a further table there.

A path leads to a field: `labels/service` is inside an object, `alerts[]` each row of a list. An
object takes over what the objects around it say and it does not. The body of a log record is not
kept.
"""

import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, cast

import msgspec

from quipu.kinds.incidents.model import IncidentReport
from quipu.kinds.incidents.read.foreign import component_of, grade, metrics_in
from quipu.read.fields import Fields, prose_of, slug

__all__ = ["FieldMap", "field_maps", "reports_in", "vendor_report"]

_TITLE_CHARS = 200
_OTLP_WARN = 13
_OTLP_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue")


class FieldMap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a system's reports stand, how one is known (`has`: all keys of one row), and which
    paths hold what; `id` is joined from the first of each row."""

    at: tuple[str, ...]
    has: tuple[tuple[str, ...], ...]
    component: tuple[str, ...]
    severity: tuple[str, ...]
    timestamp: tuple[str, ...]
    title: tuple[str, ...]
    summary: tuple[str, ...]
    id: tuple[tuple[str, ...], ...]
    pointer: tuple[str, ...]
    metrics: tuple[str, ...] = ()
    resolved_at: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trace: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def field_maps() -> dict[str, FieldMap]:
    """The field maps by the name of their system."""
    text = files("quipu.kinds.incidents.read").joinpath("vendors.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, FieldMap])


def reports_in(record: dict[str, Any]) -> Iterator[tuple[str, Fields]]:
    """Each report in a message, with its system: the first system that knows any of them."""
    for name, fields in field_maps().items():
        found = [
            Fields(held, [])
            for place in fields.at
            for held in _objects(_values(record, place, around=True))
            if any(held.keys() >= set(keys) for keys in fields.has)
        ]
        if found:
            yield from ((name, each) for each in found)
            return


def vendor_report(name: str, report: Fields) -> IncidentReport | None:
    """The report of an object of this system; None for a log record that is neither an event nor
    a warning, InvalidInput when nothing names a component."""
    fields = field_maps()[name]
    record = _with_attributes(dict(report.record))
    if name == "otel" and not _is_event(record):
        return None
    component, extra = component_of({path: _text(record, [path]) for path in fields.component})
    severity, word = grade(report.problems, *(_text(record, [path]) for path in fields.severity))
    own = Fields(record, report.problems)
    if own.text("status") != "firing" and (ended := own.instant(*fields.resolved_at)):
        extra["resolved_at"] = ended
    trace = _text(record, fields.trace)
    measured = [each for path in fields.metrics for each in _objects(_values(record, path))]
    named = (_text(record, paths) for paths in fields.id)
    return IncidentReport(
        component=component,
        timestamp=own.instant(*fields.timestamp),
        severity=severity,
        source_severity=word,
        metrics=metrics_in(*(Fields(each, report.problems) for each in measured)),
        title=prose_of(_text(record, fields.title), limit=_TITLE_CHARS),
        summary=prose_of(_text(record, fields.summary)),
        affected_services=tuple(filter(None, map(slug, _texts(record, fields.affected)))),
        tags=(name, *_texts(record, fields.tags)),
        extra=extra,
        source=f"{name}:{':'.join(filter(None, named)) or 'report'}",
        pointer=f"trace:{trace}" if trace else _text(record, fields.pointer),
    )


def _values(record: dict[str, Any], path: str, *, around: bool = False) -> list[Any]:
    """What stands at the end of a path, once a row of the lists on the way; with `around` a row
    takes over what the objects around its list say."""
    found: list[Any] = [record]
    for step in filter(None, path.split("/")):
        outer = _objects(found)
        name = step.removesuffix("[]")
        if name == step:
            found = [each[name] for each in outer if name in each]
            continue
        found = []
        for each in outer:
            rows = cast(list[Any], each[name]) if isinstance(each.get(name), list) else []
            said = {k: v for k, v in each.items() if not isinstance(v, list)} if around else {}
            found += [{**said, **row} if isinstance(row, dict) else row for row in rows]
    return found


def _objects(values: Sequence[Any]) -> list[dict[str, Any]]:
    return [cast(dict[str, Any], each) for each in values if isinstance(each, dict)]


def _texts(record: dict[str, Any], paths: Sequence[str]) -> tuple[str, ...]:
    """The texts (and numbers) at the ends of the paths, each once."""
    values = (value for path in paths for value in _values(record, path))
    return tuple(dict.fromkeys(text for v in values if (text := Fields({"": v}).text(""))))


def _text(record: dict[str, Any], paths: Sequence[str]) -> str:
    return next(iter(_texts(record, paths)), "")


def _with_attributes(record: dict[str, Any]) -> dict[str, Any]:
    """A log record whose attributes, those of its resource included, are an object."""
    if "attributes" not in record:
        return record
    about = Fields(record).inside("resource").record.get("attributes")
    return {**record, "attributes": {**_attributes(about), **_attributes(record["attributes"])}}


def _attributes(attributes: object) -> dict[str, Any]:
    """Attributes as an object: OTLP writes a list of keys and typed values."""
    if isinstance(attributes, dict):
        return cast(dict[str, Any], attributes)
    found: dict[str, Any] = {}
    for row in Fields({"rows": attributes}, []).objects("rows"):
        value = row.inside("value").record
        given = next((value[kind] for kind in _OTLP_VALUES if kind in value), None)
        if given is not None and (key := row.text("key")):
            found[key] = given
    return found


def _is_event(record: dict[str, Any]) -> bool:
    """Whether a log record is an event (it has a name) or at least a warning."""
    number = record.get("severityNumber")
    if isinstance(number, int) and number >= _OTLP_WARN:
        return True
    fields = field_maps()["otel"]
    word = _text(record, fields.severity).upper()
    return bool(_text(record, fields.id[0])) or word in ("WARN", "ERROR", "FATAL", "CRITICAL")

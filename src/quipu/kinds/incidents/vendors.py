"""Incident and outcome records in Quipu's own words (docs/how-to/incidents.md), and those of other
systems by the field maps of `vendors.toml`: a further system is a further table there.

A path leads to a field: `labels/service` is inside an object, `alerts[]` each row of a list. An
object takes over what the objects around it say and it does not. The body of a log record is not
kept.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from importlib.resources import files
from typing import Annotated, Any, TypeAlias, cast

import msgspec
from msgspec import Meta

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import (
    METRICS,
    BlastRadius,
    IncidentReport,
    Metrics,
    OutcomeReport,
    Severity,
    check_component,
    check_metric,
    severity_of,
)
from quipu.read.fields import Fields, prose_of, slug
from quipu.records.misfit import misfit
from quipu.records.record import Properties

__all__ = ["component_of", "grade", "metrics_in", "numbers_an_incident", "outcome", "readers_of"]

Made: TypeAlias = IncidentReport | tuple[str, OutcomeReport] | None

_METRIC_OF = {name: name for name in METRICS} | {
    "latency_ms": "latency_p99",
    "latency": "latency_p99",
    "cpu": "cpu_util",
    "memory": "memory_util",
    "cpu_utilization": "cpu_util",
    "memory_utilization": "memory_util",
}
_PLAIN = str.maketrans(".- ", "___")
_READ = {
    *IncidentReport.__struct_fields__,
    *OutcomeReport.__struct_fields__,
    *("outcome", "started_at", "time", "name", "description", "url", "link"),
}
_RAW = {"log", "logs", "raw", "raw_log", "raw_logs", "body", "payload", "stack_trace"}
_EMBEDDING_ID = cast("type[int]", Annotated[int, Meta(ge=0, le=2**63 - 1)])
_LONGEST_EXTRA = 4_000  # characters of JSON
_LONGEST_TITLE = 200
_OTLP_WARN = 13
_UNNAMED = "report"
"""What a report is called whose system gives it no id."""
_OTLP_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue")


class FieldMap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a system's reports stand, how one is known (`has`: all keys of one row), and which
    paths hold what; `id` is joined from the first of each row, and is that of one incident, not
    that of one alert or event of it, where the system `numbers_incidents`."""

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
    numbers_incidents: bool = True


@lru_cache(maxsize=1)
def _field_maps() -> dict[str, FieldMap]:
    text = files("quipu.kinds.incidents").joinpath("vendors.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, FieldMap])


def readers_of(
    record: dict[str, Any], pointer: str
) -> Iterator[tuple[Fields, Callable[[Fields], Made]]]:
    """Each report in an object with what reads it: our own words, or the first system that knows
    any of them. A reader gives None for a log record that is no event, and raises InvalidInput."""
    if "component" in record:
        yield Fields(record), partial(_record, pointer=pointer)
        return
    if {"incident_id", "actions_taken"} <= record.keys():
        yield Fields(record), lambda fields: (fields.text("incident_id"), outcome(fields))
        return
    for name, known in _field_maps().items():
        for place in known.at:
            rows = _objects(_values(record, place, around=True))
            found = [row for row in rows if any(row.keys() >= {*keys} for keys in known.has)]
            if found:
                yield from ((Fields(row), partial(_foreign, name)) for row in found)
                return


def numbers_an_incident(source: str) -> bool:
    """Whether `source` (`pagerduty:PT4KHLK`) is a system's own id of an incident: two of them are
    two incidents, however near in time."""
    system, _, own = source.partition(":")
    known = _field_maps().get(system)
    return known is not None and known.numbers_incidents and own not in ("", _UNNAMED)


def component_of(written: Mapping[str, str]) -> tuple[str, Properties]:
    """The first of these that gives a component, and the word as written where it differs.

    Other systems name services freely: `Payment Service` becomes `payment-service`.
    """
    for word in written.values():
        if component := slug(word):
            return component, {"component_as_written": word} if word != component else {}
    raise InvalidInput(f"no field names a component: one of {', '.join(written)} is needed")


def grade(problems: list[str], *words: str) -> tuple[Severity | None, str]:
    """The severity of the first word that is there, and that word where it says more."""
    for word in filter(None, words):
        try:
            severity = severity_of(word)
        except InvalidInput as error:
            problems.append(str(error))
            continue
        kept = word != str(severity) or severity == Severity.INFO  # somebody called it INFO
        return severity, word if kept else ""
    return None, ""


def metrics_in(*places: Fields) -> Metrics:
    """What was measured, in these objects; the first that names a metric counts, by our own name
    before another: `error.rate` and `Error rate` are `error_rate`."""
    order = list(_METRIC_OF)
    found: dict[str, float] = {}
    for place in places:
        named = ((_metric(written), written) for written in place.record)
        for plain, written in sorted((order.index(p), w) for p, w in named if p in _METRIC_OF):
            name = _METRIC_OF[order[plain]]
            value = place.read(written, lambda v, n=name: check_metric(n, v), None)
            if value is not None:
                found.setdefault(name, value)
    return Metrics(**found)


def _metric(name: str) -> str:
    return name.translate(_PLAIN).casefold()


def _record(fields: Fields, *, pointer: str) -> IncidentReport:
    """The report in our own words; InvalidInput when its component cannot be used."""
    tried = [*fields.objects("outcomes"), *fields.objects("outcome")]
    tried += [fields] if "actions_taken" in fields else []
    component = check_component(fields.record.get("component"))
    severity, word = grade(fields.problems, fields.text("severity"))
    return IncidentReport(
        component=component,
        timestamp=fields.instant("timestamp", "started_at", "time"),
        severity=severity,
        source_severity=word,
        metrics=metrics_in(fields, fields.inside("metrics")),
        title=prose_of(fields.text("title", "name"), limit=_LONGEST_TITLE),
        summary=prose_of(fields.text("summary", "description")),
        root_cause=prose_of(fields.text("root_cause")),
        affected_services=_services(fields, "affected_services"),
        upstream_deps=_services(fields, "upstream_deps"),
        downstream_deps=_services(fields, "downstream_deps"),
        blast_radius=fields.fit("blast_radius", BlastRadius),
        outcomes=tuple(made for each in tried if (made := _tried(each)) is not None),
        tags=fields.names("tags"),
        extra=_extra(fields),
        source=fields.text("source"),
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
    measured = {f"metrics.{name}": each for name, each in fields.inside("metrics").record.items()}
    kept: Properties = {}
    for name, value in {**fields.record, **measured}.items():
        known = name in _READ or _metric(name.removeprefix("metrics.")) in _METRIC_OF
        if known or value is None:
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


def _foreign(name: str, report: Fields) -> IncidentReport | None:
    """The report of an object of this system; None for a log record that is neither an event nor
    a warning, InvalidInput when nothing names a component."""
    known = _field_maps()[name]
    record = _with_attributes(dict(report.record))
    if name == "otel" and not _is_event(record):
        return None
    component, extra = component_of({path: _text(record, [path]) for path in known.component})
    severity, word = grade(report.problems, *(_text(record, [path]) for path in known.severity))
    ended = None
    if _text(record, ["status"]) != "firing":
        ended = _instant(record, known.resolved_at, report.problems)
    trace = _text(record, known.trace)
    measured = [found for path in known.metrics for found in _objects(_values(record, path))]
    named = (_text(record, paths) for paths in known.id)
    return IncidentReport(
        component=component,
        timestamp=_instant(record, known.timestamp, report.problems),
        severity=severity,
        source_severity=word,
        metrics=metrics_in(*(Fields(found, report.problems) for found in measured)),
        title=prose_of(_text(record, known.title), limit=_LONGEST_TITLE),
        summary=prose_of(_text(record, known.summary)),
        affected_services=tuple(filter(None, map(slug, _texts(record, known.affected)))),
        tags=(name, *_texts(record, known.tags)),
        extra={**extra, "resolved_at": ended} if ended else extra,
        source=f"{name}:{':'.join(filter(None, named)) or _UNNAMED}",
        pointer=f"trace:{trace}" if trace else _text(record, known.pointer),
    )


def _values(record: dict[str, Any], path: str, *, around: bool = False) -> list[Any]:
    """What stands at the end of a path, once a row of the lists on the way; with `around` it
    takes over what the objects around it say."""
    found: list[Any] = [record]
    for step in filter(None, path.split("/")):
        outer, name, found = _objects(found), step.removesuffix("[]"), []
        for held in outer:
            inner = held.get(name)
            several = cast(list[Any], inner) if isinstance(inner, list) else []
            rows: list[Any] = [inner] if name == step else several
            said = {k: v for k, v in held.items() if not isinstance(v, list)} if around else {}
            found += [{**said, **row} if isinstance(row, dict) else row for row in rows]
    return [value for value in found if value is not None]


def _objects(values: Sequence[Any]) -> list[dict[str, Any]]:
    return [cast(dict[str, Any], value) for value in values if isinstance(value, dict)]


def _texts(record: dict[str, Any], paths: Sequence[str]) -> tuple[str, ...]:
    """The texts (and numbers) at the ends of the paths, each once."""
    values = (value for path in paths for value in _values(record, path))
    return tuple(dict.fromkeys(text for v in values if (text := Fields({"": v}).text(""))))


def _text(record: dict[str, Any], paths: Sequence[str]) -> str:
    return next(iter(_texts(record, paths)), "")


def _instant(record: dict[str, Any], paths: Sequence[str], problems: list[str]) -> str | None:
    """The first value at the ends of the paths, as an instant."""
    values = ((path, value) for path in paths for value in _values(record, path))
    path, value = next(values, ("", None))
    return Fields({path: value}, problems).instant(path)


def _with_attributes(record: dict[str, Any]) -> dict[str, Any]:
    """A log record whose attributes, those of its resource included, are an object; OTLP writes
    them as a list of keys and typed values."""
    if "attributes" not in record:
        return record
    found: dict[str, Any] = {}
    for attributes in (*_values(record, "resource/attributes"), record["attributes"]):
        if isinstance(attributes, dict):
            found |= cast(dict[str, Any], attributes)
            continue
        for row in Fields({"rows": attributes}, []).objects("rows"):
            value = row.inside("value").record
            given = next((value[kind] for kind in _OTLP_VALUES if kind in value), None)
            if given is not None and (key := row.text("key")):
                found[key] = given
    return {**record, "attributes": found}


def _is_event(record: dict[str, Any]) -> bool:
    """Whether a log record is an event (it has a name) or at least a warning."""
    number, known = record.get("severityNumber"), _field_maps()["otel"]
    warned = isinstance(number, int) and number >= _OTLP_WARN
    word = _text(record, known.severity).upper()
    return (
        warned or bool(_text(record, known.id[0])) or word in ("WARN", "ERROR", "FATAL", "CRITICAL")
    )

"""Incidents as people and other systems write them, read into reports.

Which reader takes a text is seen from the text: Markdown with the headings of a post-mortem, JSON
or JSON lines of records in our own words (docs/how-to/incidents.md) or of a system in
`vendors.toml`. All are brought into our own words first, and read from these. One bad record, or
one bad field, is a problem that names it; the rest goes in.

In `vendors.toml` a path leads to a field: `labels/service` is inside an object, `alerts[]` each row
of a list. An object takes over what the objects around it say and it does not. The body of a log
record is not kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias, cast

import msgspec
from msgspec import Meta

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import (
    BlastRadius,
    IncidentReport,
    Metrics,
    OutcomeReport,
    Severity,
    check_component,
    check_metric,
    component_of,
    measured,
    metric_of,
    severity_of,
)
from quipu.kinds.incidents.postmortem import read_postmortem
from quipu.limits import LARGEST_FILE, LONGEST_TITLE, LONGEST_VALUE
from quipu.read.fields import Fields, json_rows, prose_of, slug
from quipu.read.reading import Calling, here
from quipu.read.source import files_in, read_stable
from quipu.records.document import Problem
from quipu.records.misfit import misfit
from quipu.records.record import Properties
from quipu.tables import read_table

__all__ = [
    "IncidentsRead",
    "numbers_an_incident",
    "outcome",
    "read_incident_files",
    "read_incidents",
    "read_rows",
]

_OTLP_WARN = 13  # the severity number from which a log record warns

_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".md", ".markdown"})
_READ = {
    *IncidentReport.__struct_fields__,
    *OutcomeReport.__struct_fields__,
    *("outcome", "started_at", "time", "name", "description", "url", "link"),
}
_RAW = {"log", "logs", "raw", "raw_log", "raw_logs", "body", "payload", "stack_trace"}
_EMBEDDING_ID = cast("type[int]", Annotated[int, Meta(ge=0, le=2**63 - 1)])

_UNNAMED = "report"
"""What a report is called whose system gives it no id."""


class IncidentsRead(NamedTuple):
    """`outcomes` stand beside the incidents they name, which may be in the memory already."""

    reports: tuple[IncidentReport, ...] = ()
    outcomes: tuple[tuple[str, OutcomeReport], ...] = ()
    problems: tuple[Problem, ...] = ()


Read: TypeAlias = IncidentReport | tuple[str, OutcomeReport] | Problem


def read_incident_files(
    paths: list[Path], *, component: str = "", call: Calling = here
) -> IncidentsRead:
    """Return every report in the files, and in the files of folders, by path; `component` is what a
    post-mortem was about that does not say."""
    found: list[Read] = []
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"there is no file {str(path)!r}: name a file or a folder")
        files, closed = files_in(path, _SUFFIXES)
        found += [Problem(problem.path, problem.error) for problem in closed]
        for file in files:
            shown = file.as_posix()
            try:
                data = read_stable(file.resolve(), shown=shown, max_bytes=LARGEST_FILE)
                if isinstance(data, Problem):
                    raise InvalidInput(data.error)
                read = call(read_incidents, data, path=shown, component=component)
            except (OSError, InvalidInput) as error:
                found.append(Problem(shown, str(error)))
                continue
            found += [*read.reports, *read.outcomes, *read.problems]
    return _sorted(found)


def read_incidents(data: bytes | str, *, path: str, component: str = "") -> IncidentsRead:
    """Return every report in one text; `path` is where it stands, for problems and pointers, and
    `component` what a post-mortem was about that does not say.

    Raises InvalidInput when it is neither a post-mortem nor JSON.
    """
    text = data.decode("utf-8-sig", "replace") if isinstance(data, bytes) else data
    if text.lstrip()[:1] in ("{", "["):
        return read_rows(json_rows(path, text), pointer=path)
    warnings: list[str] = []
    try:
        record = read_postmortem(text, warnings, path=path, component=component)
    except InvalidInput as error:
        return IncidentsRead(problems=(Problem(path, str(error)),))
    if record is None:
        raise InvalidInput(
            f"{path!r} is neither JSON nor a post-mortem in Markdown: a post-mortem has a "
            "heading such as Timeline, Impact or Root cause"
        )
    read = read_rows([(path, record)])
    doubts = tuple(Problem(path, said, "warning") for said in warnings)
    return read._replace(problems=(*read.problems, *doubts))


def read_rows(rows: Iterable[tuple[str, object]], *, pointer: str = "") -> IncidentsRead:
    """Return what objects hold, each given with where it stands, whichever system they are from."""
    return _sorted(read for at, row in rows for read in _row(row, at, pointer))


def _sorted(read: Iterable[Read]) -> IncidentsRead:
    every = list(read)
    return IncidentsRead(
        tuple(row for row in every if isinstance(row, IncidentReport)),
        tuple(row for row in every if not isinstance(row, IncidentReport | Problem)),
        tuple(row for row in every if isinstance(row, Problem)),
    )


def _row(row: object, at: str, pointer: str) -> Iterator[Read]:
    if isinstance(row, IncidentReport | Problem):
        yield row
        return
    if not isinstance(row, dict):
        yield Problem(at, f"{row!r} is not an object")
        return
    record = cast(dict[str, Any], row)
    is_own = "component" in record or {"incident_id", "actions_taken"} <= record.keys()
    found = [("", record)] if is_own else _foreign_records(record)
    if not found:
        keys = ", ".join(map(repr, sorted(record)[:8]))
        yield Problem(at, f"is no incident: component is missing (it has {keys or 'no keys'})")
    for number, (system, each) in enumerate(found, 1):
        item = f"item {number}: " if len(found) > 1 else ""
        try:
            own = _translated(system, each) if system else each
            if own is not None:
                fields = Fields(own)
                yield _read(fields, pointer)
                yield from (Problem(at, f"{item}{said}", "warning") for said in fields.problems)
        except InvalidInput as error:
            yield Problem(at, f"{item}{error}")


def _read(fields: Fields, pointer: str) -> IncidentReport | tuple[str, OutcomeReport]:
    """The report, or the attempt at an incident, in our own words; InvalidInput when its component,
    or the attempt, cannot be used."""
    if "component" not in fields.record:
        return fields.text("incident_id"), outcome(fields)
    tried = [*fields.objects("outcomes"), *fields.objects("outcome")]
    tried += [fields] if "actions_taken" in fields else []
    component = check_component(fields.record.get("component"))
    severity, word = _severity(fields)
    return IncidentReport(
        component=component,
        timestamp=fields.instant("timestamp", "started_at", "time"),
        severity=severity,
        source_severity=word,
        metrics=_metrics(fields, fields.inside("metrics")),
        title=prose_of(fields.text("title", "name"), limit=LONGEST_TITLE),
        summary=prose_of(fields.text("summary", "description")),
        root_cause=prose_of(fields.text("root_cause")),
        affected_services=_services(fields, "affected_services"),
        upstream_deps=_services(fields, "upstream_deps"),
        downstream_deps=_services(fields, "downstream_deps"),
        blast_radius=fields.fit("blast_radius", BlastRadius),
        outcomes=tuple(made for each in tried if (made := _tried(each)) is not None),
        tags=fields.names("tags"),
        extra={**(fields.fit("extra", Properties) or {}), **_extra(fields)},
        source=fields.text("source"),
        pointer=fields.text("pointer", "url", "link") or pointer,
        incident_id=fields.text("incident_id"),
        embedding_id=fields.fit("embedding_id", _EMBEDDING_ID),
        agent_analysis=fields.fit("agent_analysis", Properties),
        predictive_insights=fields.fit("predictive_insights", Properties),
    )


def _severity(fields: Fields) -> tuple[Severity | None, str]:
    """The severity, and its source's word for it where that says more."""
    word = fields.text("severity")
    severity = severity_of(word)
    if severity is None:
        if word:
            fields.problems.append(
                f"severity {word!r} is unknown: use INFO, WARN or CRITICAL (low, medium, high and "
                "critical are understood too)"
            )
        return None, ""
    kept = word != str(severity) or severity == Severity.INFO  # somebody called it INFO
    given = fields.record.get("source_severity")
    return severity, given if isinstance(given, str) else word if kept else ""


def _metrics(*places: Fields) -> Metrics:
    """What was measured, in these objects; the first that names a metric counts, by our own name
    before another: `error.rate` and `Error rate` are `error_rate`."""
    found: dict[str, float] = {}
    for place in places:
        named = ((name, written) for written in place.record if (name := metric_of(written)))
        for name, written in sorted(named, key=lambda pair: pair[0] != pair[1]):
            value = place.read(written, lambda v, n=name: check_metric(n, v), None)
            if value is not None:
                found.setdefault(name, value)
    return Metrics(**found)


def outcome(fields: Fields) -> OutcomeReport:
    """Return the attempt that an object holds; InvalidInput when it cannot be used."""
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
        if name in _READ or metric_of(name.removeprefix("metrics.")) or value is None:
            continue
        written = msgspec.json.encode(value)
        if name in _RAW or len(written) > LONGEST_VALUE:
            what = "raw data is" if name in _RAW else f"more than {LONGEST_VALUE} characters are"
            fields.problems.append(f"{name}: {what} not kept; name a pointer to where it stays")
        elif msgspec.json.decode(written) != value:
            fields.problems.append(f"{name}: holds a number out of range")
        else:
            kept[name] = value
    return kept


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
    return msgspec.convert(read_table("quipu.kinds.incidents", "vendors.toml"), dict[str, FieldMap])


def _foreign_records(record: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return each report in an object and the system it is of: the first that knows any of them."""
    for system, known in _field_maps().items():
        for place in known.at:
            rows = _objects(_values(record, place, around=True))
            found = [row for row in rows if any(row.keys() >= {*keys} for keys in known.has)]
            if found:
                return [(system, row) for row in found]
    return []


def numbers_an_incident(source: str) -> bool:
    """Return whether `source` (`pagerduty:PT4KHLK`) is a system's own id of an incident: two of
    them are two incidents, however near in time."""
    system, _, own = source.partition(":")
    known = _field_maps().get(system)
    return known is not None and known.numbers_incidents and own not in ("", _UNNAMED)


def _translated(system: str, record: dict[str, Any]) -> dict[str, Any] | None:
    """Return an object of this system as a record of our own; None for a log record that is neither
    an event nor a warning. InvalidInput when nothing names a component."""
    known, record = _field_maps()[system], _with_attributes(record)
    if system == "otel" and not _is_event(record, known):
        return None
    component, extra = component_of({path: _text(record, [path]) for path in known.component})
    words = _texts(record, known.severity)
    own: dict[str, Any] = {
        **extra,
        "component": component,
        "severity": next(filter(severity_of, words), next(iter(words), None)),
        "timestamp": _first(record, known.timestamp),
        "metrics": measured(o for path in known.metrics for o in _objects(_values(record, path))),
        "title": _text(record, known.title),
        "summary": _text(record, known.summary),
        "affected_services": [*filter(None, map(slug, _texts(record, known.affected)))],
        "tags": [system, *_texts(record, known.tags)],
        "source": f"{system}:{':'.join(_ids(record, known)) or _UNNAMED}",
        "pointer": _text(record, known.pointer),
    }
    if trace := _text(record, known.trace):
        own["pointer"] = f"trace:{trace}"
    if _text(record, ["status"]) != "firing":
        own["resolved_at"] = _first(record, known.resolved_at)
    return own


def _ids(record: dict[str, Any], known: FieldMap) -> Iterator[str]:
    yield from filter(None, (_text(record, paths) for paths in known.id))


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


def _first(record: dict[str, Any], paths: Sequence[str]) -> Any:
    return next((value for path in paths for value in _values(record, path)), None)


def _texts(record: dict[str, Any], paths: Sequence[str]) -> tuple[str, ...]:
    """The texts (and numbers) at the ends of the paths, each once."""
    values = (value for path in paths for value in _values(record, path))
    return tuple(dict.fromkeys(text for v in values if (text := Fields({"": v}).text(""))))


def _text(record: dict[str, Any], paths: Sequence[str]) -> str:
    return next(iter(_texts(record, paths)), "")


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
        for row in Fields({"rows": attributes}).objects("rows"):
            typed = list(row.inside("value").record.values())  # {"stringValue": "x"}
            if typed and (key := row.text("key")):
                found[key] = typed[0]
    return {**record, "attributes": found}


def _is_event(record: dict[str, Any], known: FieldMap) -> bool:
    """Whether a log record is an event (it has a name) or at least a warning."""
    number = record.get("severityNumber")
    warned = isinstance(number, int) and number >= _OTLP_WARN
    word = _text(record, known.severity).upper()
    return (
        warned or bool(_text(record, known.id[0])) or word in ("WARN", "ERROR", "FATAL", "CRITICAL")
    )

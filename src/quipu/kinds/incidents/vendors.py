"""Records of other systems in Quipu's own words, by the field maps of `vendors.toml`: a further
system is a further table there.

A path leads to a field: `labels/service` is inside an object, `alerts[]` each row of a list. An
object takes over what the objects around it say and it does not. The body of a log record is not
kept.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, cast

import msgspec

from quipu.kinds.incidents.model import component_of, is_severity, measured
from quipu.read.fields import Fields, slug
from quipu.tables import read_table

__all__ = ["foreign_records", "numbers_an_incident", "translated"]

_UNNAMED = "report"
"""What a report is called whose system gives it no id."""
_OTLP_WARN = 13
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
    return msgspec.convert(read_table("quipu.kinds.incidents", "vendors.toml"), dict[str, FieldMap])


def foreign_records(record: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
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


def translated(system: str, record: dict[str, Any]) -> dict[str, Any] | None:
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
        "severity": next(filter(is_severity, words), next(iter(words), None)),
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
            value = row.inside("value").record
            given = next((value[kind] for kind in _OTLP_VALUES if kind in value), None)
            if given is not None and (key := row.text("key")):
                found[key] = given
    return {**record, "attributes": found}


def _is_event(record: dict[str, Any], known: FieldMap) -> bool:
    """Whether a log record is an event (it has a name) or at least a warning."""
    number = record.get("severityNumber")
    warned = isinstance(number, int) and number >= _OTLP_WARN
    word = _text(record, known.severity).upper()
    return (
        warned or bool(_text(record, known.id[0])) or word in ("WARN", "ERROR", "FATAL", "CRITICAL")
    )

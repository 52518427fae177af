"""Incidents as other systems write them, read into reports.

Which reader takes a text is seen from the text: Markdown with the headings of a post-mortem, JSON
or JSON lines of our own records, of Alertmanager, PagerDuty, Opsgenie or OpenTelemetry. One bad
record, or one bad field, is a problem that names it; the rest goes in.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import IncidentReport, OutcomeReport
from quipu.kinds.incidents.read import native, postmortem, vendors
from quipu.read.calling import Calling, here
from quipu.read.fields import Fields, json_value
from quipu.read.source import read_stable
from quipu.records.document import Problem

__all__ = ["IncidentsRead", "read_incident_files", "read_incidents", "read_record"]

_LARGEST = 50_000_000
_SUFFIXES = (".json", ".jsonl", ".ndjson", ".md", ".markdown")


class IncidentsRead(NamedTuple):
    """`outcomes` stand beside the incidents they name, which may be in the memory already."""

    reports: tuple[IncidentReport, ...] = ()
    outcomes: tuple[tuple[str, OutcomeReport], ...] = ()
    problems: tuple[Problem, ...] = ()


Made = IncidentReport | tuple[str, OutcomeReport] | None


class _ParsedFile(NamedTuple):
    reports: list[IncidentReport]
    outcomes: list[tuple[str, OutcomeReport]]
    problems: list[Problem]

    def take(self, at: str, make: Callable[[], Made], warnings: list[str]) -> None:
        """Keep what `make` gives; its error, and what it told of fields, become problems."""
        try:
            made = make()
        except InvalidInput as error:
            self.problems.append(Problem(at, str(error)))
            made = None
        if isinstance(made, IncidentReport):
            self.reports.append(made)
        elif made is not None:
            self.outcomes.append(made)
        self.problems.extend(Problem(at, text, "warning") for text in warnings)

    def done(self) -> IncidentsRead:
        return IncidentsRead(tuple(self.reports), tuple(self.outcomes), tuple(self.problems))


def read_incident_files(
    paths: list[Path], *, component: str = "", call: Calling = here
) -> IncidentsRead:
    """Every report in the files, and in the files of folders, by path; `component` is what a
    post-mortem was about that does not say."""
    found = _ParsedFile([], [], [])
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"there is no file {str(path)!r}: name a file or a folder")
        inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in _SUFFIXES)
        for file in inside if path.is_dir() else [path]:
            try:
                if file.stat().st_size > _LARGEST:
                    raise InvalidInput(f"is larger than {_LARGEST:,} bytes: split it")
                data = read_stable(file.resolve(), shown=file.as_posix(), max_bytes=_LARGEST)
                if isinstance(data, Problem):
                    raise InvalidInput(data.error)
                read = call(read_incidents, data, path=file.as_posix(), component=component)
            except (OSError, InvalidInput) as error:
                found.problems.append(Problem(file.as_posix(), str(error)))
                continue
            found.reports.extend(read.reports)
            found.outcomes.extend(read.outcomes)
            found.problems.extend(read.problems)
    return found.done()


def read_incidents(data: bytes | str, *, path: str, component: str = "") -> IncidentsRead:
    """Every report in one text; `path` is where it stands, for problems and pointers, and
    `component` what a post-mortem was about that does not say.

    Raises InvalidInput when it is neither a post-mortem nor JSON.
    """
    text = data.decode("utf-8-sig", "replace") if isinstance(data, bytes) else data
    found = _ParsedFile([], [], [])
    rows = _rows(text)
    if rows is None:
        if not postmortem.is_postmortem(text):
            raise InvalidInput(
                f"{path!r} is neither JSON nor a post-mortem in Markdown: a post-mortem has a "
                "heading such as Timeline, Impact or Root cause"
            )
        warnings: list[str] = []
        found.take(
            path,
            lambda: postmortem.report(text, path=path, problems=warnings, component=component),
            warnings,
        )
        return found.done()
    for line, row in rows:
        at = f"{path}:{line}" if line else path
        if isinstance(row, InvalidInput):
            found.problems.append(Problem(at, str(row)))
        elif isinstance(row, dict):
            _take_object(cast(dict[str, Any], row), at, found, pointer=path)
        else:
            found.problems.append(Problem(at, f"{row!r} is not an object"))
    return found.done()


def read_record(record: dict[str, Any], *, source: str = "", pointer: str = "") -> IncidentsRead:
    """What one object holds, whichever system it is from."""
    found = _ParsedFile([], [], [])
    _take_object(record, source or "record", found, source=source, pointer=pointer)
    return found.done()


def _rows(text: str) -> list[tuple[int, Any]] | None:
    """The values in a text with their lines (0 for one whole value), or None for no JSON."""
    shown = text.lstrip()
    if shown[:1] not in ("{", "["):
        return None
    try:
        whole = json_value(shown)
    except (msgspec.DecodeError, RecursionError):
        return _lines(text)
    if isinstance(whole, list):
        rows = cast(list[Any], whole)
        return [(at, row) for at, row in enumerate(rows, 1)]
    return [(0, whole)]


def _lines(text: str) -> list[tuple[int, Any]]:
    rows: list[tuple[int, Any]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append((number, json_value(line)))
        except (msgspec.DecodeError, RecursionError) as error:
            rows.append((number, InvalidInput(f"is not JSON ({error})")))
    return rows


def _take_object(
    record: dict[str, Any], at: str, found: _ParsedFile, *, source: str = "", pointer: str = ""
) -> None:
    """Give the object, or each one in it, to the reader that knows it."""
    fields = Fields(record)
    if native.is_record(record):
        found.take(
            at, lambda: native.record(fields, source=source, pointer=pointer), fields.problems
        )
    elif native.is_outcome(record):
        named = fields.text("incident_id")
        found.take(at, lambda: (named, native.outcome(fields)), fields.problems)
    elif reports := list(vendors.reports_in(record)):
        for name, each in reports:
            found.take(at, lambda n=name, e=each: vendors.vendor_report(n, e), each.problems)
    else:
        keys = ", ".join(map(repr, sorted(record)[:8]))
        found.problems.append(
            Problem(at, f"is no incident: component is missing (it has {keys or 'no keys'})")
        )

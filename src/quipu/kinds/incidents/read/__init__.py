"""Incidents as other systems write them, read into reports.

Which reader takes a text is seen from the text: Markdown with the headings of a post-mortem, JSON
or JSON lines of our own records, of Alertmanager, PagerDuty, Opsgenie or OpenTelemetry. One bad
record, or one bad field, is a problem that names it; the rest goes in.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import IncidentReport, OutcomeReport
from quipu.kinds.incidents.read import native, postmortem, vendors
from quipu.read.calling import Calling, here
from quipu.read.fields import Fields, json_rows
from quipu.read.folder import files_in
from quipu.read.source import read_stable
from quipu.records.document import Problem

__all__ = ["IncidentsRead", "read_incident_files", "read_incidents", "read_record"]

_LARGEST = 50_000_000
_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".md", ".markdown"})


class IncidentsRead(NamedTuple):
    """`outcomes` stand beside the incidents they name, which may be in the memory already."""

    reports: tuple[IncidentReport, ...] = ()
    outcomes: tuple[tuple[str, OutcomeReport], ...] = ()
    problems: tuple[Problem, ...] = ()


Read = IncidentReport | tuple[str, OutcomeReport] | Problem


def _sorted(read: Iterable[Read]) -> IncidentsRead:
    every = list(read)
    return IncidentsRead(
        tuple(each for each in every if isinstance(each, IncidentReport)),
        tuple(e for e in every if not isinstance(e, IncidentReport | Problem)),
        tuple(each for each in every if isinstance(each, Problem)),
    )


def read_incident_files(
    paths: list[Path], *, component: str = "", call: Calling = here
) -> IncidentsRead:
    """Every report in the files, and in the files of folders, by path; `component` is what a
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
                data = read_stable(file.resolve(), shown=shown, max_bytes=_LARGEST)
                if isinstance(data, Problem):
                    raise InvalidInput(data.error)
                read = call(read_incidents, data, path=shown, component=component)
            except (OSError, InvalidInput) as error:
                found.append(Problem(shown, str(error)))
                continue
            found += [*read.reports, *read.outcomes, *read.problems]
    return _sorted(found)


def read_incidents(data: bytes | str, *, path: str, component: str = "") -> IncidentsRead:
    """Every report in one text; `path` is where it stands, for problems and pointers, and
    `component` what a post-mortem was about that does not say.

    Raises InvalidInput when it is neither a post-mortem nor JSON.
    """
    text = data.decode("utf-8-sig", "replace") if isinstance(data, bytes) else data
    if text.lstrip()[:1] in ("{", "["):
        rows = json_rows(path, text)
        return _sorted(each for at, row in rows for each in _row(row, at, pointer=path))
    if not postmortem.is_postmortem(text):
        raise InvalidInput(
            f"{path!r} is neither JSON nor a post-mortem in Markdown: a post-mortem has a "
            "heading such as Timeline, Impact or Root cause"
        )
    warnings: list[str] = []
    try:
        made = postmortem.report(text, path=path, problems=warnings, component=component)
    except InvalidInput as error:
        return IncidentsRead(problems=(Problem(path, str(error)),))
    return IncidentsRead((made,), (), tuple(Problem(path, text, "warning") for text in warnings))


def read_record(record: dict[str, Any], *, source: str = "", pointer: str = "") -> IncidentsRead:
    """What one object holds, whichever system it is from."""
    return _sorted(_row(record, source or "record", source=source, pointer=pointer))


def _row(row: object, at: str, *, source: str = "", pointer: str = "") -> Iterator[Read]:
    """What the reader makes of an object, or of each one in it, that knows it; its error, and
    what it tells of fields, are problems."""
    if not isinstance(row, dict):
        yield row if isinstance(row, Problem) else Problem(at, f"{row!r} is not an object")
        return
    record = cast(dict[str, Any], row)
    own = native.is_record(record) or native.is_outcome(record)
    found = [("", Fields(record))] if own else list(vendors.reports_in(record))
    if not found:
        keys = ", ".join(map(repr, sorted(record)[:8]))
        yield Problem(at, f"is no incident: component is missing (it has {keys or 'no keys'})")
    for system, fields in found:
        try:
            if system:
                made = vendors.vendor_report(system, fields)
            elif native.is_outcome(record):
                made = fields.text("incident_id"), native.outcome(fields)
            else:
                made = native.record(fields, source=source, pointer=pointer)
        except InvalidInput as error:
            made = Problem(at, str(error))
        if made is not None:
            yield made
        yield from (Problem(at, text, "warning") for text in fields.problems)

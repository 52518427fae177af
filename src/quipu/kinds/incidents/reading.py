"""Incidents as other systems write them, read into reports.

Which reader takes a text is seen from the text: Markdown with the headings of a post-mortem, JSON
or JSON lines of our own records or of a system in `vendors.toml`. One bad record, or one bad field,
is a problem that names it; the rest goes in.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import IncidentReport, OutcomeReport
from quipu.kinds.incidents.postmortem import read_postmortem
from quipu.kinds.incidents.vendors import readers_of
from quipu.read.fields import json_rows
from quipu.read.reading import Calling, here
from quipu.read.source import files_in, read_stable
from quipu.records.document import Problem

__all__ = ["IncidentsRead", "read_incident_files", "read_incidents", "read_rows"]

_LARGEST = 50_000_000
_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".md", ".markdown"})


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
    """Return every report in one text; `path` is where it stands, for problems and pointers, and
    `component` what a post-mortem was about that does not say.

    Raises InvalidInput when it is neither a post-mortem nor JSON.
    """
    text = data.decode("utf-8-sig", "replace") if isinstance(data, bytes) else data
    if text.lstrip()[:1] in ("{", "["):
        return read_rows(json_rows(path, text), pointer=path)
    warnings: list[str] = []
    try:
        report = read_postmortem(text, warnings, path=path, component=component)
    except InvalidInput as error:
        return IncidentsRead(problems=(Problem(path, str(error)),))
    if report is None:
        raise InvalidInput(
            f"{path!r} is neither JSON nor a post-mortem in Markdown: a post-mortem has a "
            "heading such as Timeline, Impact or Root cause"
        )
    return IncidentsRead((report,), (), tuple(Problem(path, said, "warning") for said in warnings))


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
    found = list(readers_of(record, pointer))
    if not found:
        keys = ", ".join(map(repr, sorted(record)[:8]))
        yield Problem(at, f"is no incident: component is missing (it has {keys or 'no keys'})")
    for number, (fields, read) in enumerate(found, 1):
        item = f"item {number}: " if len(found) > 1 else ""
        try:
            made = read(fields)
        except InvalidInput as error:
            made = Problem(at, f"{item}{error}")
        if made is not None:
            yield made
        yield from (Problem(at, f"{item}{said}", "warning") for said in fields.problems)

"""Goals and tasks as people keep them: JSON, JSON lines, Markdown with front matter, task lists.

    read = read_work("plan.json", data, seen=instant)    # pure; never raises for what a file holds

One bad record, or one bad field, is a problem that names the field and the value; the rest goes
in (docs/how-to/goals.md).
"""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.work.model import KINDS, WorkKind
from quipu.kinds.work.read.records import KIND_WORDS, WorkRead, kind_of, read_record, united
from quipu.kinds.work.read.tasklist import is_task_list, read_points, read_task_list
from quipu.read.calling import Calling, here
from quipu.read.decode import decode
from quipu.read.fields import json_value, slug
from quipu.read.folder import files_in
from quipu.read.front_matter import split_front_matter
from quipu.read.redact import Redactor
from quipu.read.source import escaped, read_stable
from quipu.records.document import Problem
from quipu.when.instants import from_epoch

__all__ = ["find_work_files", "is_work", "read_work", "read_work_file"]

_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".md", ".markdown"})
_LARGEST = 50_000_000
_MARKDOWN = frozenset({".md", ".markdown"})
_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_HEAD = 262_144
_KIND = re.compile(rb'"(?:kind|type)"\s*:\s*"(?:goal|objective|task|subtask|todo)"', re.IGNORECASE)
_LISTS = re.compile(rb'^\s*\{[\s\S]{0,400}?"(?:goals|tasks)"\s*:\s*\[', re.IGNORECASE)
_NAMED = frozenset({"todo", "todos", "task", "tasks", "goal", "goals"})


def is_work(path: str, data: bytes, *, sought: bool = True) -> bool:
    """Whether a file holds goals and tasks, by its first 256 KiB. Of files that were only come
    upon in a folder (not `sought`), a plain task list counts when its name says what it is."""
    place, head = PurePosixPath(path.lower()), data[:_HEAD]
    if place.suffix in _JSON:
        return bool(_LISTS.match(head) or _KIND.search(head)) and _holds_records(data)
    if place.suffix not in _MARKDOWN:
        return False
    text = head.decode("utf-8-sig", "replace")
    if _tells_of_work(text):
        return True
    return (sought or place.stem in _NAMED) and is_task_list(text)


def read_work(path: str, data: bytes, *, seen: str, kind: WorkKind | None = None) -> WorkRead:
    """Every goal and task in a file that was last changed at the instant `seen`. `kind` is what
    a record is that does not say so itself."""
    if PurePosixPath(path.lower()).suffix in _MARKDOWN:
        try:
            text, warning = decode(data)
        except InvalidInput as error:
            return WorkRead(problems=(Problem(path, str(error)),))
        clean = Redactor().text(text)
        warnings = (Problem(path, warning, "warning"),) if warning else ()
        read = _read_note if _tells_of_work(clean) else read_task_list
        found = read(path, clean, seen=seen, kind=kind)
        return found._replace(problems=(*warnings, *found.problems))
    return united(_record(row, at, seen, kind) for at, row in _rows(path, data))


def _record(row: object, at: str, seen: str, kind: WorkKind | None) -> WorkRead:
    if isinstance(row, Problem):
        return WorkRead(problems=(row,))
    if not isinstance(row, dict):
        shown = Redactor().text(repr(row))[:80]
        return WorkRead(problems=(Problem(at, f"{shown} is no record: write a JSON object"),))
    record = cast("dict[str, Any]", Redactor().properties(cast("dict[str, Any]", row)))
    return read_record(record, at=at, seen=seen, kind=kind)


def _rows(path: str, data: bytes) -> list[tuple[str, object]]:
    """The values in a file, each with where it stands; what is no JSON is a problem."""
    text = data.decode("utf-8-sig", "replace")
    try:
        whole = json_value(text)
    except (msgspec.DecodeError, RecursionError):
        return _lines(path, text)
    if isinstance(whole, list):
        return [(f"{path}#{n}", row) for n, row in enumerate(cast("list[object]", whole), 1)]
    if isinstance(whole, dict) and not kind_of(cast("dict[str, Any]", whole)):
        return _listed(path, cast("dict[str, Any]", whole))
    return [(path, cast("object", whole))]


def _listed(path: str, whole: dict[str, Any]) -> list[tuple[str, object]]:
    """The records under `goals` and `tasks`; the object itself where it has neither."""
    found: list[tuple[str, object]] = []
    for kind in KINDS:
        rows = whole.get(f"{kind}s")
        for n, row in enumerate(cast("list[object]", rows) if isinstance(rows, list) else (), 1):
            given = {"kind": kind, **cast("dict[str, Any]", row)} if isinstance(row, dict) else row
            found.append((f"{path}#{kind}s.{n}", given))
    return found or [(path, whole)]


def _lines(path: str, text: str) -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for number, line in enumerate(text.split("\n"), 1):
        at = f"{path}:{number}"
        if not line.strip():
            continue
        try:
            rows.append((at, json_value(line)))
        except (msgspec.DecodeError, RecursionError) as error:
            rows.append((at, Problem(at, f"the line is not JSON ({error}): mend it")))
    return rows


def _holds_records(data: bytes) -> bool:
    rows = [row for _, row in _rows("", data)]
    dicts = [cast("dict[str, Any]", row) for row in rows[:50] if isinstance(row, dict)]
    return any(kind_of(row) for row in dicts)


def _tells_of_work(text: str) -> bool:
    """Whether the front matter says `type: goal` or `kind: task`."""
    fields, lines, _ = split_front_matter(text)
    return bool(lines) and kind_of(fields) is not None


def _read_note(path: str, text: str, *, seen: str, kind: WorkKind | None = None) -> WorkRead:
    """The goal or task of a file, and the points of its text as its tasks."""
    fields, lines, wrong = split_front_matter(text)
    rest = text.split("\n")[lines:]
    chosen = kind_of(fields) or kind
    record: dict[str, Any] = {**fields}
    if "kind" in record and str(record["kind"]).lower() in KIND_WORDS:
        record.pop("type", None)
    record.setdefault("id", slug(PurePosixPath(path).stem))
    heading = next((n for n, line in enumerate(rest) if line.startswith("# ")), None)
    if heading is not None and not record.get("title"):
        record["title"] = rest[heading][2:].strip()
    record.setdefault("title", PurePosixPath(path).stem)
    body = "\n".join(line for n, line in enumerate(rest) if n != heading).strip()
    record.setdefault("description", body)
    own = read_record(record, at=path, seen=seen, kind=chosen)
    problems = tuple(Problem(path, message, "warning", line).at_line() for message, line in wrong)
    warnings = [WorkRead(problems=problems)] if problems else []
    if not own.items:
        return united([*warnings, own])
    item = own.items[0]
    points = read_points(
        path,
        "\n".join(rest),
        seen=seen,
        goal=item.id if item.kind == "goal" else None,
        under=item.id if item.kind == "task" else None,
        first_line=lines + 1,
    )
    return united([*warnings, own, points])


class WorkFile(NamedTuple):
    """A file of goals and tasks, and how it is called in what is told of it."""

    path: Path
    shown: str

    @property
    def seen(self) -> str:
        """When the file was last changed: an instant."""
        return from_epoch(self.path.stat().st_mtime)


def find_work_files(
    paths: Sequence[Path], kind: WorkKind | None = None, *, call: Calling = here
) -> list[WorkFile]:
    """The files that hold goals and tasks, in files and folders, by path; with `kind` all that
    may. Raises InvalidInput for a path that is not there."""
    found: list[WorkFile] = []
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"there is no {str(path)!r}: name a file or a folder")
        for file in files_in(path, _SUFFIXES)[0]:
            shown = escaped(file.relative_to(path).as_posix() if path.is_dir() else file.name)
            if kind is not None or _is_work(file, shown, call, sought=not path.is_dir()):
                found.append(WorkFile(file, shown))
    return found


def read_work_file(
    file: WorkFile, kind: WorkKind | None = None, *, call: Calling = here
) -> WorkRead:
    """What a file holds; a file that cannot be read is a problem."""
    data = read_stable(file.path.resolve(), shown=file.shown, max_bytes=_LARGEST)
    if isinstance(data, Problem):
        return WorkRead(problems=(data,))
    try:
        return call(read_work, file.shown, data, seen=file.seen, kind=kind)
    except InvalidInput as error:
        return WorkRead(problems=(Problem(file.shown, str(error)),))


def _is_work(file: Path, shown: str, call: Calling, *, sought: bool) -> bool:
    if file.suffix.lower() not in _SUFFIXES or file.stat().st_size > _LARGEST:
        return False
    data = read_stable(file.resolve(), shown=shown, max_bytes=_LARGEST)
    if isinstance(data, Problem):
        return False
    try:
        return call(is_work, shown, data, sought=sought)
    except InvalidInput:  # it could not be let finish: whoever reads it next says so
        return False

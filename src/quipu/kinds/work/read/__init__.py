"""Goals and tasks as people keep them: JSON, JSON lines, Markdown with front matter.

    read = read_work("plan.json", data, seen=instant)    # pure; never raises for what a file holds

One bad record, or one bad field, is a problem that names the field and the value; the rest goes
in (docs/how-to/goals.md).
"""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, cast

from quipu.errors import InvalidInput
from quipu.kinds.work.model import KINDS, WorkKind
from quipu.kinds.work.read.records import WorkRead, kind_of, read_record, united
from quipu.read.decode import decode
from quipu.read.fields import json_rows, slug
from quipu.read.front_matter import split_front_matter
from quipu.read.reading import Calling, here
from quipu.read.redact import Redactor
from quipu.read.source import escaped, files_in, read_stable
from quipu.records.document import Problem
from quipu.when.instants import from_epoch

__all__ = ["find_work_files", "is_work", "read_work", "read_work_file"]

_MARKDOWN = frozenset({".md", ".markdown"})
_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_LARGEST = 50_000_000
_HEAD = 262_144
_FIRST_ROWS = 50
_HINT = re.compile(
    rb'"(?:kind|type)"\s*:\s*"(?:goal|objective|task|subtask|todo)"'
    rb'|\A\s*\{[\s\S]{0,400}?"(?:goals|tasks)"\s*:\s*\[',
    re.IGNORECASE,
)


def is_work(path: str, data: bytes) -> bool:
    """Whether a file holds goals and tasks, by its first 256 KiB."""
    suffix, head = PurePosixPath(path.lower()).suffix, data[:_HEAD]
    if suffix in _JSON:
        rows = _rows("", data)[:_FIRST_ROWS] if _HINT.search(head) else []
        return any(isinstance(row, dict) and kind_of(cast(dict[str, Any], row)) for _, row in rows)
    fields = split_front_matter(head.decode("utf-8-sig", "replace"))[0]
    return suffix in _MARKDOWN and kind_of(fields) is not None


def read_work(path: str, data: bytes, *, seen: str, kind: WorkKind | None = None) -> WorkRead:
    """Every goal and task in a file that was last changed at the instant `seen`. `kind` is what
    a record is that does not say so itself."""
    if PurePosixPath(path.lower()).suffix not in _MARKDOWN:
        return united(_record(row, at, seen, kind) for at, row in _rows(path, data))
    try:
        text, warning = decode(data)
    except InvalidInput as error:
        return WorkRead(problems=(Problem(path, str(error)),))
    warnings = WorkRead(problems=(Problem(path, warning, "warning"),) if warning else ())
    return united([warnings, _read_note(path, Redactor().text(text), seen=seen, kind=kind)])


def _record(row: object, at: str, seen: str, kind: WorkKind | None) -> WorkRead:
    if isinstance(row, Problem):
        return WorkRead(problems=(row,))
    if not isinstance(row, dict):
        shown = Redactor().text(repr(row))[:80]
        return WorkRead(problems=(Problem(at, f"{shown} is no record: write a JSON object"),))
    record = cast("dict[str, Any]", Redactor().properties(cast("dict[str, Any]", row)))
    return read_record(record, at=at, seen=seen, kind=kind)


def _rows(path: str, data: bytes) -> list[tuple[str, object]]:
    """The values in a file, each with where it stands: of an object that is no record itself
    those under `goals` and `tasks`."""
    rows = json_rows(path, data.decode("utf-8-sig", "replace"))
    if len(rows) != 1 or not isinstance(rows[0][1], dict):
        return rows
    whole = cast("dict[str, Any]", rows[0][1])
    found: list[tuple[str, object]] = []
    for kind in () if kind_of(whole) else KINDS:
        listed = whole.get(f"{kind}s")
        for n, row in enumerate(
            cast("list[object]", listed) if isinstance(listed, list) else (), 1
        ):
            given = {"kind": kind, **cast("dict[str, Any]", row)} if isinstance(row, dict) else row
            found.append((f"{path}#{kind}s.{n}", given))
    return found or rows


def _read_note(path: str, text: str, *, seen: str, kind: WorkKind | None) -> WorkRead:
    """The goal or task of a Markdown file: its front matter, the rest is the description."""
    fields, lines, wrong = split_front_matter(text)
    rest = text.split("\n")[lines:]
    record: dict[str, Any] = {**fields, "kind": kind_of(fields) or kind}
    heading = next((n for n, line in enumerate(rest) if line.startswith("# ")), None)
    title = PurePosixPath(path).stem if heading is None else rest[heading][2:].strip()
    record["title"] = record.get("title") or title
    record.setdefault("id", slug(PurePosixPath(path).stem))
    body = "\n".join(line for n, line in enumerate(rest) if n != heading).strip()
    record.setdefault("description", body)
    problems = tuple(Problem(path, message, "warning", line).at_line() for message, line in wrong)
    return united([WorkRead(problems=problems), read_record(record, at=path, seen=seen)])


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
        for file in files_in(path, _JSON | _MARKDOWN)[0]:
            shown = escaped(file.relative_to(path).as_posix() if path.is_dir() else file.name)
            if kind is not None or _is_work(file, shown, call):
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


def _is_work(file: Path, shown: str, call: Calling) -> bool:
    if file.suffix.lower() not in _JSON | _MARKDOWN or file.stat().st_size > _LARGEST:
        return False
    data = read_stable(file.resolve(), shown=shown, max_bytes=_LARGEST)
    if isinstance(data, Problem):
        return False
    try:
        return call(is_work, shown, data)
    except InvalidInput:  # it could not be let finish: whoever reads it next says so
        return False

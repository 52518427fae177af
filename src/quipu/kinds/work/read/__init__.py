"""Goals and tasks as people keep them: JSON, JSON lines, Markdown with front matter, task lists.

    read = read_work("plan.json", data, seen=instant)    # pure; never raises for what a file holds

One bad record, or one bad field, is a problem that names the field and the value; the rest goes
in (docs/how-to/goals.md).
"""

import re
from pathlib import PurePosixPath
from typing import Any, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.work.model import KINDS, WorkKind
from quipu.kinds.work.read.front_matter import read_note, tells_of_work
from quipu.kinds.work.read.records import WorkRead, kind_of, read_record, united
from quipu.kinds.work.read.tasklist import is_task_list, read_task_list
from quipu.read.decode import decode
from quipu.read.fields import json_value
from quipu.read.redact import Redactor
from quipu.records.document import Problem

__all__ = ["WorkRead", "is_work", "read_record", "read_work", "united"]

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
    if tells_of_work(text):
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
        told = (Problem(path, warning, "warning"),) if warning else ()
        read = read_note if tells_of_work(clean) else read_task_list
        found = read(path, clean, seen=seen, kind=kind)
        return found._replace(problems=(*told, *found.problems))
    return united(_record(row, at, seen, kind) for at, row in _rows(path, data))


def _record(row: object, at: str, seen: str, kind: WorkKind | None) -> WorkRead:
    if isinstance(row, Problem):
        return WorkRead(problems=(row,))
    if not isinstance(row, dict):
        shown = Redactor().text(repr(row))[:80]
        return WorkRead(problems=(Problem(at, f"{shown} is no record: write a JSON object"),))
    held = cast("dict[str, Any]", Redactor().properties(cast("dict[str, Any]", row)))
    return read_record(held, at=at, seen=seen, kind=kind)


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

"""Goals and tasks as people keep them: JSON, JSON lines, Markdown with front matter.

    read = read_work("plan.json", data, seen=instant)    # pure; never raises for what a file holds

One bad record, or one bad field, is a problem that names the field and the value; the rest goes
in (docs/how-to/goals.md). A status that the record dates itself begins then; any other value
begins, as far as the record can say, when the record was last changed, or else when the work was
created. Dates are as precise as they were written.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, cast

from quipu.errors import InvalidInput
from quipu.kinds.work.model import (
    KINDS,
    DatedValue,
    End,
    EndKind,
    WorkItem,
    WorkKind,
    WorkRelation,
    is_closed,
    work_id,
)
from quipu.read.decode import decode
from quipu.read.fields import Fields, instant_of, json_rows, slug
from quipu.read.front_matter import split_front_matter
from quipu.read.reading import Calling, here
from quipu.read.redact import Redactor
from quipu.read.source import escaped, files_in, read_stable
from quipu.records.document import Problem
from quipu.records.schema import RelationType
from quipu.when.instants import from_epoch, parse_instant

__all__ = [
    "WorkFile",
    "WorkRead",
    "find_work_files",
    "is_work",
    "kind_of",
    "read_record",
    "read_work",
    "read_work_file",
]

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
_KINDS: dict[str, WorkKind] = {
    "goal": "goal",
    "objective": "goal",
    "task": "task",
    "subtask": "task",
    "todo": "task",
}
_LONGEST_NAME, _LONGEST_TEXT, _LONGEST_VALUE = 500, 20_000, 100
_DEEPEST = 20
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_OPEN = frozenset({"open", "todo", "to do", "new", "planned", "backlog", "proposed", "pending"})
_STAGES = {
    "open": ("created_at", "created"),
    "in progress": ("started_at", "started"),
    "done": ("completed_at", "completed", "closed_at", "done_at"),
}
"""What a piece of work is from these dates on, in their order."""
_VALUES = {"owner": ("owner", "assignee", "assigned_to"), "priority": ("priority",)}
_WHOLES: dict[str, WorkKind | None] = {
    "goal": "goal",
    "goals": "goal",
    "parent": None,
    "parent_id": None,
}
"""Fields that name what a record belongs to, and what a bare id in them is of (None: the record's
own kind)."""
_RELATIONS: dict[str, tuple[EndKind | None, RelationType, bool]] = {
    "depends_on": (None, RelationType.DEPENDS_ON, False),
    "blocks": (None, RelationType.BLOCKS, False),
    "blocked_by": (None, RelationType.BLOCKS, True),
    "references": (None, RelationType.REFERENCES, False),
    "related": (None, RelationType.REFERENCES, False),
    "modifies": ("file", RelationType.MODIFIES, False),
    "files": ("file", RelationType.MODIFIES, False),
    "sessions": ("session", RelationType.REFERENCES, False),
    "commits": ("commit", RelationType.REFERENCES, False),
    "urls": ("url", RelationType.REFERENCES, False),
}
"""A field, what a bare text in it names, the relation, and whether that comes from there."""
_PATHS_TOO = frozenset({"references", "related"})
_WRITTEN = re.compile(
    r"(?P<work>(?i:goal|task))-.+|(?P<given>session|commit|file):(?P<name>.+)"
    r"|(?P<url>https?://[^\s<>\"'`)\]]+)"
    r"|(?P<path>[\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z]\w{0,9}|(?:[\w.@+-]+/)+[\w.@+-]+)"
)
_HASH = re.compile(r"[0-9a-f]{7,40}")


class WorkRead(NamedTuple):
    """What was read. A problem of severity `error` names what did not go in."""

    items: tuple[WorkItem, ...] = ()
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, parts: Iterable["WorkRead"]) -> "WorkRead":
        """Return everything that was read, in order."""
        every = list(parts)
        return cls(
            tuple(item for part in every for item in part.items),
            tuple(problem for part in every for problem in part.problems),
        )


# --- records


def kind_of(record: dict[str, Any]) -> WorkKind | None:
    """Return what a record says it is: by `kind` or `type`."""
    words = (str(record.get(name)).strip().lower() for name in ("kind", "type"))
    return next((_KINDS[word] for word in words if word in _KINDS), None)


def read_record(
    record: dict[str, Any], *, at: str, seen: str, kind: WorkKind | None = None, depth: int = 0
) -> WorkRead:
    """Return the goal or task in an object (its secrets are out already), with those nested in it.

    `at` is where it stands, `seen` the instant from which it holds if it names no date.
    """
    chosen = kind_of(record) or kind
    fields = Fields(record)
    try:
        if chosen is None:
            raise InvalidInput(
                f'kind {record.get("kind", record.get("type"))!r} is unknown: write "kind": '
                '"goal" or "kind": "task"'
            )
        identity = work_id(chosen, record.get("id"))
        title = fields.text("title", "name", "summary", "text", "content")
        if not title:
            raise InvalidInput(f"title {record.get('title')!r} is blank: say what is to be done")
    except InvalidInput as error:
        return WorkRead(problems=(Problem(at, str(error)),))
    inner: list[WorkRead] = []
    relations = [*_relations(fields, chosen), *_parts(fields, chosen, inner, at, seen, depth)]
    created, _ = _first_date(fields, "created_at", "created")
    updated, _ = _first_date(fields, "updated_at", "updated")
    item = WorkItem(
        kind=chosen,
        id=identity,
        title=" ".join(title.split())[:_LONGEST_NAME],
        description=fields.text("description", "body", "notes", "details")[:_LONGEST_TEXT],
        states=_states(fields, parse_instant(updated) if updated else created or seen),
        relations=tuple(dict.fromkeys(relations)),
        tags=fields.names("tags") or fields.names("labels"),
        created_at=created,
        updated_at=updated,
        pointer=at,
    )
    problems = tuple(Problem(at, f"{item.name}: {said}") for said in dict.fromkeys(fields.problems))
    return WorkRead.of([WorkRead((item,), problems), *inner])


def _relations(fields: Fields, kind: WorkKind) -> Iterator[WorkRelation]:
    """What a record says of how it hangs together with others."""
    for name, whole in _WHOLES.items():
        for end in _ends(fields, name, whole or kind):
            if kind == "goal":
                yield WorkRelation(RelationType.PART_OF, end)
            else:
                of_goal = end.kind == "goal"
                relation = RelationType.HAS_TASK if of_goal else RelationType.HAS_SUBTASK
                yield WorkRelation(relation, end, inward=True)
    for name, (what, relation, inward) in _RELATIONS.items():
        for end in _ends(fields, name, what or kind):
            yield WorkRelation(relation, end, inward)


def _parts(
    fields: Fields, kind: WorkKind, read: list[WorkRead], at: str, seen: str, depth: int
) -> Iterator[WorkRelation]:
    """The ties to the `tasks` of a goal and the `subtasks` of a task, whether written out there
    (what is read of them is added to `read`) or only named."""
    for name in ("tasks", "subtasks"):
        is_task = kind == "goal" and name == "tasks"
        relation = RelationType.HAS_TASK if is_task else RelationType.HAS_SUBTASK
        for n, each in enumerate(_listed(fields, name), 1):
            if not isinstance(each, dict):
                yield from (
                    WorkRelation(relation, end) for end in _ends(fields, name, "task", [each])
                )
            elif depth >= _DEEPEST:
                fields.problems.append(f"{name}: records lie more than {_DEEPEST} deep; left out")
            else:
                record, place = cast("dict[str, Any]", each), f"{at}.{name}.{n}"
                found = read_record(record, at=place, seen=seen, kind="task", depth=depth + 1)
                read.append(found)
                for item in found.items[:1]:
                    yield WorkRelation(relation, End(item.kind, item.id))


def _ends(
    fields: Fields, name: str, what: EndKind, written: list[object] | None = None
) -> list[End]:
    """What a field names; `what` is meant by a bare text."""
    found: list[End] = []
    for each in _listed(fields, name) if written is None else written:
        try:
            found.append(_end(each, what, name))
        except InvalidInput as error:
            fields.problems.append(str(error))
    return found


def _listed(fields: Fields, name: str) -> list[object]:
    """The values of a field: a list, one value, or a text with commas."""
    value = fields.record.get(name)
    if isinstance(value, list):
        return cast("list[object]", value)
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [] if value is None else [value]


def _end(written: object, what: EndKind, field: str) -> End:
    """Whatever `written` names: `goal-3`, `session:s1`, an address, in some fields a path; `what`
    is meant by a bare text. Raises InvalidInput naming the field and the value."""
    text = written.strip() if isinstance(written, str) else ""
    named = _WRITTEN.fullmatch(text)
    groups = named.groupdict() if named else {}
    if groups.get("url"):
        what = "url"
    elif groups.get("given"):
        what, text = cast("EndKind", groups["given"]), groups["name"]
    elif what in KINDS and groups.get("path") and field in _PATHS_TOO:
        what = "file"
    elif what == "goal" or what == "task":
        kind = cast("WorkKind", (groups.get("work") or what).lower())
        return End(kind, work_id(kind, written, field))
    if not text or len(text) > _LONGEST_NAME or "\n" in text:
        raise InvalidInput(
            f"{field} {str(written)[:80]!r} names nothing: give a text of at most {_LONGEST_NAME} "
            "characters, or a list of them"
        )
    if what == "commit":
        text = text.lower()
        if not _HASH.fullmatch(text):
            raise InvalidInput(f"{field} {text!r} is no commit: give 7 to 40 digits of its hash")
    return End(what, text.removeprefix("./") if what == "file" else text)


# --- what changes


def _states(fields: Fields, since: str) -> tuple[DatedValue, ...]:
    """The dated values of a record, each predicate's in the order of their dates; one that it does
    not date itself holds `since`."""
    found = _statuses(fields, _value(fields, "status", "state"), since)
    for predicate, names in _VALUES.items():
        if value := _value(fields, *names):
            found.append(DatedValue(cast("Any", predicate), value, since))
    due, _ = _first_date(fields, "due", "due_date", "deadline")
    return (*found, *([DatedValue("deadline", due, since)] if due else []))


def _statuses(fields: Fields, status: str, since: str) -> list[DatedValue]:
    rows = [each for row in fields.objects("history") if (each := _of_history(row))]
    found = sorted(rows or _by_stages(fields, status), key=_begun)
    changed, _ = _first_date(fields, "status_since", "status_changed_at")
    if status and changed:
        found = [each for each in found if _begun(each) < parse_instant(changed)]
        found.append(DatedValue("status", status, changed, given=True))
    elif status and (not found or found[-1].value.casefold() != status.casefold()):
        later = found and _begun(found[-1]) > parse_instant(since)
        found.append(DatedValue("status", status, found[-1].since if later else since))
    return found


def _begun(value: DatedValue) -> str:
    return parse_instant(value.since)


def _by_stages(fields: Fields, status: str) -> list[DatedValue]:
    """The statuses that the dates of a record tell: it was open, then in progress, then done. A
    date that lies before that of an earlier stage is left out."""
    now = "open" if status.casefold() in _OPEN else "done" if is_closed(status) else "in progress"
    found: list[DatedValue] = []
    earlier = ""
    for stage, names in _STAGES.items():
        at, name = _first_date(fields, *names)
        if found and at and parse_instant(at) < _begun(found[-1]):
            fields.problems.append(
                f"{name} {at!r} lies before {earlier} {found[-1].since!r}: it was left out; mend "
                "one of them"
            )
        elif at:
            found.append(DatedValue("status", (status if stage == now else "") or stage, at, True))
            earlier = name
    return found


def _of_history(row: Fields) -> DatedValue | None:
    status = _value(row, "status", "state", "to")
    at, _ = _first_date(row, "at", "since", "date", "time", "timestamp")
    if status and at:
        return DatedValue("status", status, at, given=True)
    row.problems.append(
        f"history {dict(row.record)!r} says no status and date: write "
        '{"status": "done", "at": "2026-05-03"}'
    )
    return None


def _first_date(fields: Fields, *names: str) -> tuple[str, str]:
    """The first of these that is a date, and its name: a day as it is, anything finer (or seconds
    from 1970) as an instant; two empty ones where none is."""
    dates = ((fields.read(name, _date, ""), name) for name in names)
    return next((found for found in dates if found[0]), ("", ""))


def _date(value: object) -> str:
    if isinstance(value, str) and _DAY.fullmatch(value.strip()):
        try:
            return date.fromisoformat(value.strip()).isoformat()
        except ValueError as error:
            raise InvalidInput(f"{value!r} is no day of the calendar ({error}): mend it") from error
    return instant_of(value)


def _value(fields: Fields, *names: str) -> str:
    """The first of these that is a short text or a number, or an object (a person, a team) with
    a `name`; what is none is a problem."""
    for name in names:
        if isinstance(fields.record.get(name), dict):
            return _value(fields.inside(name), "name", "login", "email")
        if fields.record.get(name) != "" and (said := fields.read(name, _short, "")):
            return said
    return ""


def _short(value: object) -> str:
    odd = isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value))
    if odd or not isinstance(value, str | int | float):
        raise InvalidInput(f'{value!r} is no text: write one, for example "open"')
    text = " ".join(str(value).split())
    if len(text) > _LONGEST_VALUE:
        raise InvalidInput(f"{text[:60]!r}… is longer than {_LONGEST_VALUE} characters: shorten it")
    return text


# --- files


def is_work(path: str, data: bytes) -> bool:
    """Return whether a file holds goals and tasks, by its first 256 KiB."""
    suffix, head = PurePosixPath(path.lower()).suffix, data[:_HEAD]
    if suffix in _JSON:
        rows = _rows("", data)[:_FIRST_ROWS] if _HINT.search(head) else []
        return any(
            isinstance(row, dict) and kind_of(cast("dict[str, Any]", row)) for _, row in rows
        )
    fields = split_front_matter(head.decode("utf-8-sig", "replace"))[0]
    return suffix in _MARKDOWN and kind_of(fields) is not None


def read_work(path: str, data: bytes, *, seen: str, kind: WorkKind | None = None) -> WorkRead:
    """Return every goal and task in a file that was last changed at the instant `seen`. `kind` is
    what a record is that does not say so itself."""
    if PurePosixPath(path.lower()).suffix not in _MARKDOWN:
        return WorkRead.of(_record(row, at, seen, kind) for at, row in _rows(path, data))
    try:
        text, warning = decode(data)
    except InvalidInput as error:
        return WorkRead(problems=(Problem(path, str(error)),))
    warnings = WorkRead(problems=(Problem(path, warning, "warning"),) if warning else ())
    return WorkRead.of([warnings, _read_note(path, Redactor().text(text), seen=seen, kind=kind)])


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
    return WorkRead.of([WorkRead(problems=problems), read_record(record, at=path, seen=seen)])


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
    """Return the files that hold goals and tasks, in files and folders, by path; with `kind` all
    that may. Raises InvalidInput for a path that is not there."""
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
    """Return what a file holds; a file that cannot be read is a problem."""
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
    try:
        return not isinstance(data, Problem) and call(is_work, shown, data)
    except InvalidInput:  # it could not be let finish: whoever reads it next says so
        return False

"""Goals and tasks as people keep them: JSON, JSON lines, Markdown with front matter.

    read = read_work("plan.json", data, seen=instant)    # pure; never raises for what a file holds

How a record may name its fields stands in `fields.toml`. One bad record, or one bad field, is a
problem that names the field and the value; the rest goes in (docs/how-to/goals.md). A status that
the record dates itself begins then; any other value begins, as far as the record can say, when the
record was last changed, or else when the work was created. Dates are as precise as they were
written.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, cast

from quipu.errors import InvalidInput
from quipu.kinds.work.model import (
    FIELDS,
    KINDS,
    DatedValue,
    End,
    EndKind,
    Predicate,
    WorkItem,
    WorkKind,
    WorkRelation,
    is_closed,
    status_key,
    work_id,
)
from quipu.limits import LARGEST_FILE, LONGEST_NAME, LONGEST_PASSAGE, SHOWN_VALUE
from quipu.read.decode import decode
from quipu.read.fields import Fields, instant_of, json_rows, slug
from quipu.read.front_matter import split_front_matter
from quipu.read.reading import Calling, here
from quipu.read.redact import Redactor
from quipu.read.source import escaped, files_in, read_stable
from quipu.records.document import Problem
from quipu.records.schema import RelationType
from quipu.when.instants import from_epoch, parse_instant

__all__ = ["WorkRead", "kind_of", "read_record", "read_work", "read_work_files"]

_NAMES = FIELDS.names
_MARKDOWN = frozenset({".md", ".markdown"})
_JSON = frozenset({".json", ".jsonl", ".ndjson"})
_HEAD_BYTES, _FIRST_ROWS = 262_144, 50
"""By how much of a file it is known whether it holds work."""
_HINT = re.compile(
    rf'"(?:kind|type)"\s*:\s*"(?:{"|".join(FIELDS.kinds)})"'.encode()
    + rb'|\A\s*\{[\s\S]{0,400}?"(?:goals|tasks)"\s*:\s*\[',
    re.IGNORECASE,
)
_LONGEST_VALUE = 100
_DEEPEST = 20
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
    return next((FIELDS.kinds[word] for word in words if word in FIELDS.kinds), None)


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
        title = fields.text(*_NAMES["title"])
        if not title:
            raise InvalidInput(f"title {record.get('title')!r} is blank: say what is to be done")
    except InvalidInput as error:
        return WorkRead(problems=(Problem(at, str(error)),))
    inner: list[WorkRead] = []
    relations = [*_relations(fields, chosen), *_parts(fields, chosen, inner, at, seen, depth)]
    created, updated = _date_of(fields, "created"), _date_of(fields, "updated")
    item = WorkItem(
        kind=chosen,
        id=identity,
        title=" ".join(title.split())[:LONGEST_NAME],
        description=fields.text(*_NAMES["description"])[:LONGEST_PASSAGE],
        states=_states(fields, parse_instant(updated) if updated else created or seen),
        relations=tuple(dict.fromkeys(relations)),
        tags=next((tags for name in _NAMES["tags"] if (tags := fields.names(name))), ()),
        created_at=created,
        updated_at=updated,
        pointer=at,
    )
    problems = tuple(Problem(at, f"{item.name}: {said}") for said in dict.fromkeys(fields.problems))
    return WorkRead.of([WorkRead((item,), problems), *inner])


def _relations(fields: Fields, kind: WorkKind) -> Iterator[WorkRelation]:
    """What a record says of how it hangs together with others."""
    for name, whole in FIELDS.wholes.items():
        for end in _ends(fields, name, kind if whole == "own" else whole):
            if kind == "goal":
                yield WorkRelation(RelationType.PART_OF, end)
            else:
                of_goal = end.kind == "goal"
                relation = RelationType.HAS_TASK if of_goal else RelationType.HAS_SUBTASK
                yield WorkRelation(relation, end, inward=True)
    for name, tie in FIELDS.relations.items():
        for end in _ends(fields, name, kind if tie.names == "own" else tie.names):
            yield WorkRelation(tie.type, end, tie.inward)


def _parts(
    fields: Fields, kind: WorkKind, read: list[WorkRead], at: str, seen: str, depth: int
) -> Iterator[WorkRelation]:
    """The ties to the `tasks` of a goal and the `subtasks` of a task, whether written out there
    (what is read of them is added to `read`) or only named."""
    for name in ("tasks", "subtasks"):
        is_task = kind == "goal" and name == "tasks"
        relation = RelationType.HAS_TASK if is_task else RelationType.HAS_SUBTASK
        for n, part in enumerate(_listed(fields, name), 1):
            if not isinstance(part, dict):
                yield from (
                    WorkRelation(relation, end) for end in _ends(fields, name, "task", [part])
                )
            elif depth >= _DEEPEST:
                fields.problems.append(f"{name}: records lie more than {_DEEPEST} deep; left out")
            else:
                record, place = cast("dict[str, Any]", part), f"{at}.{name}.{n}"
                found = read_record(record, at=place, seen=seen, kind="task", depth=depth + 1)
                read.append(found)
                for item in found.items[:1]:
                    yield WorkRelation(relation, End(item.kind, item.id))


def _ends(
    fields: Fields, name: str, what: EndKind, written: list[object] | None = None
) -> Iterator[End]:
    """What a field names; `what` is meant by a bare text."""
    for value in _listed(fields, name) if written is None else written:
        try:
            yield _end(value, what, name)
        except InvalidInput as error:
            fields.problems.append(str(error))


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
    tie = FIELDS.relations.get(field)
    if groups.get("url"):
        what = "url"
    elif groups.get("given"):
        what, text = cast("EndKind", groups["given"]), groups["name"]
    elif what in KINDS and groups.get("path") and tie and tie.paths:
        what = "file"
    elif what == "goal" or what == "task":
        kind = cast("WorkKind", (groups.get("work") or what).lower())
        return End(kind, work_id(kind, written, field))
    if not text or len(text) > LONGEST_NAME or "\n" in text:
        raise InvalidInput(
            f"{field} {str(written)[:SHOWN_VALUE]!r} names nothing: give a text of at most "
            f"{LONGEST_NAME} characters, or a list of them"
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
    found = _statuses(fields, _value(fields, "status"), since)
    others: dict[Predicate, str] = {
        "owner": _value(fields, "owner"),
        "priority": _value(fields, "priority"),
        "deadline": _date_of(fields, "due"),
    }
    found += [DatedValue(name, value, since) for name, value in others.items() if value]
    return tuple(found)


def _statuses(fields: Fields, status: str, since: str) -> list[DatedValue]:
    """The statuses that a record tells, one a moment: by its history, else by the dates of its
    stages, and the present one."""
    told = [*map(_of_history, fields.objects("history"))] or [*_by_stages(fields, status)]
    changed = _date_of(fields, "status_since")
    if status and changed:
        told = [s for s in told if s is None or _begun(s) < parse_instant(changed)]
        told.append(DatedValue("status", status, changed, given=True))
    dated = sorted((s for s in told if s is not None), key=_begun)
    found = list({_begun(state): state for state in dated}.values())
    if status and not changed and (not found or found[-1].value.casefold() != status.casefold()):
        later = found and _begun(found[-1]) > parse_instant(since)
        found.append(DatedValue("status", status, found[-1].since if later else since))
    return found


def _begun(value: DatedValue) -> str:
    return parse_instant(value.since)


def _by_stages(fields: Fields, status: str) -> Iterator[DatedValue]:
    """The statuses that the dates of a record tell: it was open, then in progress, then done."""
    begun = status_key(status) not in FIELDS.statuses["open"]
    now = "open" if not begun else "done" if is_closed(status) else "in progress"
    for stage, names in FIELDS.stages.items():
        if at := _first_date(fields, names):
            yield DatedValue("status", (status if stage == now else "") or stage, at, True)


def _of_history(row: Fields) -> DatedValue | None:
    status, at = _value(row, "history_status"), _date_of(row, "history_date")
    if status and at:
        return DatedValue("status", status, at, given=True)
    row.problems.append(
        f"history {dict(row.record)!r} says no status and date: write "
        '{"status": "done", "at": "2026-05-03"}'
    )
    return None


def _date_of(fields: Fields, what: str) -> str:
    return _first_date(fields, _NAMES[what])


def _first_date(fields: Fields, names: Iterable[str]) -> str:
    """The first of these that is a date: a day as it is, anything finer (or seconds from 1970) as
    an instant; empty where none is."""
    return next((at for name in names if (at := fields.read(name, _date, ""))), "")


def _date(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value.strip()):
        try:
            return date.fromisoformat(value.strip()).isoformat()
        except ValueError as error:
            raise InvalidInput(f"{value!r} is no day of the calendar ({error}): mend it") from error
    return instant_of(value)


def _value(fields: Fields, what: str) -> str:
    """The first of the names of `what` that is a short text or a number, or an object (a person, a
    team) with a `name`; what is none is a problem."""
    for name in _NAMES[what]:
        if isinstance(fields.record.get(name), dict):
            return _value(fields.inside(name), "of_a_person")
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


def _is_work(suffix: str, data: bytes) -> bool:
    head = data[:_HEAD_BYTES]
    if suffix in _JSON:
        rows = _rows("", data)[:_FIRST_ROWS] if _HINT.search(head) else []
        return any(
            isinstance(row, dict) and kind_of(cast("dict[str, Any]", row)) for _, row in rows
        )
    fields = split_front_matter(head.decode("utf-8-sig", "replace"))[0]
    return suffix in _MARKDOWN and kind_of(fields) is not None


def read_work(
    path: str, data: bytes, *, seen: str, kind: WorkKind | None = None
) -> WorkRead | None:
    """Return every goal and task in a file that was last changed at the instant `seen`. `kind` is
    what a record is that does not say so itself; without one None for a file that by its beginning
    holds no such record."""
    suffix = PurePosixPath(path.lower()).suffix
    if kind is None and not _is_work(suffix, data):
        return None
    if suffix not in _MARKDOWN:
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
        shown = Redactor().text(repr(row))[:SHOWN_VALUE]
        return WorkRead(problems=(Problem(at, f"{shown} is no record: write a JSON object"),))
    try:
        record = cast("dict[str, Any]", Redactor().properties(cast("dict[str, Any]", row)))
    except InvalidInput as error:
        return WorkRead(problems=(Problem(at, str(error)),))
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
        records = cast("list[object]", listed) if isinstance(listed, list) else []
        for n, row in enumerate(records, 1):
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


def read_work_files(
    paths: Sequence[Path], kind: WorkKind | None = None, *, call: Calling = here
) -> Iterator[tuple[Path, str, WorkRead]]:
    """Yield the files that hold goals and tasks, in files and folders, by path, each with the
    instant it was last changed and what it holds; with `kind` all that may, and a file that cannot
    be read is a problem. Raises InvalidInput for a path that is not there."""
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"there is no {str(path)!r}: name a file or a folder")
        for file in files_in(path, _JSON | _MARKDOWN)[0]:
            if kind is None and file.suffix.lower() not in _JSON | _MARKDOWN:
                continue  # named itself: no file of work, however large
            shown = escaped(file.relative_to(path).as_posix() if path.is_dir() else file.name)
            seen = from_epoch(file.stat().st_mtime)
            data = read_stable(file.resolve(), shown=shown, max_bytes=LARGEST_FILE)
            try:
                if isinstance(data, Problem):
                    raise InvalidInput(data.error)
                read = call(read_work, shown, data, seen=seen, kind=kind)
            except InvalidInput as error:  # without a kind whoever reads it next says so
                read = WorkRead(problems=(Problem(shown, str(error)),)) if kind else None
            if read is not None:
                yield file, seen, read

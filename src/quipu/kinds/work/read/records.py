"""One record of a goal or a task, those it holds inside, and what it is tied to, as it is written:
other work, files, sessions, commits, URLs.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from quipu.errors import InvalidInput
from quipu.kinds.work.model import End, EndKind, WorkItem, WorkKind, WorkRelation, work_id
from quipu.kinds.work.read.states import first_date, read_states
from quipu.read.fields import Fields
from quipu.records.document import Problem
from quipu.records.mentions import WORK_NAME
from quipu.records.schema import RelationType
from quipu.when.instants import parse_instant

__all__ = ["WorkRead", "kind_of", "read_record", "united"]

_URL = r"https?://[^\s<>\"'`)\]]+"
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z]\w{0,9}|(?:[\w.@+-]+/)+[\w.@+-]+")
_NAMED = re.compile(
    rf"(?<![\w/-])(?:(?P<work>{WORK_NAME})"
    r"|session:(?P<session>[\w.:-]+\w)|commit:(?P<commit>[0-9a-f]{7,40})\b)"
    rf"|(?P<url>{_URL})|`(?P<code>[^`\n]{{1,200}})`",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    rf"(?P<work>(?i:goal|task)-.+)|(?P<given>(?:session|commit|file):.+)|(?P<url>{_URL})"
    rf"|(?P<path>{_PATH.pattern})"
)
_HASH = re.compile(r"[0-9a-f]{7,40}")
_LONGEST_NAME = 500
_LONGEST_TEXT = 20_000
_MOST = 100
_DEEPEST = 20
_KINDS: dict[str, WorkKind] = {
    "goal": "goal",
    "objective": "goal",
    "task": "task",
    "subtask": "task",
    "todo": "task",
}
_FIELDS: tuple[tuple[str, EndKind | None, RelationType, bool], ...] = (
    ("depends_on", None, RelationType.DEPENDS_ON, False),
    ("blocks", None, RelationType.BLOCKS, False),
    ("blocked_by", None, RelationType.BLOCKS, True),
    ("references", None, RelationType.REFERENCES, False),
    ("related", None, RelationType.REFERENCES, False),
    ("modifies", "file", RelationType.MODIFIES, False),
    ("files", "file", RelationType.MODIFIES, False),
    ("sessions", "session", RelationType.REFERENCES, False),
    ("commits", "commit", RelationType.REFERENCES, False),
    ("urls", "url", RelationType.REFERENCES, False),
)
"""A field, what a bare text in it names (None: work of the record's own kind), the relation, and
whether that comes from there."""
_PATHS_TOO = frozenset({"references", "related"})


class WorkRead(NamedTuple):
    """What was read. A problem of severity `error` names what did not go in."""

    items: tuple[WorkItem, ...] = ()
    problems: tuple[Problem, ...] = ()


def united(parts: Iterable[WorkRead]) -> WorkRead:
    """Everything that was read, in order."""
    every = list(parts)
    return WorkRead(
        tuple(item for part in every for item in part.items),
        tuple(problem for part in every for problem in part.problems),
    )


def kind_of(record: dict[str, Any]) -> WorkKind | None:
    """What a record says it is: by `kind` or `type`."""
    for name in ("kind", "type"):
        word = record.get(name)
        if isinstance(word, str) and (kind := _KINDS.get(word.strip().lower())):
            return kind
    return None


def read_record(
    record: dict[str, Any], *, at: str, seen: str, kind: WorkKind | None = None, depth: int = 0
) -> WorkRead:
    """The goal or task in an object (its secrets are out already), with those nested in it.

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
    relations = [
        *_relations(fields, chosen),
        *_inside(fields, chosen, inner, at=at, seen=seen, depth=depth),
    ]
    text = fields.text("description", "body", "notes", "details")[:_LONGEST_TEXT]
    known = {relation.end for relation in relations} | {End(chosen, identity)}
    mentioned = (end for end in _ends_in(f"{title}\n{text}") if end not in known)
    relations += [WorkRelation(RelationType.REFERENCES, end) for end in mentioned]
    created, _ = first_date(fields, "created_at", "created")
    updated, _ = first_date(fields, "updated_at", "updated")
    item = WorkItem(
        kind=chosen,
        id=identity,
        title=" ".join(title.split())[:_LONGEST_NAME],
        description=text,
        states=read_states(
            fields, seen=parse_instant(updated) if updated else seen, created=created
        ),
        relations=tuple(dict.fromkeys(relations)),
        tags=fields.names("tags") or fields.names("labels"),
        created_at=created,
        updated_at=updated,
        pointer=at,
    )
    problems = tuple(Problem(at, f"{item.name}: {said}") for said in dict.fromkeys(fields.problems))
    return united([WorkRead((item,), problems), *inner])


def _inside(
    fields: Fields, kind: WorkKind, read: list[WorkRead], *, at: str, seen: str, depth: int
) -> Iterator[WorkRelation]:
    """The ties to the `tasks` of a goal and the `subtasks` of a task, whether written out there
    (what is read of them is added to `read`) or only named."""
    of_tasks = RelationType.HAS_TASK if kind == "goal" else RelationType.HAS_SUBTASK
    for name, relation in (("tasks", of_tasks), ("subtasks", RelationType.HAS_SUBTASK)):
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


def _relations(fields: Fields, kind: WorkKind) -> Iterator[WorkRelation]:
    """What a record says of how it hangs together with others."""
    above: tuple[tuple[str, WorkKind], ...] = (
        ("goal", "goal"),
        ("goals", "goal"),
        ("parent", kind),
        ("parent_id", kind),
    )
    for name, what in above:
        for end in _ends(fields, name, what):
            relation = RelationType.HAS_TASK if end.kind == "goal" else RelationType.HAS_SUBTASK
            if kind == "goal":
                yield WorkRelation(RelationType.PART_OF, end)
            else:
                yield WorkRelation(relation, end, inward=True)
    for name, what, relation, inward in _FIELDS:
        for end in _ends(fields, name, what or kind):
            yield WorkRelation(relation, end, inward)


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
    named = _WRITTEN.fullmatch(written.strip()) if isinstance(written, str) else None
    form = named.lastgroup if named else None
    if named and form == "url":
        return _thing("url", named[0], field)
    if named and form == "given":
        prefix, _, rest = named[0].partition(":")
        return _thing(cast(EndKind, prefix), rest, field)
    if what == "goal" or what == "task":
        if named and form == "path" and field in _PATHS_TOO:
            return _thing("file", named[0], field)
        if named and form == "work":
            kind, _, written = named[0].partition("-")
            what = cast(WorkKind, kind.lower())
        return End(what, work_id(what, written, field))
    if isinstance(written, str):
        return _thing(what, written.strip(), field)
    raise InvalidInput(f"{field} {written!r} is no text: name one, or a list of them")


def _thing(kind: EndKind, text: str, field: str) -> End:
    if not text or len(text) > _LONGEST_NAME or "\n" in text:
        raise InvalidInput(
            f"{field} {text[:80]!r} names nothing: at most {_LONGEST_NAME} characters"
        )
    if kind == "commit":
        text = text.lower()
        if not _HASH.fullmatch(text):
            raise InvalidInput(f"{field} {text!r} is no commit: give 7 to 40 digits of its hash")
    return End(kind, text.removeprefix("./") if kind == "file" else text)


def _ends_in(text: str) -> list[End]:
    """What a text names: `task-7`, `session:…`, `commit:…`, addresses, and paths written as code;
    a hundred at most."""
    found: dict[End, None] = {}
    for match in _NAMED.finditer(text):
        form, said = str(match.lastgroup), str(match[str(match.lastgroup)])
        if form == "work":
            kind, _, said = said.partition("-")
            found[End(cast(WorkKind, kind.lower()), said)] = None
        elif form == "code":
            found |= {End("file", said): None} if _PATH.fullmatch(said) else {}
        else:
            said = said.rstrip(".,;:!?") if form == "url" else said
            said = said.lower() if form == "commit" else said
            found[End(cast(EndKind, form), said)] = None
        if len(found) >= _MOST:
            break
    return list(found)

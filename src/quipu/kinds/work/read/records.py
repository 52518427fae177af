"""One record of a goal or a task, those it holds inside, and what it is tied to, as it is written:
other work, files, sessions, commits, URLs.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from quipu.errors import InvalidInput
from quipu.kinds.work.model import End, EndKind, WorkItem, WorkKind, WorkRelation, work_id
from quipu.kinds.work.read.states import begin_of, date_of, read_states
from quipu.read.fields import Fields
from quipu.records.document import Problem
from quipu.records.mentions import WORK_NAME
from quipu.records.schema import RelationType

__all__ = ["KIND_WORDS", "WorkRead", "kind_of", "read_record", "united"]

_WORK = re.compile(r"(?i)(goal|task)-(.+)")
_URL = re.compile(r"https?://[^\s<>\"'`)\]]+")
_HASH = re.compile(r"[0-9a-f]{7,40}")
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z]\w{0,9}|(?:[\w.@+-]+/)+[\w.@+-]+")
_ANYTHING = frozenset({"references", "related"})
_LONGEST_NAME = 500
_MOST = 100
_NAMED = re.compile(
    rf"(?<![\w/-])(?:(?P<work>{WORK_NAME})"
    r"|session:(?P<session>[\w.:-]+\w)|commit:(?P<commit>[0-9a-f]{7,40})\b)"
    r"|(?P<url>https?://[^\s<>\"'`)\]]+)|`(?P<code>[^`\n]{1,200})`",
    re.IGNORECASE,
)
KIND_WORDS: dict[str, WorkKind] = {
    "goal": "goal",
    "objective": "goal",
    "task": "task",
    "subtask": "task",
    "todo": "task",
}
_DEEPEST = 20
_LONGEST = 20_000
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
        if isinstance(word, str) and word.strip().lower() in KIND_WORDS:
            return KIND_WORDS[word.strip().lower()]
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
    relations = (
        *_relations(fields, chosen),
        *_inside(fields, chosen, inner, at=at, seen=seen, depth=depth),
    )
    text = fields.text("description", "body", "notes", "details")[:_LONGEST]
    created = fields.read("created_at", date_of, "") or fields.read("created", date_of, "")
    updated = fields.read("updated_at", date_of, "") or fields.read("updated", date_of, "")
    item = WorkItem(
        kind=chosen,
        id=identity,
        title=" ".join(title.split())[:500],
        description=text,
        states=read_states(fields, seen=begin_of(updated) if updated else seen, created=created),
        relations=_unique(
            (*relations, *_mentioned(f"{title}\n{text}", chosen, identity, relations))
        ),
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
                ends = _ends(Fields({name: [each]}, fields.problems), name, "task")
                yield from (WorkRelation(relation, end) for end in ends)
            elif depth >= _DEEPEST:
                fields.problems.append(f"{name}: records lie more than {_DEEPEST} deep; left out")
            else:
                record = cast("dict[str, Any]", each)
                place = f"{at}.{name}.{n}"
                found = read_record(record, at=place, seen=seen, kind="task", depth=depth + 1)
                read.append(found)
                if found.items:
                    yield WorkRelation(relation, _work_end(found.items[0].name, "task", name))


def _relations(fields: Fields, kind: WorkKind) -> list[WorkRelation]:
    """What a record says of how it hangs together with others."""
    above: tuple[tuple[str, WorkKind], ...] = (
        ("goal", "goal"),
        ("goals", "goal"),
        ("parent", kind),
        ("parent_id", kind),
    )
    found = [_under(kind, end) for name, what in above for end in _ends(fields, name, what)]
    for name, what, relation, inward in _FIELDS:
        found += [WorkRelation(relation, end, inward) for end in _ends(fields, name, what or kind)]
    return found


def _ends(fields: Fields, name: str, what: EndKind) -> list[End]:
    """What a field names; `what` is meant by a bare text."""
    found: list[End] = []
    for each in _listed(fields, name):
        try:
            found.append(_read_end(each, what, name))
        except InvalidInput as error:
            fields.problems.append(str(error))
    return found


def _under(kind: WorkKind, parent: End) -> WorkRelation:
    """How a piece of work stands under its parent."""
    if kind == "goal":
        return WorkRelation(RelationType.PART_OF, parent)
    relation = RelationType.HAS_TASK if parent.kind == "goal" else RelationType.HAS_SUBTASK
    return WorkRelation(relation, parent, inward=True)


def _mentioned(
    text: str, kind: WorkKind, identity: str, relations: Iterable[WorkRelation]
) -> list[WorkRelation]:
    """What a text names and the fields do not."""
    known = {relation.end for relation in relations}
    own = _work_end(identity, kind, "id")
    return [
        WorkRelation(RelationType.REFERENCES, end)
        for end in _ends_in(text)
        if end not in known and end != own
    ]


def _unique(relations: Iterable[WorkRelation]) -> tuple[WorkRelation, ...]:
    return tuple(dict.fromkeys(relations))


def _listed(fields: Fields, name: str) -> list[object]:
    """The values of a field: a list, one value, or a text with commas."""
    value = fields.record.get(name)
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return cast("list[object]", value)
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value]


def _work_end(written: object, kind: WorkKind, field: str) -> End:
    """The goal or task that `written` names: `goal-3`, `task-12`, or a bare id of that `kind`.

    Raises InvalidInput naming the field and the value.
    """
    if isinstance(written, str) and (named := _WORK.fullmatch(written.strip())):
        kind = cast(WorkKind, named[1].lower())
        written = named[2]
    return End(kind, work_id(kind, written, field))


def _read_end(written: object, what: EndKind, field: str) -> End:
    """Whatever `written` names; `what` is meant by a bare text. Raises InvalidInput naming the
    field and the value."""
    of_work = what in ("goal", "task")
    if isinstance(written, str) and not (of_work and _WORK.fullmatch(written.strip())):
        text = written.strip()
        prefix, _, rest = text.partition(":")
        if prefix in ("session", "commit", "file") and rest:
            return _thing(cast(EndKind, prefix), rest, field)
        if _URL.fullmatch(text):
            return _thing("url", text, field)
        if of_work and field in _ANYTHING and _PATH.fullmatch(text):
            return _thing("file", text, field)
        if not of_work:
            return _thing(what, text, field)
    if of_work:
        return _work_end(written, what, field)
    raise InvalidInput(f"{field} {written!r} is no text: name one, or a list of them")


def _ends_in(text: str) -> list[End]:
    """What a text names: `task-7`, `session:…`, `commit:…`, addresses, and paths written as code;
    a hundred at most."""
    found: dict[End, None] = {}
    for match in _NAMED.finditer(text):
        if match["work"]:
            kind, _, identity = match["work"].partition("-")
            found[End(cast(WorkKind, kind.lower()), identity)] = None
        elif match["session"]:
            found[End("session", match["session"])] = None
        elif match["commit"]:
            found[End("commit", match["commit"].lower())] = None
        elif match["url"]:
            found[End("url", match["url"].rstrip(".,;:!?"))] = None
        elif _PATH.fullmatch(match["code"]):
            found[End("file", match["code"])] = None
        if len(found) >= _MOST:
            break
    return list(found)


def _thing(kind: EndKind, text: str, field: str) -> End:
    if not text or len(text) > _LONGEST_NAME or "\n" in text:
        raise InvalidInput(
            f"{field} {text[:80]!r} names nothing: at most {_LONGEST_NAME} characters"
        )
    if kind == "commit":
        text = text.lower()
        if not _HASH.fullmatch(text):
            raise InvalidInput(f"{field} {text!r} is no commit: give 7 to 40 digits of its hash")
    if kind == "file":
        text = text.removeprefix("./")
    return End(kind, text)

"""Task lists in Markdown: `- [ ] what is to be done`, as people keep them in a file.

Points under points are subtasks. A heading that names a goal (`# goal-3: Ship the beta`, `## Goal:
Ship the beta`) is that goal, and the points under it are its tasks. A point may say at its end, or
in brackets, `owner: @ann`, `due: 2026-05-01`, `priority: high`, `status: …`, `blocks: task-7` …;
a point that begins with `task-12` has that id, any other is called by its file and its words.
"""

import re
from pathlib import PurePosixPath
from typing import Any

from quipu.kinds.work.model import WorkItem, WorkKind
from quipu.kinds.work.read.records import WorkRead, read_record, united
from quipu.read.fields import slug

__all__ = ["is_task_list", "read_points"]

_BULLET = re.compile(
    r"^(?P<indent>[ \t]*)[-*+][ \t]+(?:\[(?P<mark>[ xX/~-])\][ \t]+)?(?P<text>\S.*)$"
)
_HEADING = re.compile(r"^#{1,6}[ \t]+(?P<text>.*?)[ \t#]*$")
_GOAL = re.compile(
    r"(?i)^(?:goal-(?P<id>[\w.]+)|(?:goal|objective)(?:[ \t]+#?(?P<number>\d+))?)"
    r"[ \t]*(?:[:–—-][ \t]*|$)(?P<title>.*)$"
)
_OWN_ID = re.compile(
    r"(?i)^(?:\*\*|`)?task-(?P<id>\w[\w.-]*?)(?:\*\*|`)?(?:[ \t]*[:–—-])?[ \t]+(?=\S)"
)
_KEYS = (
    "owner|assignee|due|deadline|priority|status|goal|parent|blocks|blocked[ _-]by|"
    "depends[ _-]on|references|modifies|files|sessions|commits|created|started|completed|done|"
    "updated|tags"
)
_FIELD = re.compile(rf"(?i)(?:^|[\s(\[;,])(?P<key>{_KEYS}):[ \t]*")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
_STATUS = {" ": "open", "x": "done", "/": "in progress", "~": "cancelled", "-": "cancelled"}
_LONGEST_SLUG = 48
_BRACKETS = {"(": ")", "[": "]"}


def is_task_list(text: str) -> bool:
    """Whether a Markdown text is a task list: it has points with boxes, and no others."""
    bullets = [found for line in _prose(text) if (found := _BULLET.match(line))]
    return bool(bullets) and all(found["mark"] for found in bullets)


def read_points(
    path: str,
    text: str,
    *,
    seen: str,
    within: WorkItem | None = None,
    first_line: int = 1,
    kind: WorkKind = "task",
) -> WorkRead:
    """The goals and tasks of a list that begins at `first_line` of its file. Points outside of any
    goal or point are tasks of the goal, or subtasks of the task, that they stand `within`."""
    stem = slug(PurePosixPath(path).stem) or "list"
    taken: set[str] = set()
    above: list[tuple[int, str]] = []
    parent = within and within.name
    read: list[WorkRead] = []
    for number, line in enumerate(_prose(text), first_line):
        at = f"{path}:{number}"
        if heading := _HEADING.match(line):
            above = []
            if named := _GOAL.match(heading["text"]):
                record = _goal(named, stem)
                parent = f"goal-{record['id']}"
                read.append(read_record(record, at=at, seen=seen))
        elif (point := _BULLET.match(line)) and point["mark"]:
            indent = len(point["indent"].expandtabs(4))
            above = [each for each in above if each[0] < indent]
            record = _task(point, stem, taken, kind)
            under = above[-1][1] if above else parent
            if under and "parent" not in record and (above or "goal" not in record):
                record["parent"] = under
            found = read_record(record, at=at, seen=seen)
            read.append(found)
            above += [(indent, f"task-{each.id}") for each in found.items]
    return united(read)


def _goal(named: re.Match[str], stem: str) -> dict[str, Any]:
    title = named["title"].strip()
    words = slug(title)[:_LONGEST_SLUG].strip("-")
    identity = named["id"] or named["number"] or (f"{stem}-{words}" if words else stem)
    return {"kind": "goal", "id": identity, "title": title or f"goal-{identity}"}


def _task(point: re.Match[str], stem: str, taken: set[str], kind: WorkKind) -> dict[str, Any]:
    text = point["text"].strip()
    own = _OWN_ID.match(text)
    text, fields = _fields(text[own.end() :] if own else text)
    words = slug(text)[:_LONGEST_SLUG].strip("-") or "point"
    identity, more = own["id"] if own else f"{stem}-{words}", 2
    while not own and identity in taken:
        identity, more = f"{stem}-{words}-{more}", more + 1
    taken.add(identity)
    status = _STATUS[point["mark"].lower()]
    return {"status": status, **fields, "kind": kind, "id": identity, "title": text}


def _fields(text: str) -> tuple[str, dict[str, Any]]:
    """The words of a point, and what is said at its end or in brackets: `(owner: @ann, due:
    2026-05-01)`."""
    found = list(_FIELD.finditer(text))
    words = text[: found[0].start()].rstrip().rstrip("([;,").rstrip() if found else text
    fields: dict[str, Any] = {}
    bracket = ""
    for n, match in enumerate(found):
        end = found[n + 1].start() if n + 1 < len(found) else len(text)
        bracket = match[0][0] if match[0][0] in _BRACKETS else bracket
        value = text[match.end() : end]
        if bracket and (close := _closing(value, bracket)) >= 0:
            words += value[close + 1 :].rstrip()
            value, bracket = value[:close], ""
        if value := value.strip().strip("()[];,").strip():
            fields[re.sub(r"[ -]", "_", match["key"].lower())] = value
    if "done" in fields:
        fields["completed"] = fields.pop("done")
    return words.strip().rstrip("([;,").strip(), fields


def _closing(text: str, bracket: str) -> int:
    """Where the bracket that is open before `text` closes; -1 where it does not."""
    depth = 1
    for place, character in enumerate(text):
        depth += (character == bracket) - (character == _BRACKETS[bracket])
        if not depth:
            return place
    return -1


def _prose(text: str) -> list[str]:
    """The lines of a text; those of code are blank."""
    fenced = False
    lines: list[str] = []
    for line in text.split("\n"):
        fence = _FENCE.match(line) is not None
        fenced = fenced != fence
        lines.append("" if fenced or fence else line)
    return lines

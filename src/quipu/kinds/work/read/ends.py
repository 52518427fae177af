"""What a piece of work is tied to, as it is written: other work, files, sessions, commits, URLs."""

import re
from typing import cast

from quipu.errors import InvalidInput
from quipu.kinds.work.model import End, EndKind, WorkKind, work_id
from quipu.records.mentions import WORK_NAME

__all__ = ["ends_in", "read_end", "work_end"]

_WORK = re.compile(r"(?i)(goal|task)-(.+)")
_URL = re.compile(r"https?://[^\s<>\"'`)\]]+")
_HASH = re.compile(r"[0-9a-f]{7,40}")
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z]\w{0,9}|(?:[\w.@+-]+/)+[\w.@+-]+")
_ANYTHING = frozenset({"references", "related"})
_LONGEST = 500
_MOST = 100
_NAMED = re.compile(
    rf"(?<![\w/-])(?:(?P<work>{WORK_NAME})"
    r"|session:(?P<session>[\w.:-]+\w)|commit:(?P<commit>[0-9a-f]{7,40})\b)"
    r"|(?P<url>https?://[^\s<>\"'`)\]]+)|`(?P<code>[^`\n]{1,200})`",
    re.IGNORECASE,
)


def work_end(written: object, kind: WorkKind, field: str) -> End:
    """The goal or task that `written` names: `goal-3`, `task-12`, or a bare id of that `kind`.

    Raises InvalidInput naming the field and the value.
    """
    if isinstance(written, str) and (named := _WORK.fullmatch(written.strip())):
        kind = cast(WorkKind, named[1].lower())
        written = named[2]
    return End(kind, work_id(kind, written, field))


def read_end(written: object, what: EndKind, field: str) -> End:
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
        return work_end(written, what, field)
    raise InvalidInput(f"{field} {written!r} is no text: name one, or a list of them")


def ends_in(text: str) -> list[End]:
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
    if not text or len(text) > _LONGEST or "\n" in text:
        raise InvalidInput(f"{field} {text[:80]!r} names nothing: at most {_LONGEST} characters")
    if kind == "commit":
        text = text.lower()
        if not _HASH.fullmatch(text):
            raise InvalidInput(f"{field} {text!r} is no commit: give 7 to 40 digits of its hash")
    if kind == "file":
        text = text.removeprefix("./")
    return End(kind, text)

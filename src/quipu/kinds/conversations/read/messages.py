"""Lists of messages as chat interfaces take them: `[{"role", "content"}, …]`.

The list stands alone, under `messages`, or one such object (or one message) a line. Tool calls
and tool answers are passed over.
"""

from typing import cast

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read.collect import Collector
from quipu.kinds.conversations.read.content import read_content
from quipu.kinds.conversations.read.values import Json, a_list, an_object, objects, text
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["NAME", "is_message", "read_message_lines", "read_messages"]

NAME = "messages"
_ANSWERS = frozenset({"tool", "function"})


def is_message(fields: Json) -> bool:
    """Whether an object is a message, or holds a list of them."""
    if isinstance(fields.get("messages"), list):
        return True
    return isinstance(fields.get("role"), str) and ("content" in fields or "tool_calls" in fields)


def read_messages(path: str, value: object, *, stem: str) -> Sessions:
    """The sessions in a whole JSON value: messages, one object with them, or a list of such."""
    collector = Collector(path)
    lists = [each for each in objects(value) if isinstance(each.get("messages"), list)]
    every = cast(list[object], value) if isinstance(value, list) else [value]
    loose = [each for each in every if not any(each is one for one in lists)] if lists else every
    if loose:
        _read_list(collector, stem, loose)
    for number, each in enumerate(lists, 1):
        _read_holder(collector, each, stem if len(lists) == 1 else f"{stem}-{number}", 0)
    return collector.sessions(NAME)


def read_message_lines(path: str, data: bytes, *, stem: str) -> Sessions:
    """Return the sessions in JSON lines: a message a line, or a list of messages a line."""
    collector = Collector(path)
    for number, line in collector.lines(data):
        if isinstance(line.get("messages"), list):
            _read_holder(collector, line, f"{stem}-{number}", number)
        else:
            with collector.reading(number):
                _read_message(collector, _session_of(line) or stem, line, number)
    return collector.sessions(NAME)


def _session_of(fields: Json) -> str:
    return text(fields, "session_id", "conversation_id", "thread_id", "sessionId")


def _read_holder(collector: Collector, holder: Json, name: str, line: int) -> None:
    session = _session_of(holder) or text(holder, "id") or name
    time = collector.time(holder.get("created_at") or holder.get("created"), line)
    collector.open(session, title=text(holder, "title"), time=time)
    _read_list(collector, session, a_list(holder.get("messages"), "messages"), line)


def _read_list(collector: Collector, session: str, messages: list[object], line: int = 0) -> None:
    collector.open(session)
    for place, each in enumerate(messages, 1):
        with collector.reading(line):
            _read_message(collector, session, an_object(each, f"message {place}"), line)


def _read_message(collector: Collector, session: str, message: Json, line: int) -> None:
    written = text(message, "role")
    if not written:
        raise InvalidInput("a message has no role: give it one of user, assistant, system, tool")
    if written in _ANSWERS:
        return
    stamp = message.get("created_at") or message.get("timestamp") or message.get("time")
    time = collector.time(stamp, line) if stamp else UNKNOWN_TIME
    content = read_content(message.get("content"))
    role = collector.role(written, line)
    collector.message(
        session, content, role=role, speaker=text(message, "name"), time=time, line=line
    )

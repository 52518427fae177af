"""Codex logs: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, a line a record.

Records are `{timestamp, type, payload}`; the first versions wrote the payload alone after a line
with the session's `id`. Messages are `response_item`s (the `event_msg` lines repeat them for
the screen); what the program says in the user's name is no speech.
"""

import re

from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read.collect import Collector
from quipu.kinds.conversations.read.content import read_content
from quipu.kinds.conversations.read.values import Json, an_object, text

__all__ = ["NAME", "is_codex", "read_codex"]

NAME = "codex"
_RECORDS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_BOOT = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions|collaboration_mode|INSTRUCTIONS"
    r"|turn_aborted|user_shell_command|skill)\b|# AGENTS\.md instructions)"
)


def is_codex(line: Json) -> bool:
    """Whether a line has the marks of this format."""
    if "payload" in line and text(line, "type") in _RECORDS:
        return True
    return line.get("record_type") == "state" or _is_old_head(line)


def _is_old_head(line: Json) -> bool:
    return {"id", "timestamp", "instructions"} <= line.keys() and "role" not in line


def read_codex(path: str, data: bytes, *, stem: str) -> Sessions:
    """Return the session in one log. A resumed log names its session more than once."""
    collector = Collector(path)
    session = stem
    for number, line in collector.lines(data):
        with collector.reading(number):
            head = _head(line)
            if head is None:
                _read_item(collector, session, line, number)
            else:
                session = text(head, "id", "session_id") or session
                collector.open(session, time=collector.time(head.get("timestamp"), number))
    return collector.sessions(NAME)


def _head(line: Json) -> Json | None:
    if line.get("type") == "session_meta":
        return an_object(line.get("payload"), "payload")
    return line if _is_old_head(line) else None


def _read_item(collector: Collector, session: str, line: Json, number: int) -> None:
    kind, item = text(line, "type"), line
    if kind == "response_item":
        item = an_object(line.get("payload"), "payload")
    elif kind in _RECORDS:
        return
    if text(item, "type") != "message":
        return
    time = collector.time(line.get("timestamp"), number)
    role = collector.role(text(item, "role"), number)
    content = read_content(item.get("content"))
    content.speech[:] = [s for s in content.speech if role != "system" and not _BOOT.match(s)]
    collector.message(session, content, role=role, time=time, line=number)

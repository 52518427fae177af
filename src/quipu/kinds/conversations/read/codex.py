"""Codex logs: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, a line a record.

Records are `{timestamp, type, payload}`; the first versions wrote the payload alone after a line
with the session's `id`. Messages are `response_item`s (the `event_msg` lines repeat them for
the screen); what the program says in the user's name is a notice.
"""

import re

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read.collect import Collector
from quipu.kinds.conversations.read.content import compact, plain_text, read_content
from quipu.kinds.conversations.read.values import Json, an_object, json_lines, text
from quipu.records.document import Problem

__all__ = ["NAME", "is_codex", "read_codex"]

NAME = "codex"
_RECORDS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
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
    """The session in one log. A resumed log names its session more than once."""
    collector = Collector(path)
    session = stem
    for number, line in json_lines(path, data):
        if isinstance(line, Problem):
            collector.take(line)
            continue
        try:
            head = _head(line)
            if head is None:
                _read_item(collector, session, line, number)
                continue
            session = text(head, "id", "session_id") or session
            collector.open(session, time=collector.time(head.get("timestamp"), number))
        except InvalidInput as error:
            collector.problem(str(error), number)
    return collector.sessions(NAME)


def _head(line: Json) -> Json | None:
    if line.get("type") == "session_meta":
        return an_object(line.get("payload"), "payload")
    return line if _is_old_head(line) else None


def _read_item(collector: Collector, session: str, line: Json, number: int) -> None:
    wrapped = text(line, "type") in _RECORDS
    if wrapped and text(line, "type") != "response_item":
        return
    item = an_object(line.get("payload"), "payload") if wrapped else line
    time = collector.time(line.get("timestamp"), number)
    kind = text(item, "type")
    name, call_id = text(item, "name"), text(item, "call_id", "id")
    if kind == "message":
        _read_message(collector, session, item, time, number)
    elif kind in _CALLS:
        given = item.get("arguments") or item.get("input") or item.get("action")
        collector.event(
            session,
            "call",
            compact(given),
            name=name or kind,
            call_id=call_id,
            time=time,
            line=number,
        )
    elif kind in _RESULTS:
        collector.event(
            session,
            "result",
            plain_text(item.get("output")),
            name=name,
            call_id=call_id,
            time=time,
            line=number,
        )
    elif kind == "reasoning":
        thought = plain_text(item.get("summary"))
        if thought:
            collector.event(session, "thought", thought, time=time, line=number)


def _read_message(collector: Collector, session: str, item: Json, time: str, number: int) -> None:
    role = collector.role(text(item, "role"), number)
    content = read_content(item.get("content"))
    boot = [said for said in content.speech if role == "system" or _BOOT.match(said)]
    content.speech[:] = [said for said in content.speech if said not in boot]
    if boot:
        collector.event(session, "notice", "\n".join(boot), time=time, line=number)
    collector.message(session, content, role=role, time=time, line=number)

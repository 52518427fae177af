"""Claude Code's logs: `~/.claude/projects/<folder>/<session>.jsonl`, a line a step.

Speech is in lines of type `user` and `assistant`. What the program writes in the user's name
(marked `isMeta`, command echoes, reminders, the summary after compaction) or in the model's
(errors, "No response requested.") is no speech. A resumed session repeats lines with the same
`uuid`; side chains are sessions of their own.
"""

import re

from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read.collect import Collector
from quipu.kinds.conversations.read.content import read_content
from quipu.kinds.conversations.read.values import Json, an_object, text

__all__ = ["NAME", "is_claude_code", "read_claude_code"]

NAME = "claude-code"
_SPOKEN = frozenset({"user", "assistant"})
_NOTICES = ("isMeta", "isCompactSummary", "isApiErrorMessage")
_ECHO = re.compile(
    r"\s*(?:<(?:command-(?:name|message|args)|local-command-\w+|system-reminder|bash-(?:input|"
    r"stdout|stderr)|task-notification|user-prompt-submit-hook)\b|Caveat: The messages below)"
)
_OPENED, _CLOSED = "<system-reminder>", "</system-reminder>"


def is_claude_code(line: Json) -> bool:
    """Whether a line has the marks of this format."""
    if line.get("type") == "summary":
        return "leafUuid" in line
    return "sessionId" in line and "type" in line and ("uuid" in line or "operation" in line)


def read_claude_code(path: str, data: bytes, *, stem: str) -> Sessions:
    """Return every session in one log, in the order of its lines."""
    collector = Collector(path)
    seen: set[str] = set()
    for number, line in collector.lines(data):
        key = text(line, "uuid")
        if not key or key not in seen:
            seen.add(key)
            with collector.reading(number):
                _read_line(collector, line, number, stem)
    return collector.sessions(NAME)


def _read_line(collector: Collector, line: Json, number: int, stem: str) -> None:
    kind = text(line, "type")
    session = text(line, "sessionId") or stem
    if line.get("isSidechain") is True:
        session = f"{session}/{text(line, 'agentId') or 'sidechain'}"
    if kind == "summary":
        collector.open(session)
    if kind not in _SPOKEN:
        return
    message = an_object(line.get("message"), "message")
    role = collector.role(text(message, "role") or kind, number)
    time = collector.time(line.get("timestamp"), number)
    content = read_content(message.get("content"))
    content.speech[:] = map(_without_reminders, content.speech)
    of_program = text(message, "model") == "<synthetic>" or any(
        line.get(mark) is True for mark in _NOTICES
    )
    if of_program or (content.speech and _ECHO.match(content.speech[0])):
        content.speech.clear()
    collector.message(session, content, role=role, time=time, line=number)


def _without_reminders(said: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := said.find(_OPENED, at)) >= 0 and (end := said.find(_CLOSED, start)) >= 0:
        kept.append(said[at:start])
        at = end + len(_CLOSED)
    return "".join((*kept, said[at:]))

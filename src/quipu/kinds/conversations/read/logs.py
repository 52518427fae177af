"""Lines of logs that programs and people write: one function a format, which reads one line.

Claude Code (`~/.claude/projects/<folder>/<session>.jsonl`): speech is in lines of type `user` and
`assistant`. What the program writes in the user's name (marked `isMeta`, command echoes, reminders,
the summary after compaction) or in the model's (errors) is no speech. A resumed session repeats
lines with the same `uuid`; side chains are sessions of their own.

Codex (`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`): records are `{timestamp, type, payload}`;
the first versions wrote the payload alone after a line with the session's `id`. Messages are
`response_item`s (the `event_msg` lines repeat them for the screen).

Everything else, a line a turn: `text` (unless there is a `caption`), `speaker` or `role`, `conv`,
`session`, `turn`, `time` and `session_time`, `caption` or `image_caption`; other fields are passed
over.
"""

from quipu.errors import InvalidInput
from quipu.kinds.conversations.read.collect import Collector, Content, read_content, without_marks
from quipu.kinds.conversations.read.values import Json, an_object, shown, text
from quipu.when.instants import UNKNOWN_TIME

__all__ = [
    "is_claude_code",
    "is_codex",
    "is_plain",
    "read_claude_code",
    "read_codex",
    "read_plain",
]

_SPOKEN = frozenset({"user", "assistant"})
_NOTICES = ("isMeta", "isCompactSummary", "isApiErrorMessage")
_RECORDS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_BOOT = ("# AGENTS.md instructions", "Caveat: The messages below")
"""How begins what a program says in the user's name, without marks."""


def is_claude_code(line: Json) -> bool:
    """Return whether a line has the marks of this format."""
    if line.get("type") == "summary":
        return "leafUuid" in line
    return "sessionId" in line and "type" in line and ("uuid" in line or "operation" in line)


def read_claude_code(collector: Collector, line: Json) -> None:
    """Read a line of a log of Claude Code."""
    kind = text(line, "type")
    session = text(line, "sessionId") or collector.session
    if not collector.is_new(text(line, "uuid")):
        return
    if line.get("isSidechain") is True:
        session = f"{session}/{text(line, 'agentId') or 'sidechain'}"
    if kind == "summary":
        collector.open(session)
    if kind not in _SPOKEN:
        return
    message = an_object(line.get("message"), "message")
    role = collector.role(text(message, "role") or kind)
    time = collector.time(line.get("timestamp"))
    content = read_content(message.get("content"))
    if text(message, "model") == "<synthetic>" or any(line.get(m) is True for m in _NOTICES):
        content.speech.clear()
    collector.message(session, _spoken(content), role=role, time=time)


def _spoken(content: Content) -> Content:
    """A message without what a program says in it."""
    said = (without_marks(each) for each in content.speech)
    kept = [each for each in said if each.strip() and not each.lstrip().startswith(_BOOT)]
    return Content(kept, content.captions)


def is_codex(line: Json) -> bool:
    """Return whether a line has the marks of this format."""
    if "payload" in line and text(line, "type") in _RECORDS:
        return True
    return line.get("record_type") == "state" or _is_old_head(line)


def _is_old_head(line: Json) -> bool:
    return {"id", "timestamp", "instructions"} <= line.keys() and "role" not in line


def read_codex(collector: Collector, line: Json) -> None:
    """Read a line of a log of Codex. A resumed log names its session more than once."""
    kind, old = text(line, "type"), _is_old_head(line)
    if old or kind == "session_meta":
        head = line if old else an_object(line.get("payload"), "payload")
        collector.session = text(head, "id", "session_id") or collector.session
        collector.open(collector.session, time=collector.time(head.get("timestamp")))
        return
    item = an_object(line.get("payload"), "payload") if kind == "response_item" else line
    if text(item, "type") != "message":
        return
    time = collector.time(line.get("timestamp"))
    role = collector.role(text(item, "role"))
    content = read_content(item.get("content"))
    if role == "system":
        content.speech.clear()
    collector.message(collector.session, _spoken(content), role=role, time=time)


def is_plain(line: Json) -> bool:
    """Return whether a line has the fields of the format for everything else."""
    named = isinstance(line.get("speaker"), str) or isinstance(line.get("role"), str)
    return named and ("text" in line or "caption" in line)


def read_plain(collector: Collector, line: Json) -> None:
    """Read a line of the format for everything else."""
    said, caption = line.get("text", ""), text(line, "caption", "image_caption")
    if not isinstance(said, str):
        raise InvalidInput(f"text is {shown(said)}, not text")
    if not said.strip() and not caption:
        raise InvalidInput("the line has neither text nor caption")
    speaker, written = text(line, "speaker"), text(line, "role")
    if not speaker and not written:
        raise InvalidInput("the line says neither speaker nor role")
    conversation = text(line, "conv")
    session = "/".join(filter(None, (conversation, text(line, "session")))) or collector.session
    began = collector.time(line.get("session_time"))
    collector.open(session, group=conversation, time="" if began == UNKNOWN_TIME else began)
    turn = line.get("turn")
    collector.message(
        session,
        Content([said], [caption]),
        role=collector.role(written) if written else "other",
        speaker=speaker,
        time=collector.time(line.get("time")) if line.get("time") else began,
        offset=turn if isinstance(turn, int) and not isinstance(turn, bool) else 0,
    )

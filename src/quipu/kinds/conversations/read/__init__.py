"""Transcripts to turns: one reader a format, chosen by what a file holds, not by its name.

    sessions = read_sessions("log.jsonl", data)      # pure; never raises for what a file holds

Whatever cannot be read is a problem with its line; the rest of the file is read all the same. A
transcript that is still being written may end in the middle of a line: that line is read when it
is whole, and the turns before it keep their offsets.
"""

from pathlib import PurePosixPath

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read.chatgpt import is_chatgpt, read_chatgpt
from quipu.kinds.conversations.read.claude_code import is_claude_code, read_claude_code
from quipu.kinds.conversations.read.claude_export import is_claude_export, read_claude_export
from quipu.kinds.conversations.read.codex import is_codex, read_codex
from quipu.kinds.conversations.read.memory_folder import is_memory_file, read_memory_file
from quipu.kinds.conversations.read.messages import is_message, read_message_lines, read_messages
from quipu.kinds.conversations.read.plain import is_plain, read_plain
from quipu.kinds.conversations.read.times import read_time
from quipu.kinds.conversations.read.values import decode, json_lines, objects, unmarked
from quipu.records.document import Problem

__all__ = ["FORMATS", "is_memory_file", "read_sessions", "read_time", "sniff_format"]

_LOOKED_AT = 50
_OF_LINES = frozenset({".jsonl", ".ndjson"})
_LINES = {
    "claude-code": (is_claude_code, read_claude_code),
    "codex": (is_codex, read_codex),
    "jsonl": (is_plain, read_plain),
    "messages": (is_message, read_message_lines),
}
_WHOLE = {
    "chatgpt-export": (is_chatgpt, read_chatgpt),
    "claude-export": (is_claude_export, read_claude_export),
    "messages": (is_message, read_messages),
}
FORMATS = (
    "claude-code",
    "codex",
    "messages",
    "chatgpt-export",
    "claude-export",
    "memory-folder",
    "jsonl",
)


def read_sessions(path: str, data: bytes, *, session: str | None = None) -> Sessions:
    """The sessions in a file; one that does not say what it is called is `session`, by default the
    stem of `path`. Raises InvalidInput, which says what the file is not, when it is of no format
    known here."""
    data = unmarked(data)
    if not data.strip():
        raise InvalidInput("is empty")
    format_name, value = _sniffed(path, data)
    stem = PurePosixPath(path).stem if session is None else session
    if format_name == "memory-folder":
        return read_memory_file(path, data)
    if format_name is None:
        if data.lstrip()[:1] == b"[":
            decode(data)  # says where it breaks off
        raise InvalidInput(
            f"is no transcript that can be read here{_broken(path, data)}: give one of "
            f"{', '.join(FORMATS)}, or write JSON lines with `speaker`, `text` and, if known, "
            "`conv`, `session`, `time`"
        )
    if value is not None:
        return _WHOLE[format_name][1](path, value, stem=stem)
    return _LINES[format_name][1](path, data, stem=stem)


def _broken(path: str, data: bytes) -> str:
    """Which line of what seems to be JSON lines is none, and why; empty where none is."""
    if data.lstrip()[:1] != b"{":
        return ""
    try:
        decode(data)
    except InvalidInput:
        lines = json_lines(path, data)
        return next((f" (line {n} {p.error})" for n, p in lines if isinstance(p, Problem)), "")
    return ""


def sniff_format(path: str, data: bytes) -> str | None:
    """The name of the transcript format of a file, None when it is none."""
    return _sniffed(path, unmarked(data))[0]


def _sniffed(path: str, data: bytes) -> tuple[str | None, object]:
    """The format, and the decoded value where the file is one JSON value."""
    value: object = None
    if is_memory_file(path):
        return "memory-folder", None
    body = data.lstrip()
    of_lines = PurePosixPath(path).suffix.lower() in _OF_LINES  # its first line may be damaged
    if body[:1] not in {b"{", b"["} and not of_lines:
        return None, None
    by_line = _format_of_lines(path, data) if of_lines or body[:1] == b"{" else None
    if by_line is not None:
        return by_line, None
    try:
        value = decode(body)
    except InvalidInput:
        return None, None
    first = objects(value)[:_LOOKED_AT]
    for name, (is_one, _) in _WHOLE.items():
        if any(is_one(each) for each in first):
            return name, value
    return None, None


def _format_of_lines(path: str, data: bytes) -> str | None:
    looked_at = 0
    for _, line in json_lines(path, data):
        if isinstance(line, Problem):
            looked_at += 1
        else:
            for name, (is_one, _) in _LINES.items():
                if is_one(line):
                    return name
            looked_at += 1
        if looked_at >= _LOOKED_AT:
            break
    return None

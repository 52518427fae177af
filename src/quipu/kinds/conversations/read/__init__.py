"""Transcripts to turns: one reader a format, chosen by what a file holds, not by its name.

    sessions = read_sessions("log.jsonl", data)      # pure; never raises for what a file holds

Whatever cannot be read is a problem with its line; the rest of the file is read all the same. A
transcript that is still being written may end in the middle of a line: that line is read when it
is whole, and the turns before it keep their offsets.
"""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import TypeAlias

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read.collect import Collector
from quipu.kinds.conversations.read.exports import (
    is_chatgpt,
    is_claude_export,
    is_message,
    read_chatgpt,
    read_claude_export,
    read_messages,
)
from quipu.kinds.conversations.read.logs import (
    is_claude_code,
    is_codex,
    is_plain,
    read_claude_code,
    read_codex,
    read_plain,
)
from quipu.kinds.conversations.read.memory_folder import NAME, is_memory_file, read_memory_file
from quipu.kinds.conversations.read.threads import (
    is_discord,
    is_slack,
    is_thread,
    read_discord,
    read_slack,
    read_threads,
)
from quipu.kinds.conversations.read.times import read_time
from quipu.kinds.conversations.read.values import Json, decode, json_lines, objects, unmarked
from quipu.records.document import Problem

__all__ = ["is_memory_file", "read_list", "read_sessions", "read_time", "sniff_format"]

_LOOKED_AT = 50
_OF_LINES = frozenset({".jsonl", ".ndjson"})
_Format: TypeAlias = tuple[Callable[[Json], bool], Callable[[Collector, Json], None]]
_LINES: Mapping[str, _Format] = {
    "claude-code": (is_claude_code, read_claude_code),
    "codex": (is_codex, read_codex),
    "jsonl": (is_plain, read_plain),
    "threads": (is_thread, read_threads),
    "discord": (is_discord, read_discord),
    "messages": (is_message, read_messages),
}
"""What tells a line of a format, and what reads it."""
_WHOLE: Mapping[str, tuple[Callable[[Json], bool], Callable[[Collector, object], None]]] = {
    "chatgpt-export": (is_chatgpt, read_chatgpt),
    "claude-export": (is_claude_export, read_claude_export),
    "threads": (is_thread, read_threads),
    "slack": (is_slack, read_slack),
    "discord": (is_discord, read_discord),
    "messages": (is_message, read_messages),
}
"""The same of files that are one JSON value."""
_GIVE = (
    "give one of claude-code, codex, messages, chatgpt-export, claude-export, memory-folder, "
    "threads, slack, discord, jsonl, or write JSON lines with `speaker`, `text` and, if known, "
    "`conv`, `session`, `time`"
)


def read_sessions(path: str, data: bytes, *, session: str | None = None) -> Sessions:
    """Return the sessions in a file; one that does not say what it is called is `session`, by
    default the stem of `path`. Raises InvalidInput, which says what the file is not, when it is of
    no format known here."""
    data = unmarked(data)
    if not data.strip():
        raise InvalidInput("is empty")
    name, value = _sniffed(path, data)
    if name == NAME:
        return read_memory_file(path, data)
    if name is None:
        if data.lstrip()[:1] == b"[":
            decode(data)  # says where it breaks off
        raise InvalidInput(f"is no transcript that can be read here{_broken(path, data)}: {_GIVE}")
    collector = Collector(path, PurePosixPath(path).stem if session is None else session)
    if value is not None:
        _WHOLE[name][1](collector, value)
        return collector.sessions(name)
    for collector.line, line in json_lines(path, data):
        if isinstance(line, Problem):
            collector.problem(line)
        else:
            with collector.reading():
                _LINES[name][1](collector, line)
    return collector.sessions(name)


def read_list(session_id: str, messages: list[object]) -> Sessions:
    """Return a list of `{"role", "content"}` messages as the session `session_id`."""
    collector = Collector(session_id, session_id)
    read_messages(collector, messages)
    return collector.sessions("messages")


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
    """Return the name of the transcript format of a file, None when it is none."""
    return _sniffed(path, unmarked(data))[0]


def _sniffed(path: str, data: bytes) -> tuple[str | None, object]:
    """The format, and the decoded value where the file is one JSON value."""
    if is_memory_file(path):
        return NAME, None
    body = data.lstrip()
    of_lines = PurePosixPath(path).suffix.lower() in _OF_LINES  # its first line may be damaged
    if body[:1] not in {b"{", b"["} and not of_lines:
        return None, None
    if of_lines or body[:1] == b"{":
        for looked_at, (_, line) in enumerate(json_lines(path, data)):
            if looked_at >= _LOOKED_AT:
                break
            for name, (is_one, _read) in _LINES.items():
                if not isinstance(line, Problem) and is_one(line):
                    return name, None
    try:
        value = decode(body)
    except InvalidInput:
        return None, None
    first = objects(value)[:_LOOKED_AT]
    found = (name for name, (is_one, _) in _WHOLE.items() if any(map(is_one, first)))
    name = next(found, None)
    return name, value if name else None

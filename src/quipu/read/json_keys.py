"""JSON and its relatives: which keys stand on which lines.

`json` is strict; `jsonc` may hold comments and trailing commas; `json5` also bare keys and single
quotes, and only its brackets are checked; `jsonl` is one value a line, and has no keys.
"""

import json
import re
from typing import NamedTuple

import msgspec

_MAX_DEPTH = 4
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[{}\[\]:,\n]')
_TOKEN_5 = re.compile(
    r'"(?:[^"\\]|\\[\s\S])*+"?|\'(?:[^\'\\]|\\[\s\S])*+\'?|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?'
    r"|[\w$]++|[{}\[\]:,\n]"
)
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?')
_LAST_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|,(?=\s*+[}\]])')
_VISIBLE = re.compile(r"\S")
_BRACKETS = {"}": "{", "]": "["}


class JsonKey(NamedTuple):
    """A key (path from the top) and the line it begins on, in the order of the file."""

    path: tuple[str, ...]
    line: int


def json_keys(text: str) -> list[JsonKey]:
    """The keys of strict JSON. Raises ValueError for what is not whole, or nested too deeply."""
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error
    return _scanned(text, _TOKEN)


def jsonc_keys(text: str) -> list[JsonKey]:
    """The keys of JSON with comments. Raises ValueError as `json_keys`."""
    return json_keys(without_comments(text))


def json5_keys(text: str) -> list[JsonKey]:
    """The keys of JSON5. Raises ValueError when the brackets do not fit together."""
    return _scanned(text, _TOKEN_5)


def json_lines(text: str) -> list[JsonKey]:
    """No keys: a line is a value. Raises ValueError, naming its line, when one is none."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                msgspec.json.decode(line)
            except msgspec.DecodeError as error:
                raise BadLine(str(error), number) from error
    return []


class BadLine(ValueError):
    """A line that is no value. `lineno` says which, as the errors of other parsers do."""

    def __init__(self, message: str, lineno: int) -> None:
        super().__init__(message)
        self.lineno = lineno


def without_comments(text: str) -> str:
    """`text` with blanks for comments and trailing commas: every line stays where it is."""
    bare = _COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else _VISIBLE.sub(" ", m[0]), text)
    return _LAST_COMMA.sub(lambda m: " " if m[0] == "," else m[0], bare)


def _scanned(text: str, token: re.Pattern[str]) -> list[JsonKey]:
    keys: list[JsonKey] = []
    path: list[str] = []
    open_: list[str] = []
    tables = 0  # how many of the open brackets are those of tables
    line, pending = 1, ""
    for match in token.finditer(text):
        mark = match[0]
        if mark in _BRACKETS:
            if not open_ or open_.pop() != _BRACKETS[mark]:
                raise BadLine(f"{mark!r} closes what is not open", line)
            tables -= mark == "}"
        elif mark == ":" and pending:
            if len(open_) <= _MAX_DEPTH and open_ and open_[-1] == "{":
                del path[tables - 1 :]
                path.append(_name(pending))
                if not keys or keys[-1].line < line:
                    keys.append(JsonKey(tuple(path), line))
            pending = ""
        elif mark in ("{", "["):
            open_.append(mark)
            tables += mark == "{"
        elif mark[0] in "\"'" or mark[0].isalnum() or mark[0] in "_$":
            pending = mark
        line += mark.count("\n")
    if open_:
        raise BadLine(f"{open_[-1]!r} is never closed", line)
    return keys


def _name(written: str) -> str:
    if written[0] not in "\"'":
        return written
    try:
        return str(json.loads(written))
    except ValueError:
        return written.strip("\"'")

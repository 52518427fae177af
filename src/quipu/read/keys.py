"""TOML, YAML and JSON: which lines belong to which key, and whether the file is whole.

Of JSON, `json` is strict; `jsonc` may hold comments and trailing commas; `json5` also bare keys and
single quotes, and only its brackets are checked; `jsonl` is one value a line, and has no keys.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

import msgspec
import yaml

from quipu.read.decode import normalised
from quipu.read.prose import bare_urls, mentions
from quipu.read.reading import Reading
from quipu.records.document import Section

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


_GROUP_CHARACTERS = 900
_LARGEST_YAML = 1_000_000
_LONGEST_KEY = 300
_MAX_BRACKETS = 500
_TOML_TABLE = re.compile(r"\[\[?([^\[\]#]+)\]")
_TOML_DEEP = re.compile(r"(?<![\w.\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){100}")
_YAML_DEEP = re.compile(r"(?:[-?:][ \t]++){100}")
_BRACKET = re.compile(r"[\[\]{}]")
# What YAML counts as the end of a line and nothing else does.
_YAML_BREAKS = str.maketrans("\x85\u2028\u2029", "   ")
_TOML_KEY = re.compile(r"([A-Za-z0-9_.\-\"']+)\s*=")
_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_keys(text: str, language: str) -> Reading:
    """A data file as sections by key path; one that cannot be parsed is plain text, with a
    warning."""
    reading = Reading(text, family="data", type="data")
    try:
        keys = _KEYS[language](text) if language in _KEYS else []
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        where = getattr(error, "lineno", 0) or _mark(error)
        reason = " ".join(str(error).split())[:200]
        reading.warnings.append((f"is not whole {language.upper()}: {reason}", where))
        keys = []
    last = text.count("\n") + 1
    lengths = [len(line) for line in text.split("\n")]
    reading.sections = list(_sections(keys, last, lengths))
    # Keys look like identifiers but name nothing of the code; paths do name files.
    reading.uses = [use for use in mentions(text, spans_are_code=False) if use.kind == "path"]
    reading.links = bare_urls(text)
    return reading


def _mark(error: Exception) -> int:
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark is not None else 0


def _sections(keys: list[JsonKey], last: int, lengths: list[int]) -> Iterator[Section]:
    """Keys as sections: one large enough stands alone or is divided by its own keys, small
    neighbours go together under what they have in common."""
    if not keys or sum(lengths) <= _GROUP_CHARACTERS:
        if last:
            yield Section((), 1, last)
        return
    starts = [*(key.line for key in keys), last + 1]
    at, line = 0, 1
    while at < len(keys):
        end = at + 1
        size = sum(lengths[line - 1 : starts[end] - 1])
        while end < len(keys):
            more = sum(lengths[starts[end] - 1 : starts[end + 1] - 1])
            new_block = len(keys[end].path) == 1 and size > _GROUP_CHARACTERS / 3
            if size + more > _GROUP_CHARACTERS or new_block:
                break
            size += more
            end += 1
        if starts[end] > line:
            path = tuple(part[:_LONGEST_KEY] for part in _common(keys[at:end]))
            yield Section(path, line, starts[end] - 1)
            line = starts[end]
        at = end


def _common(keys: list[JsonKey]) -> tuple[str, ...]:
    """What the paths begin with, all of them; a single key's own path, and a parent's with its
    first children."""
    path = keys[0].path
    for key in keys[1:]:
        shared = 0
        while shared < min(len(path), len(key.path)) and path[shared] == key.path[shared]:
            shared += 1
        path = path[:shared]
    return path


def _toml_keys(text: str) -> list[JsonKey]:
    if _TOML_DEEP.search(text):  # tomllib takes time with the square of a key's parts
        raise ValueError("a key has more than 100 parts")
    tomllib.loads(text)
    keys: list[JsonKey] = []
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        if header := _TOML_TABLE.match(line.strip()):
            table = tuple(part.strip(" \"'") for part in header[1].split("."))
            keys.append(JsonKey(table, number))
        elif key := _TOML_KEY.match(line):
            keys.append(JsonKey((*table, key[1].strip("\"'")), number))
    return keys


def _yaml_keys(text: str) -> list[JsonKey]:
    if len(text) > _LARGEST_YAML:
        return []
    keys: list[JsonKey] = []
    for root in yaml_roots(text):
        _collect(root, (), keys, set())
    keys.sort(key=lambda key: key.line)
    return [key for at, key in enumerate(keys) if at == 0 or keys[at - 1].line < key.line]


def yaml_roots(text: str) -> list[yaml.Node]:
    """The documents of YAML as nodes with lines; aliases stay aliases. Raises YAMLError."""
    if _is_deep(text):  # the C library would run out of its stack, which nothing can catch
        raise yaml.YAMLError("it is nested too deeply")
    text = text.translate(_YAML_BREAKS)
    compose_all = cast("Callable[..., Iterator[yaml.Node]]", yaml.compose_all)  # pyright: ignore[reportUnknownMemberType]
    return list(compose_all(text, Loader=_LOADER))


def _is_deep(text: str) -> bool:
    depth = 0
    for match in _BRACKET.finditer(text):
        depth = depth + 1 if match[0] in "[{" else max(depth - 1, 0)
        if depth > _MAX_BRACKETS:
            return True
    return _YAML_DEEP.search(text) is not None


def _collect(
    node: yaml.Node | None, path: tuple[str, ...], keys: list[JsonKey], seen: set[int]
) -> None:
    if node is None or id(node) in seen or len(path) >= _MAX_DEPTH:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                inner = (*path, normalised(str(key.value)))
                keys.append(JsonKey(inner, key.start_mark.line + 1))
                _collect(value, inner, keys, seen)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _collect(value, path, keys, seen)


_KEYS: dict[str, Callable[[str], list[JsonKey]]] = {
    "json": json_keys,
    "jsonc": jsonc_keys,
    "json5": json5_keys,
    "jsonl": json_lines,
    "toml": _toml_keys,
    "yaml": _yaml_keys,
}

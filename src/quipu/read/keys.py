"""TOML, YAML and JSON: which lines belong to which key, and whether the file is whole.

Keys are told by the lines that they begin and by how far those are indented, of all formats alike.
Of JSON, `json` is strict; `jsonc` may hold comments and trailing commas; `json5` also bare keys and
single quotes, and only its brackets are checked; `jsonl` is one value a line, and has no keys.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

import msgspec
import yaml

from quipu.limits import LARGEST_TEXT_FILE, LONGEST_KEY
from quipu.read.prose import bare_urls, mentions
from quipu.read.reading import Reading
from quipu.records.document import Section

__all__ = [
    "Written",
    "items_of",
    "read_keys",
    "table_of",
    "value_at",
    "without_comments",
    "yaml_data",
]

_GROUP_CHARACTERS = 900
_MAX_DEPTH = 4
_MAX_BRACKETS = 500
_MOST_MERGED = 200_000  # keys in one file: each mapping that merges others in holds them too
_KEY = re.compile(
    r"(?P<lead>[ \t]*(?:- {1,4}|[\[{][ \t]*){0,3})"
    r"(?:\"(?P<double>(?:[^\"\\]|\\.){1,300}+)\"|'(?P<single>[^'\n]{1,300}+)'"
    r"|(?P<bare>(?!//)[\w$/@.<][\w $/@.+<>-]{0,200}?))[ \t]{0,9}(?P<sign>[:=])(?=[ \t\[{\"']|$)"
)
_BLOCK = re.compile(r"[|>][-+\d]{0,2}[ \t]*(?:#.*)?$")
_TOML_TABLE = re.compile(r"\[\[?([^\[\]#]+)\]")
_TOML_DEEP = re.compile(r"(?<![\w.\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){100}")
_YAML_DEEP = re.compile(r"(?:[-?:][ \t]++){100}")
_BRACKET = re.compile(r"[\[\]{}]")
# What YAML counts as the end of a line and nothing else does.
_YAML_BREAKS = str.maketrans("\x85\u2028\u2029", "   ")
_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_JSON5_TOKEN = re.compile(
    r'"(?:[^"\\]|\\[\s\S])*+"?|\'(?:[^\'\\]|\\[\s\S])*+\'?|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?'
    r"|[{}\[\]]"
)
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?')
_LAST_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|,(?=\s*+[}\]])')
_VISIBLE = re.compile(r"\S")
_OPENS = {"}": "{", "]": "["}


class _KeyLine(NamedTuple):
    """A key (path from the top) and the line it begins on."""

    path: tuple[str, ...]
    line: int


class _BadLine(ValueError):
    """A line that is no value. `lineno` says which, as the errors of other parsers do."""

    def __init__(self, message: str, lineno: int) -> None:
        super().__init__(message)
        self.lineno = lineno


def read_keys(text: str, language: str) -> Reading:
    """A data file as sections by key path; one that cannot be parsed is plain text, with a
    warning."""
    reading = Reading(text, family="data", type="data")
    lines = text.split("\n")
    keys: list[_KeyLine] = []
    try:
        if language in _CHECKS:
            _CHECKS[language](text)
            keys = list(_key_lines(lines, language)) if language != "jsonl" else []
    except (ValueError, msgspec.DecodeError, yaml.YAMLError, RecursionError) as error:
        where = getattr(error, "lineno", 0) or _mark(error)
        reason = " ".join(str(error).split())[:200]
        reading.warnings.append((f"is not whole {language.upper()}: {reason}", where))
    reading.sections = list(_sections(keys, len(lines), [len(line) for line in lines]))
    # Keys look like identifiers but name nothing of the code; paths do name files.
    reading.uses = [use for use in mentions(text, spans_are_code=False) if use.kind == "path"]
    reading.links = bare_urls(text)
    return reading


def _mark(error: Exception) -> int:
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark is not None else 0


def _key_lines(lines: list[str], language: str) -> Iterator[_KeyLine]:
    """The keys in the order of their lines, one a line; texts that span lines hold none."""
    sign = "=" if language == "toml" else ":"
    table: tuple[str, ...] = ()
    around: list[tuple[int, str]] = []
    deeper_than, until = -1, ""
    for number, line in enumerate(lines, 1):
        if until:  # inside of a text of TOML
            until = "" if line.count(until) % 2 else until
            continue
        if deeper_than >= 0 and (not line.strip() or _indent(line) > deeper_than):
            continue  # inside of a block of YAML
        deeper_than = -1
        if sign == "=" and (header := _TOML_TABLE.match(line.strip())):
            table = tuple(part.strip(" \"'") for part in header[1].split("."))
            around = []
            yield _KeyLine(table, number)
        elif (key := _KEY.match(line)) and key["sign"] == sign:
            column = len(key["lead"].expandtabs())
            while around and around[-1][0] >= column:
                around.pop()
            around.append((column, _name(key)))
            if len(around) <= _MAX_DEPTH:
                yield _KeyLine((*table, *(name for _, name in around)), number)
            if language == "yaml" and _BLOCK.match(line[key.end() :].strip()):
                deeper_than = _indent(line)
        until = next((m for m in ('"""', "'''") if sign == "=" and line.count(m) % 2), "")


def _name(key: re.Match[str]) -> str:
    """What a key is called, its escapes resolved."""
    if "\\" not in (key["double"] or ""):
        return key["double"] or key["single"] or key["bare"]
    try:
        return str(json.loads(f'"{key["double"]}"'))
    except ValueError:
        return key["double"]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _sections(keys: list[_KeyLine], last: int, lengths: list[int]) -> Iterator[Section]:
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
            path = tuple(part[:LONGEST_KEY] for part in _common(keys[at:end]))
            yield Section(path, line, starts[end] - 1)
            line = starts[end]
        at = end


def _common(keys: list[_KeyLine]) -> tuple[str, ...]:
    """What the paths begin with, all of them; a single key's own path, and a parent's with its
    first children."""
    path = keys[0].path
    for key in keys[1:]:
        shared = 0
        while shared < min(len(path), len(key.path)) and path[shared] == key.path[shared]:
            shared += 1
        path = path[:shared]
    return path


class Written(str):
    """A text of YAML as it is written, and the line on which it begins."""

    __slots__ = ("line",)
    line: int

    def __new__(cls, text: str, line: int) -> "Written":
        """`text`, which stands on that line."""
        made = super().__new__(cls, text)
        made.line = line
        return made


def yaml_data(text: str) -> list[Any]:
    """The documents of YAML as mappings, lists and `Written` texts. What an alias stands for is one
    object in several places; what a mapping merges in (`<<`) gives way to its own keys. Raises
    YAMLError, also for what is nested too deeply or merges too much."""
    try:
        maker = _Maker()
        return [maker.data(root) for root in _yaml_roots(text)]
    except RecursionError as error:
        raise yaml.YAMLError("it is nested too deeply") from error


def value_at(data: Any, *keys: str) -> Any:
    """What stands in data under these keys, one within another; None where nothing does."""
    for key in keys:
        data = cast("dict[str, Any]", data).get(key) if isinstance(data, dict) else None
    return data


def table_of(data: Any, *keys: str) -> Mapping[str, Any]:
    """The table that stands there; an empty one for anything else."""
    found = value_at(data, *keys)
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def items_of(data: Any, *keys: str) -> list[Any]:
    """The items of the list that stands there; none for anything else."""
    found = value_at(data, *keys)
    return cast("list[Any]", found) if isinstance(found, list) else []


class _Maker:
    def __init__(self) -> None:
        self.made: dict[int, Any] = {}
        self.left = _MOST_MERGED

    def data(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return Written(str(node.value), node.start_mark.line + 1 + (node.style in ("|", ">")))
        if id(node) in self.made:
            return self.made[id(node)]
        if isinstance(node, yaml.SequenceNode):
            items = self.made[id(node)] = list[Any]()
            items += [self.data(item) for item in node.value]
            return items
        table = self.made[id(node)] = dict[str, Any]()
        merged: list[Any] = []
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == "<<":
                found = self.data(value)
                merged += cast("list[Any]", found) if isinstance(found, list) else [found]
            elif isinstance(key, yaml.ScalarNode):
                table.setdefault(self.data(key), self.data(value))
        for each in merged:
            own = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
            self.left -= len(own)
            if self.left < 0:
                raise yaml.YAMLError("its mappings merge in too much")
            table |= {key: value for key, value in own.items() if key not in table}
        return table


def _yaml_roots(text: str) -> list[yaml.Node]:
    """The documents of YAML as nodes; aliases stay aliases. Raises YAMLError."""
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


def without_comments(text: str) -> str:
    """`text` with blanks for comments and trailing commas: every line stays where it is."""
    bare = _COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else _VISIBLE.sub(" ", m[0]), text)
    return _LAST_COMMA.sub(lambda m: " " if m[0] == "," else m[0], bare)


def _check_json5(text: str) -> None:
    opened: list[str] = []
    for match in _JSON5_TOKEN.finditer(text):
        mark = match[0]
        if mark in _OPENS and (not opened or opened.pop() != _OPENS[mark]):
            raise _BadLine(
                f"{mark!r} closes what is not open", text.count("\n", 0, match.end()) + 1
            )
        if mark in _OPENS.values():
            opened.append(mark)
    if opened:
        raise _BadLine(f"{opened[-1]!r} is never closed", text.count("\n") + 1)


def _check_json_lines(text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                msgspec.json.decode(line)
            except msgspec.DecodeError as error:
                raise _BadLine(str(error), number) from error


def _check_toml(text: str) -> None:
    if _TOML_DEEP.search(text):  # tomllib takes time with the square of a key's parts
        raise ValueError("a key has more than 100 parts")
    tomllib.loads(text)


def _check_yaml(text: str) -> None:
    if len(text) <= LARGEST_TEXT_FILE:
        _yaml_roots(text)


_CHECKS: dict[str, Callable[[str], object]] = {
    "json": msgspec.json.decode,
    "jsonc": lambda text: msgspec.json.decode(without_comments(text)),
    "json5": _check_json5,
    "jsonl": _check_json_lines,
    "toml": _check_toml,
    "yaml": _check_yaml,
}
"""What raises for a file that is not whole, by its language."""

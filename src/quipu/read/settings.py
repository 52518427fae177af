"""What code is told from outside: environment variables, settings and options of commands.

Where they stand is data (`queries/`). How a default, a help text and the names of an option are
written differs little between languages, so it is read from the text of the arguments, once for
all of them: `("--depth", type=int, default=3)`, `('-d, --depth <n>', 'how far', 3)`,
`{default: 3}`, `("depth", 3, "how far")`, `(long, default_value_t = 3)`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from quipu.records.document import StatedRelation
from quipu.records.record import Properties
from quipu.records.schema import EntityType, RelationType

__all__ = ["ALL_OF", "SettingUse", "declared_option", "read_setting", "relations_of"]

ALL_OF = {
    EntityType.ENVIRONMENT_VARIABLE: "environment variables that code reads",
    EntityType.SETTING: "settings that code reads",
    EntityType.OPTION: "options that commands take",
}
"""The thing that all of a type are part of, so that they can be listed."""

_READ = {
    "environment": EntityType.ENVIRONMENT_VARIABLE,
    "setting": EntityType.SETTING,
}
_LONGEST = 160
_MOST_ITEMS = 40
_STRING = r'"(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\'|`[^`\n]*+`'
_TOKEN = re.compile(rf"{_STRING}|[\[\](){{}},]")
_QUOTES = re.compile(r"^(?:[rRbBuUfF$@]*[\"'`])|[\"'`]$")
_PLAIN = re.compile(r"[A-Za-z_][\w.:/-]{1,79}")
_VARIABLE = re.compile(r"[A-Za-z_]\w{1,79}")
_PLACEHOLDER = re.compile(r"\$\{([^:}]+)(?::([^}]*))?\}")
_WRITES = re.compile(r"[\"'`]?\s*\]\s*=(?!=)")
_LITERAL = rf"(?:{_STRING}|[\w.+-]+(?:\(\))?)"
# `, "x"` in the same call; `|| x`, `?? x`, `?: x`, `or x` after it; `.unwrap_or("x")`; `:-x}`.
_DEFAULT = re.compile(
    rf"""["'`]?(?:\s*,\s*|[\])}}"'`]*\s*(?:\|\||\?\?|\?:|\bor\b)\s*
    |[)\]]*\s*\.unwrap_or(?:_else)?\(\s*(?:\|_?\w*\|\s*)?|:?[-=])(?P<value>{_LITERAL}|[^}}"\n]*)""",
    re.VERBOSE,
)
_KEYED = re.compile(r"\s*:?(\w+)\s*(?::(?!:)|=>|=(?!=))\s*(.+)", re.DOTALL)
_NESTED_DEFAULT = re.compile(rf"\bdefault_?value\w*\(\s*({_LITERAL})")
_CASE = re.compile(r"[^)\n]*")
_DASHED = re.compile(r"(?<![\w-])--?[A-Za-z?][\w-]*")
_BARE = re.compile(r":?[A-Za-z][\w-]*")
_IS_LITERAL = re.compile(rf"{_STRING}|[-+]?\d[\w.]*|(?i:true|false)")
_NONE = frozenset({"None", "null", "nil", "undefined", "nullptr"})
_OF_DEFAULT = re.compile(r"default", re.IGNORECASE)
_OF_HELP = re.compile(r"(?:help|desc|usage)", re.IGNORECASE)
_OF_NAME = re.compile(r"(?:names?|long|short|alias(?:es)?)$", re.IGNORECASE)


class SettingUse(NamedTuple):
    """Something that code is told from outside: what it is, where, and by what definition it is
    read (`within`, "" for none)."""

    type: EntityType
    name: str
    line: int
    within: str
    properties: Properties


def read_setting(kind: str, written: str, after: str, line: int, within: str) -> SettingUse | None:
    """The environment variable or setting that is read where it is `written`, with the default
    that stands `after` it; None for what is assigned there, or named by no plain name."""
    if _WRITES.match(after):
        return None
    name, default = _QUOTES.sub("", written.strip()).lstrip(":"), ""
    if placeholder := _PLACEHOLDER.search(name):
        name, default = placeholder[1], placeholder[2] or ""
    elif found := _DEFAULT.match(after):
        default = _QUOTES.sub("", found["value"].strip())
    if not (_VARIABLE if kind == "environment" else _PLAIN).fullmatch(name):
        return None
    properties: Properties = {"line": line}
    if default and len(default) <= _LONGEST:
        properties["default"] = default
    return SettingUse(_READ[kind], name, line, within, properties)


@dataclass(slots=True)
class _Option:
    names: list[str] = field(default_factory=list[str])
    default: str = ""
    help: str = ""
    rest: list[str] = field(default_factory=list[str])


def declared_option(
    arguments: str, line: int, within: str, *, bare: bool, named: str = ""
) -> SettingUse | None:
    """The option that `arguments` declare, by its longest name; None where they name none. `bare`
    names have no dashes; `named` is the field that an option without a name is named after."""
    option = _Option()
    opens = arguments.lstrip()[:1]
    if opens == "-":  # a branch of a shell's `case`
        head = _CASE.match(arguments)
        option.names = _DASHED.findall(head[0] if head else "")
    else:
        inside = arguments if opens in "([{" else f"({arguments})"
        _take(option, _items(inside), bare=bare)
    if named and not any(name.startswith("--") for name in option.names):
        if not re.search(r"\blong\b", arguments):
            return None
        option.names.append("--" + named.replace("_", "-"))
    if not option.names:
        return None
    nested = _NESTED_DEFAULT.search(arguments)
    name = max(option.names, key=_telling)
    properties: Properties = {"line": line}
    also = [each for each in dict.fromkeys(option.names) if each != name]
    default = option.default or (nested[1] if nested else "")
    default = "" if default in _NONE else default
    for key, said in (("also", ", ".join(also)), ("default", default), ("help", option.help)):
        if said:
            properties[key] = " ".join(_QUOTES.sub("", said.strip()).split())[:_LONGEST]
    return SettingUse(EntityType.OPTION, name, line, within, properties)


def _telling(name: str) -> tuple[bool, bool, int]:
    """By what an option is called before its other names: `--reload` of `--no-reload` and `-r`."""
    return name.startswith("--"), not name.startswith("--no-"), len(name)


def _items(text: str) -> list[str]:
    """The parts of a bracketed text between the commas of its own level."""
    text = text.strip()
    found: list[str] = []
    depth, start = 0, 1
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        if (mark == "," and depth == 1) or (depth == 0 and mark in ")]}"):
            found.append(text[start : token.start()])
            start = token.end()
            if depth == 0 or len(found) == _MOST_ITEMS:
                break
    return [item.strip() for item in found if item.strip()]


def _take(option: _Option, items: Sequence[str], *, bare: bool) -> None:
    for item in items:
        keyed = None if item[0] in "\"'`" else _KEYED.fullmatch(item)
        if keyed is not None:
            _take_keyed(option, keyed[1], keyed[2].strip())
        elif item[0] in "[{":
            _take(option, _items(item), bare=bare)
        else:
            _take_positional(option, item, bare=bare)
    _settle(option)


def _take_keyed(option: _Option, key: str, value: str) -> None:
    if _OF_DEFAULT.match(key):
        option.default = value
    elif _OF_HELP.match(key):
        option.help = value
    elif _OF_NAME.match(key):
        strings = re.findall(_STRING, value)
        option.names += [name for each in strings for name in _names(each, bare=key != "names")]


def _take_positional(option: _Option, item: str, *, bare: bool) -> None:
    first = not option.names or (len(option.names) == 1 and not option.rest)
    names = list(_names(item, bare=bare)) if first or not bare else []
    if names and (
        not bare or not option.names or _is_short(names[0]) or _is_short(option.names[0])
    ):
        option.names += names
    elif _IS_LITERAL.fullmatch(item):
        option.rest.append(item)


def _is_short(name: str) -> bool:
    return not name.startswith("--")


def _names(item: str, *, bare: bool) -> Iterator[str]:
    """The names of an option in a string or symbol: `-d, --depth <n>`; `depth`; `d,depth`."""
    said = _QUOTES.sub("", item)
    if item[0] in "\"'`:" and said.startswith("-"):
        yield from _DASHED.findall(said.partition(" <")[0].partition(" [")[0])
    elif bare and item[0] in "\"'`:":
        names = said.lstrip(":").split(",")
        if all(_BARE.fullmatch(name) for name in names):
            yield from (f"--{name}" if len(name) > 1 else f"-{name}" for name in names)


def _settle(option: _Option) -> None:
    """What is neither a name nor has a key is the help, where it is text, or else the default."""
    texts = [each for each in option.rest if each[0] in "\"'`"]
    help_ = next((each for each in texts if " " in each.strip()), texts[-1] if texts else "")
    option.help = option.help or help_
    left = [each for each in option.rest if each != help_]
    option.default = option.default or (left[0] if left else "")
    option.rest = []


def relations_of(uses: Sequence[SettingUse]) -> Iterator[StatedRelation]:
    """That a definition, or the file, reads a setting or takes an option, once for each."""
    seen: set[tuple[str, str, str]] = set()
    for each in sorted(uses, key=lambda t: ("default" not in t.properties, t.line, t.name)):
        key = (each.type, each.name, each.within)
        if key in seen:
            continue
        seen.add(key)
        of = RelationType.READS_SETTING
        if each.type == EntityType.OPTION:
            of = RelationType.TAKES_OPTION
        yield StatedRelation(
            of,
            each.type,
            each.name,
            each.line,
            create=True,
            properties=each.properties,
            source=(EntityType.SYMBOL, each.within) if each.within else None,
        )
    for type_, name in sorted({(each.type, each.name) for each in uses}):
        line = min(each.line for each in uses if each.name == name)
        yield StatedRelation(
            RelationType.PART_OF,
            "concept",
            ALL_OF[type_],
            line,
            create=True,
            source=(type_, name),
        )

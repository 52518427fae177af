"""What code is told from outside: environment variables and settings, with their defaults.

Where they stand is data (`queries/`). How a default is written differs little between languages, so
it is read from the text behind the name, once for all of them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.limits import SHOWN_LINE
from quipu.records.document import StatedRelation
from quipu.records.record import Properties
from quipu.records.schema import EntityType, RelationType

__all__ = ["ALL_OF", "SettingUse", "read_setting", "relations_of"]

ALL_OF = {
    EntityType.ENVIRONMENT_VARIABLE: "environment variables that code reads",
    EntityType.SETTING: "settings that code reads",
}
"""The thing that all of a type are part of, so that they can be listed."""

_READ = {
    "environment": EntityType.ENVIRONMENT_VARIABLE,
    "setting": EntityType.SETTING,
}
_STRING = r'"(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\'|`[^`\n]*+`'
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
    if default and len(default) <= SHOWN_LINE:
        properties["default"] = default
    return SettingUse(_READ[kind], name, line, within, properties)


def relations_of(uses: Sequence[SettingUse]) -> Iterator[StatedRelation]:
    """That a definition, or the file, reads a setting, once for each."""
    seen: set[tuple[str, str, str]] = set()
    for each in sorted(uses, key=lambda t: ("default" not in t.properties, t.line, t.name)):
        key = (each.type, each.name, each.within)
        if key in seen:
            continue
        seen.add(key)
        yield StatedRelation(
            RelationType.READS_SETTING,
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

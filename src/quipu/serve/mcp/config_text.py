"""One entry of a JSON or TOML file put in, changed or taken out; all else stays as written.

Of JSON, comments, commas at the end, escapes, line ends and indentation are kept: only the
member's own characters change, so that taking out what was put in gives the text as it was. What
becomes of TOML is read back: if anything but that table would change, nothing is done.
"""

import json
import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, NamedTuple, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

from quipu.errors import InvalidInput
from quipu.read.json_keys import without_comments

__all__ = ["json_content", "json_with", "json_without", "toml_with", "toml_without"]

_DECODER = json.JSONDecoder()
_BOM = "\ufeff"


class _Member(NamedTuple):
    """A key of an object, where its key begins and where its value lies."""

    key: str
    start: int
    value: int
    end: int


class _Object(NamedTuple):
    """An object between its braces."""

    start: int
    members: tuple[_Member, ...]
    end: int

    def member(self, key: str) -> _Member | None:
        """The member of this name; of several the last, which is the one that counts."""
        return next((each for each in reversed(self.members) if each.key == key), None)


def json_content(text: str) -> dict[str, Any]:
    """The object that a text holds, comments left out; {} for a blank one.

    Raises ValueError for what is no JSON, TypeError for what is no object.
    """
    plain = _plain(text)
    if not plain.strip():
        return {}
    content = json.loads(plain)
    if not isinstance(content, dict):
        raise TypeError("it holds no object")
    return cast("dict[str, Any]", content)


def json_with(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """`text` with `value` at `path`, objects made on the way where they are missing."""
    if not _plain(text).strip():
        line = _line_end(text)
        whole: Mapping[str, Any] = value
        for key in reversed(path):
            whole = {key: whole}
        return json.dumps(whole, ensure_ascii=False, indent=2).replace("\n", line) + line
    plain = _plain(text)
    here = _object(plain, plain.index("{"))
    for depth, key in enumerate(path[:-1]):
        inner = here.member(key)
        if inner is None:
            made: Mapping[str, Any] = value
            for below in reversed(path[depth + 1 :]):
                made = {below: made}
            return _put(text, here, key, made)
        here = _object(plain, inner.value)
    return _put(text, here, path[-1], value)


def json_without(text: str, path: Sequence[str]) -> str:
    """`text` without the member at `path`."""
    plain = _plain(text)
    here = _object(plain, plain.index("{"))
    for key in path[:-1]:
        inner = here.member(key)
        if inner is None:
            return text
        here = _object(plain, inner.value)
    member = here.member(path[-1])
    return text if member is None else _taken_out(text, here, member)


def _plain(text: str) -> str:
    """The text with spaces for its comments and last commas, and for a mark at its beginning."""
    plain = without_comments(text)
    return " " + plain[1:] if plain.startswith(_BOM) else plain


def _object(plain: str, at: int) -> _Object:
    """The object that begins at `at`. Raises TypeError where there is none."""
    if plain[at] != "{":
        raise TypeError("it is no object")
    members: list[_Member] = []
    place = _next(plain, at + 1)
    while plain[place] != "}":
        key, end = _DECODER.raw_decode(plain, place)
        value = _next(plain, _next(plain, end) + 1)
        _, after = _DECODER.raw_decode(plain, value)
        members.append(_Member(key, place, value, after))
        place = _next(plain, after)
        if plain[place] == ",":
            place = _next(plain, place + 1)
    return _Object(at, tuple(members), place)


def _next(plain: str, at: int) -> int:
    while plain[at].isspace():
        at += 1
    return at


def _put(text: str, into: _Object, key: str, value: Mapping[str, Any]) -> str:
    member = into.member(key)
    if member is not None:
        indent = _indent(text, member.start)
        written = _dumped(text, value, indent or "", flat=indent is None)
        return text[: member.value] + written + text[member.end :]
    line = _line_end(text)
    outer = _indent(text, into.start, first=False) or ""
    if not into.members:
        unit = _unit(text)
        written = f"{json.dumps(key)}: {_dumped(text, value, outer + unit)}"
        inside = text[into.start + 1 : into.end]
        kept = inside.rstrip() if inside.strip() else ""
        return (
            f"{text[: into.start + 1]}{kept}{line}{outer}{unit}{written}{line}{outer}"
            f"{text[into.end :]}"
        )
    last = into.members[-1]
    indent = _indent(text, last.start)
    written = f"{json.dumps(key)}: {_dumped(text, value, indent or '', flat=indent is None)}"
    between = " " if indent is None else f"{line}{indent}"
    comma = last.end + len(text[last.end :]) - len(text[last.end :].lstrip())
    if text[comma : comma + 1] == ",":
        return f"{text[: comma + 1]}{between}{written},{text[comma + 1 :]}"
    return f"{text[: last.end]},{between}{written}{text[last.end :]}"


def _taken_out(text: str, here: _Object, member: _Member) -> str:
    at = here.members.index(member)
    if at:
        return text[: here.members[at - 1].end] + text[member.end :]
    if len(here.members) > 1:
        return text[: member.start] + text[here.members[1].start :]
    before, after = text[here.start + 1 : member.start], text[member.end : here.end]
    left = before.rstrip() + after.strip().removeprefix(",").rstrip()
    inside = f"{left}{_line_end(text)}" if left.strip() else ""
    return f"{text[: here.start + 1]}{inside}{text[here.end :]}"


def _dumped(text: str, value: Mapping[str, Any], indent: str, *, flat: bool = False) -> str:
    if flat:
        return json.dumps(value, ensure_ascii=False)
    written = json.dumps(value, ensure_ascii=False, indent=_unit(text))
    return written.replace("\n", f"{_line_end(text)}{indent}")


def _indent(text: str, at: int, *, first: bool = True) -> str | None:
    """The white space that the line at `at` begins with; None where `first` and the line begins
    with something else than what stands at `at`."""
    begin = text.rfind("\n", 0, at) + 1
    before = text[begin:at]
    blank = before[: len(before) - len(before.lstrip())]
    return blank if not first or not before.strip() else None


def _unit(text: str) -> str:
    """What one level is indented by: as the first line that is indented at all."""
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip())]
        if blank and line.strip().startswith('"'):
            return blank
    return "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def toml_with(text: str, path: Sequence[str], table: Mapping[str, Any]) -> str:
    """`text` with `table` at `path`: at the end, or its values in the table that stands there."""
    document = _read(text)
    parent: MutableMapping[str, Any] = document
    for key in path[:-1]:
        if key not in parent:
            parent[key] = tomlkit.table(is_super_table=True)
        parent = _inside(parent, key)
    stored: object = cast("Mapping[str, Any]", parent).get(path[-1])
    if isinstance(stored, MutableMapping):
        there = cast("MutableMapping[str, Any]", stored)
        for key in [key for key in there if key not in table]:
            del there[key]
        for key, value in table.items():
            if there.get(key) != value:
                there[key] = value
        return _checked(text, tomlkit.dumps(document), path)
    made = tomlkit.inline_table() if isinstance(parent, InlineTable) else tomlkit.table()
    for key, value in table.items():
        made[key] = value
    parent[path[-1]] = made
    return _checked(text, tomlkit.dumps(document), path)


def toml_without(text: str, path: Sequence[str]) -> str:
    """`text` without the table at `path`, and without the tables around it that are then empty."""
    document = _read(text)
    parents: list[MutableMapping[str, Any]] = [document]
    for key in path[:-1]:
        if key not in parents[-1]:
            return text
        parents.append(_inside(parents[-1], key))
    for parent, key in reversed(list(zip(parents, path, strict=True))):
        if key == path[-1] or not parent[key]:
            parent.pop(key, None)
    return _checked(text, tomlkit.dumps(document), path)


def _read(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise InvalidInput(f"the configuration is no TOML ({error}): mend it first") from error


def _inside(parent: MutableMapping[str, Any], key: str) -> MutableMapping[str, Any]:
    inner: object = parent[key]
    if not isinstance(inner, MutableMapping):
        raise InvalidInput(f"{key!r} is no table in the configuration: mend it first")
    return cast("MutableMapping[str, Any]", inner)


def _checked(before: str, after: str, path: Sequence[str]) -> str:
    """`after`; a library may lose keys where a table is written in several pieces."""
    if _others(tomllib.loads(after), path) != _others(tomllib.loads(before), path):
        raise InvalidInput(
            f"[{'.'.join(path)}] is written in a way that cannot be changed by itself: write it "
            "as a table of its own, or change it by hand"
        )
    return after


def _others(table: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """All but what stands at `path`, and no empty tables on the way there."""
    inner: object = table.get(path[0])
    left = {key: value for key, value in table.items() if key != path[0]}
    if isinstance(inner, dict) and len(path) > 1:
        kept = _others(cast("dict[str, Any]", inner), path[1:])
        left |= {path[0]: kept} if kept else {}
    return left

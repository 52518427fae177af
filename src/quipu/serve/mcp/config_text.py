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


def json_content(text: str) -> dict[str, Any]:
    """The object that a text holds, comments left out; {} for a blank one.

    Raises ValueError for what is no JSON, TypeError for what is no object.
    """
    plain = _plain(text)
    content: object = json.loads(plain) if plain.strip() else {}
    if not isinstance(content, dict):
        raise TypeError("it holds no object")
    return cast("dict[str, Any]", content)


def json_with(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """`text` with `value` at `path`, objects made on the way where they are missing."""
    plain, line = _plain(text), "\r\n" if "\r\n" in text else "\n"
    if not plain.strip():
        return _dumped(_nested(path, value), "  ", line, 0) + line
    unit, here, end = _unit(text), plain.index("{"), 0
    for depth, key in enumerate(path, 1):
        members = _members(plain, here)
        found = [each for each in members if each.key == key]
        if not found:
            written = _dumped(_nested(path[depth:], value), unit, line, depth)
            indent = f"{line}{unit * depth}"
            after = "," if members else f"{line}{unit * (depth - 1)}"
            put = f"{indent}{json.dumps(key)}: {written}{after}"
            return text[: here + 1] + put + text[here + 1 :]
        here, end = found[-1].value, found[-1].end
    return text[:here] + _dumped(value, unit, line, len(path)) + text[end:]


def json_without(text: str, path: Sequence[str]) -> str:
    """`text` without the member at `path`."""
    plain = _plain(text)
    here, found, members = plain.index("{"), list[_Member](), list[_Member]()
    for depth, key in enumerate(path):
        here = found[-1].value if depth else here
        members = _members(plain, here)
        found = [each for each in members if each.key == key]
        if not found:
            return text
    member = found[-1]
    at = members.index(member)
    if at:
        return text[: members[at - 1].end] + text[member.end :]
    end = _next(plain, member.end)
    end = end + 1 if plain[end] == "," else member.end
    closed = _next(plain, end)
    if not text[end:closed].strip() and plain[closed] == "}":
        end = closed
    return text[: here + 1] + text[here + 1 : member.start].rstrip() + text[end:]


def _plain(text: str) -> str:
    """The text with spaces for its comments and last commas, and for a mark at its beginning."""
    plain = without_comments(text)
    return " " + plain[1:] if plain.startswith(_BOM) else plain


def _members(plain: str, at: int) -> list[_Member]:
    """The members of the object that begins at `at`. Raises TypeError where there is none."""
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
    return members


def _next(plain: str, at: int) -> int:
    while plain[at].isspace():
        at += 1
    return at


def _nested(path: Sequence[str], value: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in reversed(path):
        value = {key: value}
    return value


def _dumped(value: Mapping[str, Any], unit: str, line: str, depth: int) -> str:
    written = json.dumps(value, ensure_ascii=False, indent=unit)
    return written.replace("\n", f"{line}{unit * depth}")


def _unit(text: str) -> str:
    """What one level is indented by: as the first line that is indented at all."""
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip())]
        if blank and line.strip().startswith('"'):
            return blank
    return "  "


def toml_with(text: str, path: Sequence[str], table: Mapping[str, Any]) -> str:
    """`text` with `table` at `path`: at the end, or its values in the table that stands there."""
    document = _read(text)
    parent: MutableMapping[str, Any] = document
    for key in path[:-1]:
        parent = _inside(parent, key, made=tomlkit.table(is_super_table=True))
    inline = isinstance(parent, InlineTable)
    made = tomlkit.inline_table() if inline else tomlkit.table()
    there = _inside(parent, path[-1], made=made)
    for key in [key for key in there if key not in table]:
        del there[key]
    for key, value in table.items():
        if there.get(key) != value:
            there[key] = value
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


def _inside(
    parent: MutableMapping[str, Any], key: str, *, made: object = None
) -> MutableMapping[str, Any]:
    if key not in parent and made is not None:
        parent[key] = made
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

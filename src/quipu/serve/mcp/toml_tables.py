"""One table of a TOML file put in or taken out, everything else left as it was written.

The result is read back: if anything but that table would change, nothing is done.
"""

import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

from quipu.errors import InvalidInput

__all__ = ["toml_with", "toml_without"]


def toml_with(text: str, path: Sequence[str], table: Mapping[str, Any]) -> str:
    """`text` with `table` at `path`: at the end, or its values in the table that stands there."""
    document = _read(text)
    parent: MutableMapping[str, Any] = document
    for key in path[:-1]:
        if key not in parent:
            parent[key] = tomlkit.table(is_super_table=True)
        parent = _inside(parent, key)
    held: object = cast("Mapping[str, Any]", parent).get(path[-1])
    if isinstance(held, MutableMapping):
        there = cast("MutableMapping[str, Any]", held)
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


def _others(held: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """All but what stands at `path`, and no empty tables on the way there."""
    inner: object = held.get(path[0])
    left = {key: value for key, value in held.items() if key != path[0]}
    if isinstance(inner, dict) and len(path) > 1:
        kept = _others(cast("dict[str, Any]", inner), path[1:])
        left |= {path[0]: kept} if kept else {}
    return left

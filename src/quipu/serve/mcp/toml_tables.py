"""One table of a TOML file put in or taken out, everything else left as it was written.

The result is read back: if anything but that table would change, nothing is done.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from quipu.errors import InvalidInput

__all__ = ["toml_with", "toml_without"]

_HEADER = re.compile(r"\s*\[(?P<array>\[)?\s*(?P<path>[^\[\]]+?)\s*\](?(array)\])\s*(?:#.*)?")
_KEY = re.compile(r"\s*(?:\"([^\"]*)\"|'([^']*)'|([A-Za-z0-9_-]+))\s*(?:\.|$)")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_with(text: str, path: Sequence[str], table: Mapping[str, str | list[str]]) -> str:
    """`text` with `table` at `path`, where the table stood or at the end."""
    header = ".".join(key if _BARE.fullmatch(key) else json.dumps(key) for key in path)
    rows = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
    block = "\n".join([f"[{header}]", *rows]) + "\n"
    lines, place = _taken_out(text, path)
    if place is None:
        before = "".join(lines)
        gap = "" if not before.strip() else "\n" if before.endswith("\n") else "\n\n"
        result = before + gap + block
    else:
        after = "".join(lines[place:])
        gap = "\n" if after.strip() and not after.startswith("\n") else ""
        result = "".join(lines[:place]) + block + gap + after
    return _checked(text, result, path, dict(table))


def toml_without(text: str, path: Sequence[str]) -> str:
    """`text` without the table at `path`; the blank line before it goes with it."""
    lines, place = _taken_out(text, path)
    if place is not None and not "".join(lines[place:]).strip():
        kept = "".join(lines[:place]).rstrip("\n")
        return _checked(text, f"{kept}\n" if kept else "", path, None)
    return _checked(text, "".join(lines), path, None)


def _taken_out(text: str, path: Sequence[str]) -> tuple[list[str], int | None]:
    """The lines without the table and its subtables, and where the first of them stood."""
    kept: list[str] = []
    place: int | None = None
    inside = False
    for line in text.splitlines(keepends=True):
        match = _HEADER.fullmatch(line.rstrip("\r\n"))
        if match:
            inside = _keys(match["path"])[: len(path)] == list(path)
            if inside and place is None:
                place = len(kept)
        if not inside:
            kept.append(line)
    return kept, place


def _keys(path: str) -> list[str]:
    return [a or b or c for a, b, c in _KEY.findall(path)]


def _checked(before: str, after: str, path: Sequence[str], table: dict[str, Any] | None) -> str:
    try:
        wanted = tomllib.loads(before)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"the configuration is no TOML ({error}): mend it first") from error
    _put(wanted, path, table)
    try:
        got = tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        got = None
    if got is None or _without_empty(got, path[0]) != _without_empty(wanted, path[0]):
        raise InvalidInput(
            f"[{'.'.join(path)}] is written in a way that cannot be changed by itself: write it "
            "as a table of its own, or change it by hand"
        )
    return after


def _put(held: dict[str, Any], path: Sequence[str], table: dict[str, Any] | None) -> None:
    parent = held
    for key in path[:-1]:
        inner: object = parent.setdefault(key, {})
        if not isinstance(inner, dict):
            raise InvalidInput(f"{key!r} is no table in the configuration: mend it first")
        parent = cast("dict[str, Any]", inner)
    if table is None:
        parent.pop(path[-1], None)
    else:
        parent[path[-1]] = table


def _without_empty(held: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in held.items() if k != key or cast("object", v) != {}}

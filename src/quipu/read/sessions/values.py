"""Untyped JSON, read with care: what is of the wrong type is said, never guessed at."""

import json
import re
from collections.abc import Iterator
from typing import TypeAlias, cast

import msgspec

from quipu.domain.document import Problem
from quipu.errors import InvalidInput

__all__ = ["Json", "a_list", "an_object", "decode", "json_lines", "objects", "shown", "text"]

Json: TypeAlias = dict[str, object]

_LARGEST_LINE = 64_000_000
_SHOWN = 60
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode(data: bytes) -> object:
    """The JSON value in `data`. Raises InvalidInput when it is none.

    A lone half of a surrogate pair, which programs that cut strings write, becomes U+FFFD.
    """
    if len(data) > _LARGEST_LINE:
        raise InvalidInput(f"is {len(data)} bytes long; at most {_LARGEST_LINE} are read at once")
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if b"\\u" not in data and b"\\U" not in data:
            raise InvalidInput(f"is not JSON, or cut short: {error}") from error
    try:
        return _whole(json.loads(data.decode("utf-8", "replace")))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"is not JSON, or cut short: {error}") from error


def _whole(value: object) -> object:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole(each) for each in cast(list[object], value)]
    if isinstance(value, dict):
        held = cast(Json, value)
        return {_SURROGATE.sub("\ufffd", key): _whole(each) for key, each in held.items()}
    return value


def json_lines(path: str, data: bytes) -> Iterator[tuple[int, Json | Problem]]:
    """Each line that is not blank, by its number: an object, or why it cannot be used."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, an_object(decode(line), "the line")
        except InvalidInput as error:
            yield number, Problem(path, str(error), "error", number)


def shown(value: object) -> str:
    """A value as a message shows it, bounded."""
    written = repr(value)
    return written if len(written) <= _SHOWN else written[: _SHOWN - 1] + "…"


def an_object(value: object, what: str) -> Json:
    """`value`, which must be a JSON object."""
    if not isinstance(value, dict):
        raise InvalidInput(f"{what} is {shown(value)}, not an object")
    return cast(Json, value)


def a_list(value: object, what: str) -> list[object]:
    """`value`, which must be a JSON array; None is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InvalidInput(f"{what} is {shown(value)}, not a list")
    return cast(list[object], value)


def objects(value: object) -> list[Json]:
    """The objects in the list `value`, or `value` if it is one; whatever else is passed over."""
    if isinstance(value, dict):
        return [cast(Json, value)]
    if not isinstance(value, list):
        return []
    return [cast(Json, each) for each in cast(list[object], value) if isinstance(each, dict)]


def text(held: Json, *keys: str) -> str:
    """The first of `keys` that holds text or a whole number, as text; "" when none does."""
    for key in keys:
        value = held.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""

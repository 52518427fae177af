"""Untyped JSON, read with care: what is of the wrong type is said, never guessed at."""

import codecs
import json
import re
from collections.abc import Iterator
from reprlib import Repr
from typing import TypeAlias, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.limits import SHOWN_VALUE
from quipu.records.document import Problem

__all__ = [
    "Json",
    "a_list",
    "an_object",
    "decode",
    "json_lines",
    "objects",
    "shown",
    "text",
    "unmarked",
]

Json: TypeAlias = dict[str, object]

_LARGEST = 64_000_000
_REPR = Repr()  # looks no deeper and no further than a message can show
_REPR.maxlevel, _REPR.maxlist, _REPR.maxdict = 4, 8, 4
_REPR.maxstring = _REPR.maxlong = _REPR.maxother = SHOWN_VALUE
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode(data: bytes) -> object:
    """Return the JSON value in `data`. Raises InvalidInput when it is none.

    What programs write though JSON does not allow it is read all the same: a lone half of a
    surrogate pair and a byte that is no UTF-8 become U+FFFD, NaN and numbers out of range floats.
    """
    if len(data) > _LARGEST:
        raise InvalidInput(f"is {len(data)} bytes long; at most {_LARGEST} are read at once")
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
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
        fields = cast(Json, value)
        return {_SURROGATE.sub("\ufffd", key): _whole(each) for key, each in fields.items()}
    return value


def unmarked(data: bytes) -> bytes:
    """Return `data` in UTF-8 without a byte order mark; a mark of UTF-16 or UTF-32 says what it is
    in."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace").encode()
    return data.removeprefix(codecs.BOM_UTF8)


def json_lines(path: str, data: bytes) -> Iterator[tuple[int, Json | Problem]]:
    """Yield each line that is not blank, by its number: an object, or why it cannot be used."""
    for number, line in enumerate(data.splitlines(), 1):  # of bytes: at \n, \r and \r\n alone
        if line.strip():
            try:
                yield number, an_object(decode(line), "the line")
            except InvalidInput as error:
                yield number, Problem(path, str(error), "error", number)


def shown(value: object) -> str:
    """Return a value as a message shows it, bounded."""
    written = _REPR.repr(value)
    return written if len(written) <= SHOWN_VALUE else written[: SHOWN_VALUE - 1] + "…"


def an_object(value: object, what: str) -> Json:
    """Return `value`, which must be a JSON object."""
    if not isinstance(value, dict):
        raise InvalidInput(f"{what} is {shown(value)}, not an object")
    return cast(Json, value)


def a_list(value: object, what: str) -> list[object]:
    """Return `value`, which must be a JSON array; None is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InvalidInput(f"{what} is {shown(value)}, not a list")
    return cast(list[object], value)


def objects(value: object) -> list[Json]:
    """Return the objects in the list `value`, or `value` if it is one; whatever else is passed
    over."""
    listed = cast(list[object], value) if isinstance(value, list) else [value]
    return [cast(Json, each) for each in listed if isinstance(each, dict)]


def text(fields: Json, *keys: str) -> str:
    """Return the first of `keys` that holds text or a whole number, as text; "" when none does."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""

"""A value that does not fit its shape, in words: the field, the value, and what is wanted."""

import re
from typing import Any, cast

import msgspec

from quipu.limits import SHOWN_VALUE

__all__ = ["misfit", "why"]

_AT = re.compile(r"(?P<what>.*?)(?: - at `\$?(?P<path>[^`]*)`)?", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<type>[^`]*)`, got `[^`]*`")
_FIELD = re.compile(r"Object (?P<how>missing required|contains unknown) field `(?P<name>[^`]*)`")


def misfit(error: msgspec.ValidationError, content: object) -> str:
    """What `error` says of `content` (plain JSON data): `tags[0] is 7, and str is wanted`."""
    match = cast("re.Match[str]", _AT.fullmatch(str(error)))
    path = match["path"] or ""
    field = path.lstrip(".") or "the record"
    if named := _FIELD.search(match["what"]):
        how = "lacks the field" if named["how"].startswith("missing") else "has the unknown field"
        return f"{field} {how} {named['name']!r}"
    found, value = _at(content, path)
    shown = repr(value)
    shown = shown if len(shown) <= SHOWN_VALUE else f"{shown[:SHOWN_VALUE]}…"
    expected = _EXPECTED.fullmatch(match["what"])
    if found and expected:
        return f"{field} is {shown}, and {expected['type'].replace(' | ', ' or ')} is wanted"
    inside = path[: -len("[...]")].lstrip(".") if path.endswith("[...]") else field
    return f"{inside}: {match['what']} in {shown}"


def why(error: msgspec.DecodeError | UnicodeDecodeError | RecursionError, data: bytes) -> str:
    """What `error` says of JSON text: what does not fit, or where it is no JSON."""
    if not isinstance(error, msgspec.ValidationError):
        return str(error)
    try:
        content = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as malformed:
        return str(malformed)  # it is no JSON behind what does not fit
    return misfit(error, content)


def _at(content: object, path: str) -> tuple[bool, object]:
    """(whether the path leads somewhere, what stands there or where it breaks off)."""
    value = content
    for step in re.findall(r"[^.\[\]]+", path):
        try:
            inside = cast("Any", value)
            value = inside[int(step) if type(cast("Any", value)) is list else step]
        except (KeyError, IndexError, TypeError, ValueError):
            return False, value
    return not path.endswith("[...]"), value

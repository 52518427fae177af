"""Any result as text, where no view of its own earns its lines: a line a key, a line a row.

In a row, words stand as they are and numbers with their key before them; what is empty is left out.
"""

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from quipu.serve.cli.layout import wrapped
from quipu.serve.cli.terminal import safe, style

__all__ = ["text_lines"]

_SHOWN = 40
_IN = "  "


def text_lines(result: msgspec.Struct) -> Iterator[str]:
    """The lines of a result; of a long list the first rows, and how many more there are."""
    lines = list(_fields(msgspec.json.decode(msgspec.json.encode(result)), ""))
    yield from lines or ["Nothing."]


def _fields(fields: dict[str, Any], indent: str) -> Iterator[str]:
    for key, value in fields.items():
        name = key.replace("_", " ")
        if _is_plain(value):
            for each in _sentences(value) or [value]:
                if each not in (None, "", [], {}):
                    yield from wrapped(f"{name}: {_plain(each)}", indent=indent)
        elif isinstance(value, dict):
            yield f"{indent}{style(name, bold=True)}"
            yield from _fields(cast("dict[str, Any]", value), indent + _IN)
        else:
            yield from _rows(name, value, indent)


def _rows(name: str, rows: list[dict[str, Any]], indent: str) -> Iterator[str]:
    yield f"{indent}{style(f'{name} ({len(rows)})', bold=True)}"
    for row in rows[:_SHOWN]:
        words = [_word(key, value) for key, value in row.items() if _is_plain(value)]
        line = " · ".join(word for word in words if word)
        yield from wrapped(line, indent=indent + _IN)
        nested = {key: value for key, value in row.items() if value and not _is_plain(value)}
        yield from _fields(nested, indent + 2 * _IN)
    if len(rows) > _SHOWN:
        yield f"{indent}{_IN}… {len(rows) - _SHOWN:,} more: --json has them all"


def _is_plain(value: Any) -> bool:
    """Whether a value is shown on one line: no object, and no list or object of them."""
    inner: list[Any] = []
    if isinstance(value, dict):
        inner = list(cast("dict[str, Any]", value).values())
    elif isinstance(value, list):
        inner = cast("list[Any]", value)
    nested: list[Any] = [each for each in inner if isinstance(each, dict | list)]
    return not any(nested)


def _sentences(value: Any) -> list[str]:
    """The texts of a list that has more than words: each has a line."""
    texts = cast("list[Any]", value) if isinstance(value, list) else []
    return texts if any(isinstance(each, str) and " " in each for each in texts) else []


def _word(key: str, value: Any) -> str:
    if isinstance(value, str):
        return safe(value, line=True)
    shown = "" if value is None or value in ([], {}) else _plain(value)
    return f"{key.replace('_', ' ')} {shown}" if shown else ""


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"
    if isinstance(value, list):
        return ", ".join(map(_plain, cast("list[Any]", value)))
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        shown = [(name, each) for name, each in pairs if each not in (None, "", [], {})]
        return ", ".join(f"{name.replace('_', ' ')} {_plain(each)}" for name, each in shown)
    return safe(str(value), line=True)

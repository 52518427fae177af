"""Pages of lists: a cursor is an opaque text that names a place in one list, and in no other."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from quipu.errors import InvalidInput
from quipu.limits import ROWS_AT_ONCE

__all__ = ["cursor_at", "page_of", "paged", "place_at"]

T = TypeVar("T")
_MARK_LENGTH = 8


def cursor_at(place: str, query: object) -> str:
    """Return the cursor of a place in the list that a query gives."""
    return base64.urlsafe_b64encode(f"{_mark(query)}{place}".encode()).decode().rstrip("=")


def place_at(cursor: str | None, query: object) -> str:
    """Return the place that a cursor names; empty for the beginning. Raises InvalidInput for what
    is no cursor of this query."""
    if not cursor:
        return ""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        found = base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (ValueError, UnicodeDecodeError):
        found = ""
    if found[:_MARK_LENGTH] != _mark(query):
        raise InvalidInput(
            f"{cursor[:80]!r} is no cursor of this list: give the `next_cursor` of a page of the "
            "same question, or none to begin anew"
        )
    return found[_MARK_LENGTH:]


def _mark(query: object) -> str:
    said = msgspec.json.encode(query, order="deterministic")
    return hashlib.sha256(said).hexdigest()[:_MARK_LENGTH]


def page_of(
    rows: Sequence[T], cursor: str | None, limit: int, query: object
) -> tuple[tuple[T, ...], str | None]:
    """Return the page of a whole list after a cursor, and the next cursor. Rows are told apart by
    their place: one that is added or removed meanwhile moves those behind it."""
    begin = int(place_at(cursor, query) or 0)
    end = begin + limit
    return tuple(rows[begin:end]), cursor_at(str(end), query) if end < len(rows) else None


def paged(
    fetch: Callable[[str, int], Sequence[T]],
    key: Callable[[T], str],
    keep: Callable[[T], bool],
    cursor: str | None,
    limit: int,
    query: object,
) -> tuple[tuple[T, ...], str | None]:
    """Return `limit` rows to be kept after a cursor, of those that `fetch(after, limit)` gives by
    key, and the next cursor."""
    after = place_at(cursor, query)
    kept: list[T] = []
    while page := fetch(after, ROWS_AT_ONCE):
        for row in page:
            after = key(row)
            if keep(row):
                kept.append(row)
                if len(kept) > limit:
                    return tuple(kept[:limit]), cursor_at(key(kept[limit - 1]), query)
    return tuple(kept), None

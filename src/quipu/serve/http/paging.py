"""Pages of lists: a cursor is an opaque text that names the last row that was given."""

import base64
from collections.abc import Callable, Sequence
from typing import TypeVar

from quipu.errors import InvalidInput

__all__ = ["page_of", "paged"]

T = TypeVar("T")
_SCANNED = 1000


def _cursor_of(place: str) -> str:
    """The cursor after `place`."""
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def _place_of(cursor: str | None) -> str:
    """The place that a cursor names; the beginning for None. Raises InvalidInput."""
    if not cursor:
        return ""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (ValueError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{cursor[:80]!r} is no cursor: give `next_cursor` of the page before, or none"
        ) from error


def page_of(rows: Sequence[T], cursor: str | None, limit: int) -> tuple[tuple[T, ...], str | None]:
    """The page of a whole list after a cursor, and the next cursor. Rows are told apart by their
    place: one that is added or removed meanwhile moves those behind it."""
    given = _place_of(cursor) or "0"
    if not given.isdigit():
        raise InvalidInput(f"{(cursor or '')[:80]!r} is a cursor of another list: give none")
    begin = min(int(given[:18]), len(rows))
    end = begin + limit
    return tuple(rows[begin:end]), _cursor_of(str(end)) if end < len(rows) else None


def paged(
    fetch: Callable[[str, int], Sequence[T]],
    key: Callable[[T], str],
    keep: Callable[[T], bool],
    cursor: str | None,
    limit: int,
) -> tuple[tuple[T, ...], str | None]:
    """`limit` rows to be kept after a cursor, of those that `fetch(after, limit)` gives by key,
    and the next cursor."""
    after = _place_of(cursor)
    kept: list[T] = []
    while page := fetch(after, _SCANNED):
        for row in page:
            after = key(row)
            if keep(row):
                kept.append(row)
                if len(kept) > limit:
                    return tuple(kept[:limit]), _cursor_of(key(kept[limit - 1]))
    return tuple(kept), None

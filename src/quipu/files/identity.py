"""Whether a file that is open is still the one at its path.

A database that was replaced or removed under an open process goes on being written where nobody
will read it. What was given to it is acknowledged only while this says that it is there.
"""

import os
from pathlib import Path

from quipu.errors import StoreUnavailable

__all__ = ["Identity"]


class Identity:
    """The files at `paths` as they are now; those that are not there are not watched."""

    def __init__(self, *paths: Path) -> None:
        self._known = {
            str(path): named for path in paths if (named := _named(str(path))) is not None
        }

    def require(self, path: Path | None = None) -> None:
        """StoreUnavailable when another file, or none, is at `path` (default: at any of all)."""
        watched = self._known if path is None else self._known.keys() & {str(path)}
        for place in watched:
            if _named(place) != self._known[place]:
                raise StoreUnavailable(
                    f"{place!r} was replaced or removed while it was open: what was just "
                    "asked is not stored there and nothing more is written; put it back or "
                    "open the store again, then do it again"
                )


def _named(path: str) -> tuple[int, int] | None:
    """The device and the inode; each statement of a ledger asks, so no `Path` is made."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_dev, found.st_ino

"""Whether a file that is open is still the one at its path.

A database that was replaced or removed under an open process goes on being written where nobody
will read it. What was given to it is acknowledged only while this says that it is there.
"""

from pathlib import Path

from quipu.errors import StoreUnavailable

__all__ = ["Identity"]

_Named = tuple[int, int]  # device and inode


class Identity:
    """The files at `paths` as they are now; those that are not there are not watched."""

    def __init__(self, *paths: Path) -> None:
        self._known = {path: named for path in paths if (named := _named(path))}

    def require(self, *paths: Path) -> None:
        """StoreUnavailable when another file, or none, is at one of `paths` (default: all)."""
        for path in paths or self._known:
            known = self._known.get(path)
            if known is not None and _named(path) != known:
                raise StoreUnavailable(
                    f"{str(path)!r} was replaced or removed while it was open: what was just "
                    "asked is not stored there and nothing more is written; put it back or "
                    "open the store again, then do it again"
                )


def _named(path: Path) -> _Named | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

"""What other packages bring by entry point, found without importing what reads entry points where
none brings anything: that takes longer than all else that a short command does."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["plugins"]

_INFO = (".dist-info", ".egg-info")


def plugins(group: str) -> "list[EntryPoint]":
    """The entry points of a group in the environment, by name and by what they lead to."""
    if not any(_may_bring(group.encode(), Path(place)) for place in dict.fromkeys(sys.path)):
        return []
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group), key=lambda point: (point.name, point.value))


def _may_bring(group: bytes, place: Path) -> bool:
    """Whether a package under this place of the path names the group; an archive may."""
    try:
        return any(
            group in _read(each / "entry_points.txt")
            for each in place.iterdir()
            if each.name.endswith(_INFO)
        )
    except OSError:
        return place.is_file()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""

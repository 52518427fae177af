"""Whose memory the work in a folder is: the folder's, its repository's, or the user's own."""

import os
import tempfile
from pathlib import Path

from quipu.config import find_upward
from quipu.handle.home import DATABASE

__all__ = ["folder_of_work", "own_folder"]


def own_folder() -> Path:
    """The folder of the memory that is the user's own, there or not."""
    given = os.environ.get("XDG_DATA_HOME", "")
    return (Path(given) if Path(given).is_absolute() else Path.home() / ".local/share") / "quipu"


def folder_of_work(folder: Path) -> Path:
    """The folder whose memory work in `folder` belongs to, whether it has one yet or not.

    That is the nearest with a memory, upward; else the root of the repository; else `folder`. A
    folder that holds more than one work (the home folder and those above it, the one of temporary
    files) or cannot be written has none of its own: there it is the user's.
    """
    folder = folder.resolve()
    known = find_upward(DATABASE, folder)
    if known is not None:
        return known.parent.parent
    repository = find_upward(".git", folder)
    home, temporary = Path.home().resolve(), Path(tempfile.gettempdir()).resolve()
    shared = {home, *home.parents, temporary, *temporary.parents}
    roots = [repository.parent, folder] if repository else [folder]
    fit = (root for root in roots if root not in shared and os.access(root, os.W_OK))
    return next(fit, own_folder())

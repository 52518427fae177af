"""The plain files of a folder that is read whole."""

import errno
import os
import stat
from collections.abc import Collection
from pathlib import Path

from quipu.read.source import escaped
from quipu.records.document import Problem

__all__ = ["files_in"]


def files_in(
    folder: Path, suffixes: Collection[str] | None = None
) -> tuple[list[Path], list[Problem]]:
    """The regular files in a folder and below it, by path, and what cannot be looked at, as
    warnings by its place there. Links are not followed. Of the files those with one of `suffixes`
    (in lower case; None: all), and then a warning for what has one and is no regular file; what is
    no folder is given as it is."""
    if not folder.is_dir():
        return [folder], []
    closed: list[OSError] = []
    found: list[Path] = []
    for root, _, names in os.walk(folder, onerror=closed.append):
        for file in (Path(root, name) for name in names):
            if suffixes is not None and file.suffix.lower() not in suffixes:
                continue
            try:
                plain = stat.S_ISREG(file.lstat().st_mode)
            except OSError as error:
                closed.append(error)
                continue
            if plain:
                found.append(file)
            elif suffixes is not None:
                closed.append(OSError(errno.EINVAL, "it is no regular file", str(file)))
    return sorted(found), [_problem(folder, error) for error in closed]


def _problem(folder: Path, error: OSError) -> Problem:
    shown = escaped(os.path.relpath(str(error.filename), folder))
    return Problem(shown, f"cannot be read: {error.strerror or error}", "warning")

"""Where the parts of a git repository are, which somebody else may have made; no git is started.

What is there must belong together: a `.git` file counts only where the place that it leads to
leads back, and no part is a link.
"""

import os
from pathlib import Path
from typing import Final, NamedTuple

from quipu.errors import InvalidInput

__all__ = ["OWN", "SHARED", "Located", "find_repository", "repository_of", "small"]

SHARED: Final = ("objects", "refs", "packed-refs", "shallow", "reftable", "logs")
OWN: Final = ("index",)
_SMALL = 64 * 1024


class Located(NamedTuple):
    """Where a repository's parts are: its own folder (`.git`), the one it shares with its other
    work trees, and its work tree (None when it is bare)."""

    own: Path
    shared: Path
    top: Path | None

    @property
    def is_further(self) -> bool:
        """Whether the work tree is one that `git worktree add` made."""
        return self.own != self.shared


def repository_of(folder: Path) -> Located | None:
    """Where the parts of the repository are that `folder` lies in; None where there is none, or
    one whose parts lie elsewhere. No git is started."""
    try:
        return find_repository(folder)
    except InvalidInput:
        return None


def find_repository(folder: Path) -> Located:
    """The repository that `folder` lies in, each of its parts where it must be.

    Raises InvalidInput when there is none, or when a part lies outside of it.
    """
    try:
        return _found(folder)
    except (OSError, ValueError, RuntimeError) as error:  # no path; links that go round
        raise InvalidInput(f"the repository of {str(folder)!r} leads nowhere: {error}") from error


def _found(folder: Path) -> Located:
    start = folder.resolve()
    for candidate in (start, *start.parents):
        entry = candidate / ".git"
        if entry.is_file():
            own = _led_to(entry, candidate)
            return _checked(Located(own, _shared(own), candidate))
        if os.path.lexists(entry / "HEAD"):
            return _checked(Located(entry, _shared(entry), candidate))
        if _is_bare(candidate):
            return _checked(Located(candidate, candidate, None))
    raise InvalidInput(f"{str(folder)!r} is not a git repository, nor inside of one")


def _is_bare(folder: Path) -> bool:
    return (
        (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
    )


def _led_to(entry: Path, top: Path) -> Path:
    """Where a `.git` file leads, if that is a work tree's or a submodule's place: a work tree's
    leads back to the file, a submodule's lies in the `.git` of a repository above."""
    named = small(entry).removeprefix("gitdir:").strip()
    own = (top / named).resolve()
    back = own / "gitdir"
    if named and back.is_file() and (own / small(back).strip()).resolve() == entry:
        return own
    if named and _is_module(own, top):
        return own
    raise InvalidInput(
        f"{str(entry)!r} leads to {str(own)!r}, which does not lead back: git is asked only in a "
        "repository whose parts belong together (`git worktree repair` mends a moved work tree)"
    )


def _is_module(own: Path, top: Path) -> bool:
    """Whether `own` is where the repository above `top` keeps a submodule."""
    try:
        above = find_repository(top.parent)
    except InvalidInput:
        return False
    return any(own.is_relative_to(each.resolve() / "modules") for each in above[:2])


def _shared(own: Path) -> Path:
    """The folder that a linked work tree shares with its repository; `own` of any other."""
    if not (own / "commondir").is_file():
        return own
    shared = (own / small(own / "commondir").strip()).resolve()
    if own.resolve().parent != shared / "worktrees":
        raise InvalidInput(
            f"{str(own / 'commondir')!r} leads to {str(shared)!r}, whose work tree this is not: "
            "run `git worktree repair` there"
        )
    return shared


def _checked(located: Located) -> Located:
    own, shared = located.own, located.shared
    parts = [*(own / name for name in (*OWN, "HEAD")), *(shared / name for name in SHARED)]
    for part in parts:
        if part.parent.is_symlink() or part.is_symlink():
            raise InvalidInput(
                f"{str(part)!r} is a link: git is asked only in a repository that holds its own "
                "parts"
            )
        if os.path.lexists(part) and not (part.is_file() or part.is_dir()):
            raise InvalidInput(f"{str(part)!r} is no file: git would wait for it")
    return located


def small(file: Path) -> str:
    """The text of a file of git's that holds a line; InvalidInput when it is none."""
    if not file.is_file():
        raise InvalidInput(f"{str(file)!r} is no file")
    try:
        with file.open("rb") as opened:
            return os.fsdecode(opened.read(_SMALL))
    except OSError as error:
        raise InvalidInput(f"{str(file)!r} cannot be read: {error.strerror or error}") from error

"""What citations open: the references of commits and sessions, which more than one kind names."""

from typing import Literal, TypeAlias, get_args

__all__ = [
    "CATEGORIES",
    "COMMIT",
    "COMMIT_PREFIX",
    "ENTRY",
    "FILE",
    "SESSION_PREFIX",
    "Category",
    "commit_ref",
    "session_ref",
]


Category: TypeAlias = Literal[
    "preference", "instruction", "fact", "project", "person", "decision", "insight"
]
CATEGORIES: tuple[Category, ...] = get_args(Category)

ENTRY = "memory"
"""The document type of an entry."""


COMMIT = "commit"
"""The source type of a commit."""
COMMIT_PREFIX = "commit:"
FILE = "file"
"""The source type of everything that was read from a folder."""
SESSION_PREFIX = "session:"


def commit_ref(sha: str) -> str:
    """The source reference of a commit."""
    return f"{COMMIT_PREFIX}{sha}"


def session_ref(session_id: str, first: int | None = None, last: int | None = None) -> str:
    """The source reference of a session, of one turn, or of turns `first` to `last`."""
    if first is None:
        return f"{SESSION_PREFIX}{session_id}"
    if last is None or last == first:
        return f"{SESSION_PREFIX}{session_id}#{first}"
    return f"{SESSION_PREFIX}{session_id}#{first}-{last}"

"""Histories into memory: what is offered for the commits of repositories."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from quipu.handle.handle import Handle
from quipu.kinds.commits.model import CommitInput
from quipu.records.document import Problem
from quipu.records.progress import Progress

if TYPE_CHECKING:
    from quipu.kinds.commits.repository import HistoryReport

__all__ = ["Histories"]


class Histories:
    """How commits are written to a memory."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def index_git(
        self, repository: str | Path = ".", *, embed: bool = True, progress: Progress | None = None
    ) -> "HistoryReport":
        """As `Memory.index_git`."""
        from quipu.kinds.commits.repository import index_history

        return index_history(self._handle, Path(repository), embed=embed, progress=progress)

    def add_commits(
        self,
        commits: Iterable[CommitInput | Problem],
        *,
        root: str = "",
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "HistoryReport":
        """As `Memory.add_commits`."""
        from quipu.kinds.commits.repository import add_history

        return add_history(self._handle, commits, root=root, embed=embed, progress=progress)

"""Histories into memory: what is offered for the commits of repositories."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

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

        run = partial(index_history, folder=Path(repository), home=self._handle.home.folder)
        return self._written(run, embed, progress)

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

        return self._written(partial(add_history, commits=commits, root=root), embed, progress)

    def _written(
        self, run: "Callable[..., HistoryReport]", embed: bool, progress: Progress | None
    ) -> "HistoryReport":
        """The report of a run over commits, after what lacks a vector got one."""
        store, state, clock = self._handle.store, self._handle.home.state, self._handle.clock
        with self._handle.writing:
            report = run(store, state=state, clock=clock, progress=progress)
            indexer = self._handle.indexer()
            done = (
                indexer.embed_lacking(progress=progress)
                if embed
                else indexer.add_passages((), embed=False, progress=None)
            )
            return msgspec.structs.replace(
                report,
                embedded=done.embedded,
                unembedded=done.unembedded,
                embed_seconds=done.embed_seconds,
                sequence=store.sequence(),
                notes=(*report.notes, *done.notes),
            )

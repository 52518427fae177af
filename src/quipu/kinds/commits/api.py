"""Histories into memory: what is offered for the commits of repositories."""

from collections.abc import Iterable
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
        """Bring the memory up to date with the commits that a repository's HEAD leads to.

        Only new commits are read, by git itself; those that vanished (a rewritten history) are
        retired. Commits that cite earlier ones by hash teach how much age and the rest count in
        this repository. Raises InvalidInput where there is no readable repository, MissingExtra
        without git.
        """
        from quipu.kinds.commits.repository import index_history

        with self._handle.writing:
            report = index_history(
                self._handle.store,
                Path(repository),
                home=self._handle.home.folder,
                state=self._handle.home.state,
                workers=self._handle.config.index.workers,
                clock=self._handle.clock,
                progress=progress,
            )
            return self._with_vectors(report, embed, progress)

    def add_commits(
        self,
        commits: Iterable[CommitInput | Problem],
        *,
        root: str = "",
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "HistoryReport":
        """Remember commits that were read elsewhere, oldest first; streamed.

        A commit of the same hash replaces the one that is there. `root` is put before the paths
        of their files. What cannot be used is a row of `errors`.
        """
        from quipu.kinds.commits.repository import add_history

        with self._handle.writing:
            report = add_history(
                self._handle.store,
                commits,
                root=root,
                state=self._handle.home.state,
                workers=self._handle.config.index.workers,
                clock=self._handle.clock,
                progress=progress,
            )
            return self._with_vectors(report, embed, progress)

    def _with_vectors(
        self, report: "HistoryReport", embed: bool, progress: Progress | None
    ) -> "HistoryReport":
        """The report, after what lacks a vector got one."""
        from quipu.kinds.commits.weighing import learn_weights
        from quipu.write.lock import Turns

        done = self._handle.indexer().add_passages((), embed=embed, progress=progress)
        model = self._handle.models.of("commit").get() if embed else None
        space = model.space if model else None
        learn_weights(
            self._handle.store,
            space,
            turns=Turns(self._handle.home.state),
            clock=self._handle.clock,
        )
        return msgspec.structs.replace(
            report,
            embedded=done.embedded,
            unembedded=done.unembedded,
            embed_seconds=done.embed_seconds,
            sequence=self._handle.store.sequence(),
            notes=(*report.notes, *done.notes),
        )

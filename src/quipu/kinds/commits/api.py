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
        """As `Memory.index_git`."""
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
        """As `Memory.add_commits`."""
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

"""Histories into memory: what `Memory` offers for the commits of repositories."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quipu.domain.commits import CommitInput
from quipu.domain.document import Problem
from quipu.domain.progress import Progress
from quipu.memory.sessions import Conversations

if TYPE_CHECKING:
    from quipu.ingest.history import HistoryReport

__all__ = ["Histories"]


class Histories(Conversations):
    """How commits are written to a memory."""

    def index_git(
        self, repository: str | Path = ".", *, embed: bool = True, progress: Progress | None = None
    ) -> "HistoryReport":
        """Bring the memory up to date with the commits that a repository's HEAD leads to.

        Only new commits are read, by git itself; those that vanished (a rewritten history) are
        retired. Commits that cite earlier ones by hash teach how much age and the rest count in
        this repository. Raises InvalidInput where there is no readable repository, MissingExtra
        without git.
        """
        from quipu.ingest.history import index_history

        with self._writing:
            report = index_history(
                self.store,
                Path(repository),
                home=self.home.folder,
                state=self.home.state,
                workers=self.config.index.workers,
                clock=self._clock,
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
        from quipu.ingest.history import add_history

        with self._writing:
            report = add_history(
                self.store,
                commits,
                root=root,
                state=self.home.state,
                workers=self.config.index.workers,
                clock=self._clock,
                progress=progress,
            )
            return self._with_vectors(report, embed, progress)

    def _with_vectors(
        self, report: "HistoryReport", embed: bool, progress: Progress | None
    ) -> "HistoryReport":
        """The report, after what lacks a vector got one."""
        from quipu.ingest.learning import learn_weights
        from quipu.ingest.turns import Turns

        done = self._indexer().add_passages((), embed=embed, progress=progress)
        model = self._models.of("commit").get() if embed else None
        space = model.space if model else None
        learn_weights(self.store, space, turns=Turns(self.home.state), clock=self._clock)
        return msgspec.structs.replace(
            report,
            embedded=done.embedded,
            unembedded=done.unembedded,
            embed_seconds=done.embed_seconds,
            sequence=self.store.sequence(),
            notes=(*report.notes, *done.notes),
        )

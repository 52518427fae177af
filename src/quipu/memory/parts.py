"""The parts of a memory, and what it passes on to them as it is."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from quipu.config import Config
from quipu.handle.handle import Handle
from quipu.handle.home import Home
from quipu.handle.models import Models
from quipu.kinds.commits.api import Histories
from quipu.kinds.commits.model import CommitInput
from quipu.kinds.conversations.api import Conversations
from quipu.kinds.conversations.model import Transcript
from quipu.kinds.incidents.api import Incidents
from quipu.kinds.pages.api import Pages
from quipu.kinds.reports.api import Reports
from quipu.kinds.reports.model import Report
from quipu.kinds.values.api import Values
from quipu.kinds.work.api import Works
from quipu.ports import Chat, Embedder, Planner, Store
from quipu.records.document import Problem
from quipu.records.progress import Progress
from quipu.when.instants import Clock
from quipu.write.dropped import Dropped

if TYPE_CHECKING:
    from threading import RLock

    from quipu.kinds.commits.repository import HistoryReport
    from quipu.kinds.reports.reflect import Reflected
    from quipu.memory.entities import Entities
    from quipu.write.report import IndexReport
    from quipu.write.run import Indexer

__all__ = ["Parts"]


class Parts:
    """A memory's store, home, configuration and models, and one object for each kind of source."""

    def __init__(
        self, store: Store, *, home: Home, config: Config, models: Models, clock: Clock
    ) -> None:
        """Joins parts that were made by hand; most callers want `Memory.open`."""
        self.handle = Handle(store, home=home, config=config, models=models, clock=clock)
        self._conversations = Conversations(self.handle)
        self._histories = Histories(self.handle)
        self._works = Works(self.handle)
        self._pages = Pages(self.handle)
        self._reports = Reports(self.handle)

    @property
    def store(self) -> Store:
        """Where everything is kept."""
        return self.handle.store

    @property
    def home(self) -> Home:
        """Where the store, its folder and the local state are."""
        return self.handle.home

    @property
    def config(self) -> Config:
        """The configuration that this memory was opened with."""
        return self.handle.config

    @property
    def clock(self) -> Clock:
        """What gives the present instant."""
        return self.handle.clock

    @property
    def embedder(self) -> Embedder | None:
        """The model of prose, loaded when first asked for; None works by words and graph only."""
        return self.handle.models.get()

    @property
    def chat(self) -> Chat | None:
        """The language model that the configuration names, if it names one; it is an option.
        Raises InvalidConfig, ModelUnavailable (no key)."""
        return self.handle.chat

    def embedder_for(self, text: str) -> Embedder | None:
        """The model that can embed `text` as prose now: the configured one, or what stands in
        for a remote one that fails. Raises ModelUnavailable when nothing may stand in for it."""
        return self.handle.models.for_passage("prose", text, self.store)

    @property
    def graph(self) -> Planner:
        """The store as it reads when what was merged is one thing; itself where nothing was."""
        return self.handle.graph

    def graph_for(self, question: str) -> Planner:
        """As `graph`, with the acronyms in `question` (or of what it names) that texts define."""
        return self.handle.graph_for(question)

    def graph_of(self, name: str, known_at: str | None = None) -> tuple[Planner, str]:
        """As `graph_for` one name, or `graph` as it was known at an instant; and what facts there
        call the thing."""
        return self.handle.graph_of(name, known_at)

    @cached_property
    def incidents(self) -> Incidents:
        """Incidents, what was tried against them, and what that advises."""
        return Incidents(self.handle)

    @cached_property
    def values(self) -> Values:
        """Numbers derived from what is remembered, each with its working."""
        return Values(self.handle)

    @cached_property
    def entities(self) -> "Entities":
        """Things: which of them are one, which might be, and what was decided about them."""
        from quipu.memory.entities import Entities

        return Entities(
            self.store,
            embedder=self.handle.models.get,
            clock=self.clock,
            writing=self.handle.writing,
        )

    def add_sessions(
        self,
        transcripts: Iterable[Transcript | Problem],
        *,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "IndexReport":
        """Remember transcripts, a passage a turn; turns that are known are not written again.

        `sessions.store` says whether whole turns are kept or bounded previews. Problems that
        reading met become rows of the report.
        """
        return self._conversations.add_sessions(transcripts, embed=embed, progress=progress)

    def add_messages(
        self, messages: Sequence[dict[str, object]], *, session_id: str, embed: bool = True
    ) -> "IndexReport":
        """Remember a list of `{"role", "content"}` messages as one session.

        Giving the list again with more at its end writes only what is new. A message that cannot
        be read is a row of `errors`.
        """
        return self._conversations.add_messages(messages, session_id=session_id, embed=embed)

    def add_transcripts(
        self,
        paths: Sequence[str | Path] | str | Path,
        *,
        skip: Collection[Path] = (),
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "IndexReport":
        """Remember the transcripts in files, or in all files of folders (docs/reference/
        sessions.md), but those in `skip`; what is no transcript, or cannot be read, is a row of
        `errors`."""
        return self._conversations.add_transcripts(paths, skip=skip, embed=embed, progress=progress)

    def index_git(
        self, repository: str | Path = ".", *, embed: bool = True, progress: Progress | None = None
    ) -> "HistoryReport":
        """Bring the memory up to date with the commits that a repository's HEAD leads to.

        Only new commits are read, by git itself; those that vanished (a rewritten history) are
        retired. Commits that cite earlier ones by hash teach how much age and the rest count in
        this repository. Raises InvalidInput where there is no readable repository, MissingExtra
        without git.
        """
        return self._histories.index_git(repository, embed=embed, progress=progress)

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
        return self._histories.add_commits(commits, root=root, embed=embed, progress=progress)

    def reflect(
        self,
        *,
        communities: int = 60,
        characters: int = 4000,
        write: bool = False,
        progress: Progress | None = None,
    ) -> "Reflected":
        """Divide the graph into communities and bring their reports up to date, within a budget:
        how many are reported on (the largest first), and how long a report may be.

        The same store gives the same reports; those that come out as they were are not touched.
        With `write` the configured language model puts a summary before each, held to its lines.
        Raises InvalidInput for a budget that allows nothing, and for `write` without a model.
        """
        return self._reports.reflect(
            communities=communities, characters=characters, write=write, progress=progress
        )

    def reports(self) -> tuple[Report, ...]:
        """The reports that stand, the largest first."""
        return self._reports.all()

    @property
    def _models(self) -> Models:
        return self.handle.models

    @property
    def _clock(self) -> Clock:
        return self.handle.clock

    @property
    def _writing(self) -> "RLock":
        return self.handle.writing

    @property
    def _dropped(self) -> ContextVar[Callable[[], Dropped]]:
        return self.handle.dropped

    def _indexer(self) -> "Indexer":
        return self.handle.indexer()

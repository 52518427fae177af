"""Conversations into memory: what `Memory` offers for transcripts and messages."""

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quipu import config as configuration
from quipu.config import Config
from quipu.domain.document import Problem
from quipu.domain.instants import Clock
from quipu.domain.progress import Progress
from quipu.domain.session import Transcript
from quipu.errors import InvalidInput
from quipu.ingest.dropped import NOTHING, Dropped
from quipu.memory.home import Home
from quipu.memory.incidents import Incidents
from quipu.memory.models import Models
from quipu.memory.values import Values
from quipu.ports import Chat, Embedder, Store

if TYPE_CHECKING:
    from quipu.ingest.guard import Guard
    from quipu.ingest.report import IndexReport
    from quipu.ingest.run import Indexer

__all__ = ["Conversations"]


def _nothing() -> Dropped:
    return NOTHING


class Conversations:
    """A memory's parts, and how conversations are written to it."""

    def __init__(
        self, store: Store, *, home: Home, config: Config, models: Models, clock: Clock
    ) -> None:
        """Joins parts that were made by hand; most callers want `Memory.open`."""
        self.store: Final = store
        self.home: Final = home
        self.config: Final = config
        self._models = models
        self._clock = clock
        self._writing = threading.RLock()
        # What the job that is worked on here must not write any more: a job is written by the
        # functions that write for everybody.
        self._dropped: Final = ContextVar[Callable[[], Dropped]]("dropped", default=_nothing)

    @property
    def embedder(self) -> Embedder | None:
        """The model of prose, loaded when first asked for; None works by words and graph only."""
        return self._models.get()

    @cached_property
    def chat(self) -> Chat | None:
        """The language model that the configuration names, if it names one; it is an option.
        Raises InvalidConfig, ModelUnavailable (no key)."""
        from quipu.models.chat import open_chat

        return open_chat(self.config.chat, configuration.environment(self.home.folder))

    def embedder_for(self, text: str) -> Embedder | None:
        """The model that can embed `text` as prose now: the configured one, or what stands in
        for a remote one that fails. Raises ModelUnavailable when nothing may stand in for it."""
        return self._models.for_passage("prose", text, self.store)

    @property
    def clock(self) -> Clock:
        """What gives the present instant."""
        return self._clock

    @cached_property
    def incidents(self) -> Incidents:
        """Incidents, what was tried against them, and what that advises."""
        return Incidents(
            self.store,
            home=self.home,
            config=self.config,
            model=self._models.of("prose"),
            clock=self._clock,
            writing=self._writing,
        )

    @cached_property
    def values(self) -> Values:
        """Numbers derived from what is remembered, each with its working."""
        return Values(self.store, home=self.home, clock=self._clock, writing=self._writing)

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
        kept = self.config.sessions
        keep = kept.preview_characters if kept.store == "preview" else None
        with self._writing:
            return self._indexer().add_sessions(
                transcripts, keep=keep, embed=embed, progress=progress
            )

    def add_messages(
        self,
        messages: Sequence[dict[str, object]],
        *,
        session_id: str,
        embed: bool = True,
    ) -> "IndexReport":
        """Remember a list of `{"role", "content"}` messages as one session.

        Giving the list again with more at its end writes only what is new. A message that cannot
        be read is a row of `errors`.
        """
        from quipu.read.sessions.messages import read_messages

        if not session_id.strip():
            raise InvalidInput("the session has no id: give one, for example 'planning-1'")
        read = read_messages(session_id, list(messages), stem=session_id)
        return self.add_sessions((*read.problems, *read.transcripts), embed=embed)

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
        from quipu.read.sessions.files import read_session_files

        chosen = (paths,) if isinstance(paths, str | Path) else tuple(paths)
        with self._guard() as call:
            found = read_session_files([Path(path) for path in chosen], skip=skip, call=call)
            return self.add_sessions(found, embed=embed, progress=progress)

    def _guard(self) -> "Guard":
        from quipu.memory.writing import reading_guard

        return reading_guard(self.config.index)

    def _indexer(self) -> "Indexer":
        from quipu.memory.writing import indexer

        return indexer(
            self.store,
            self.home,
            self.config,
            self._models,
            self._clock,
            dropped=self._dropped.get(),
        )

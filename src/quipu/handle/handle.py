"""What every part of a memory shares: its store, home, configuration, models and clock."""

import threading
from collections.abc import Callable
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Final

from quipu import config as configuration
from quipu.config import Config
from quipu.handle.home import Home
from quipu.handle.models import Models
from quipu.ports import Chat, Planner, Store
from quipu.text import name_key
from quipu.when.instants import Clock
from quipu.write.dropped import NOTHING, Dropped

if TYPE_CHECKING:
    from quipu.resolve import Resolver
    from quipu.write.guard import Guard
    from quipu.write.run import Indexer

__all__ = ["Handle"]


def _nothing() -> Dropped:
    return NOTHING


class Handle:
    """One open memory, as its parts see it."""

    def __init__(
        self, store: Store, *, home: Home, config: Config, models: Models, clock: Clock
    ) -> None:
        self.store: Final = store
        self.home: Final = home
        self.config: Final = config
        self.models: Final = models
        self.clock: Final = clock
        self.writing: Final = threading.RLock()
        # What the job that is worked on here must not write any more: a job is written by the
        # functions that write for everybody.
        self.dropped: Final = ContextVar[Callable[[], Dropped]]("dropped", default=_nothing)

    @cached_property
    def chat(self) -> Chat | None:
        """The language model that the configuration names, if it names one; it is an option.
        Raises InvalidConfig, ModelUnavailable (no key)."""
        from quipu.models.chat import open_chat

        return open_chat(self.config.chat, configuration.environment(self.home.folder))

    def indexer(self) -> "Indexer":
        """The write way over this memory."""
        from quipu.handle.indexing import indexer

        return indexer(
            self.store,
            self.home,
            self.config,
            self.models,
            self.clock,
            dropped=self.dropped.get(),
        )

    def guard(self) -> "Guard":
        """What calls readers of what is not indexed."""
        from quipu.handle.indexing import reading_guard

        return reading_guard(self.config.index)

    @property
    def graph(self) -> Planner:
        """The store as it reads when what was merged is one thing; itself where nothing was."""
        return self.resolver.read()

    def graph_for(self, question: str) -> Planner:
        """As `graph`, with the acronyms in `question` (or of what it names) that texts define."""
        from quipu.question import read_question

        asked = read_question(question)
        return self.resolver.read_for(dict.fromkeys((*asked.names, *asked.surfaces)), question)

    def asked_of(self, question: str) -> tuple[Planner, str]:
        """`graph_for` the question, and the question as facts there call what it names."""
        from quipu.resolve import Resolved

        graph = self.graph_for(question)
        return graph, graph.told(question) if isinstance(graph, Resolved) else question

    def graph_of(self, name: str, known_at: str | None = None) -> tuple[Planner, str]:
        """As `graph_for` one name, or `graph` as it was known at an instant; and what facts there
        call the thing."""
        from quipu.records.mentions import key_words
        from quipu.resolve import Resolved

        keys = {key for key in (name_key(name), " ".join(key_words(name))) if key}
        graph = self.resolver.read_at(known_at, sorted(keys))
        return graph, graph.name_of(name) if isinstance(graph, Resolved) else name

    @cached_property
    def resolver(self) -> "Resolver":
        """What knows which things are one."""
        from quipu.resolve import Resolver

        return Resolver(self.store)

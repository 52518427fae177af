"""What every part of a memory shares: its store, home, configuration, models and clock."""

import threading
from collections.abc import Callable
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quipu import config as configuration
from quipu.config import Config
from quipu.handle.home import Home
from quipu.handle.models import Models
from quipu.ports import Chat, Embedder, Planner, Store
from quipu.when.instants import Clock
from quipu.write.dropped import Dropped

if TYPE_CHECKING:
    from quipu.facts.attributes import Attributes
    from quipu.question import Question
    from quipu.resolve import Authority, Resolver
    from quipu.write.cluster import Cluster
    from quipu.write.jobs import Jobs
    from quipu.write.limits import Limits
    from quipu.write.places import Roots
    from quipu.write.run import Indexer
    from quipu.write.workers import Guard

__all__ = ["Handle"]


class Handle:
    """One open memory, as its parts see it."""

    def __init__(
        self,
        store: Store,
        *,
        home: Home,
        config: Config,
        models: Models,
        clock: Clock,
        read_only: bool = False,
    ) -> None:
        self.store: Final = store
        self.home: Final = home
        self.config: Final = config
        self.models: Final = models
        self.clock: Final = clock
        self.read_only: Final = read_only
        self.writing: Final = threading.RLock()
        # What the job that is worked on here must not write any more: a job is written by the
        # functions that write for everybody.
        self.dropped: Final = ContextVar[Callable[[], Dropped] | None]("dropped", default=None)

    @property
    def name(self) -> str:
        """What the local state calls this memory."""
        return f"{self.home.name}\0{self.store.namespace}"

    @cached_property
    def stored_jobs(self) -> "Jobs":
        """What was accepted to be written; what an earlier version kept in the local state is
        brought into the store, where that can be written."""
        from quipu.trust import own_state, sealing_key
        from quipu.write.jobs import Jobs
        from quipu.write.old_jobs import bring_old_jobs

        state, key = self.home.state, sealing_key()
        if state is None or self.home.url == "memory:":
            return Jobs(self.store, None, self.clock, key=key)
        if not self.read_only:
            bring_old_jobs(self.store, state, self.name, key=key)
        # Whoever else of this user writes to a store on a server may have another home.
        shared = own_state() if self.home.database is None else None
        return Jobs(self.store, (shared or state) / "workers", self.clock, key=key)

    def let_go_of_jobs(self) -> None:
        """Give back the lock of who works on jobs; it is taken again when it is next needed."""
        if (jobs := self.__dict__.pop("stored_jobs", None)) is not None:
            jobs.close()

    @property
    def embedder(self) -> Embedder | None:
        """The model of prose, loaded when first asked for; None works by words and graph only."""
        return self.models.get()

    def embedder_for(self, text: str) -> Embedder | None:
        """The model that can embed `text` as prose now: the configured one, or what stands in
        for a remote one that fails. Raises ModelUnavailable when nothing may stand in for it."""
        return self.models.for_passage("prose", text, self.store)

    @cached_property
    def chat(self) -> Chat | None:
        """The language model that the configuration names, if it names one; it is an option.
        Raises InvalidConfig, ModelUnavailable (no key)."""
        from quipu.models.chat import open_chat

        return open_chat(self.config.chat, configuration.environment(self.home.folder))

    def indexer(self) -> "Indexer":
        """The write way over this memory."""
        from quipu.write.options import IndexOptions
        from quipu.write.run import Indexer

        config, home = self.config, self.home
        options = IndexOptions(
            max_bytes=config.index.max_bytes,
            limits=self._limits(),
            include=config.index.include,
            exclude=(*config.index.exclude, *self._key_files()),
            credentials=config.index.credentials,
            workers=config.index.workers,
            threads=config.embed.threads,
            cache_bytes=config.embed.cache_mb * 1_000_000,
            extract=config.ingest.extract != "off",
            refuse_junk=config.ingest.junk == "refuse",
            authority=self._authority,
            attributes=self.attributes,
            cluster=self._cluster,
        )
        return Indexer(
            self.store,
            home=home.folder,
            state=home.state,
            options=options,
            shelves=self.models.shelves(),
            clock=self.clock,
            dropped=self.dropped.get(),
            maker=self.maker,
            roots=self.roots,
        )

    @property
    def maker(self) -> str:
        """The store and the version of the program: what another made is made again."""
        from quipu.version import VERSION

        return f"{self.home.shown} {VERSION} {self._authority.mark}".strip()

    @property
    def _authority(self) -> "Authority":
        from quipu.resolve import Authority

        return Authority.of(self.config.sources.vendored, self.config.sources.may_assert)

    @cached_property
    def roots(self) -> "Roots":
        """What was indexed into this memory."""
        from quipu.write.places import Roots

        return Roots(self.home.state, self.name)

    @cached_property
    def attributes(self) -> "Attributes":
        """Which wordings of facts say the same, and which have one value at a time."""
        return self.config.facts.table()

    @property
    def _cluster(self) -> "Cluster | None":
        if self.config.index.engine == "local":
            return None
        from quipu.write.cluster import Cluster

        return Cluster(self.config.index.address)

    def guard(self) -> "Guard":
        """What calls readers of what is not indexed."""
        from quipu.write.workers import Guard

        return Guard(self._limits())

    def _limits(self) -> "Limits":
        from quipu.write.limits import Limits

        index = self.config.index
        return Limits(index.max_seconds, index.max_memory_mb * 1_000_000)

    def _key_files(self) -> list[str]:
        """The files with keys in the folder, as patterns: they are not read into memory."""
        given = [f for f in (self.config.embed.key_file, self.config.chat.key_file) if f]
        paths = [(self.home.folder / Path(f).expanduser()).resolve() for f in given]
        root = self.home.folder.resolve()
        return [f"/{p.relative_to(root).as_posix()}" for p in paths if p.is_relative_to(root)]

    @property
    def graph(self) -> Planner:
        """The store as it reads when what was merged is one thing; itself where nothing was."""
        return self.resolver.read()

    def asked_of(self, asked: "Question") -> "tuple[Planner, Question]":
        """`graph`, and the question as facts there call what it names."""
        from quipu.question import read_question
        from quipu.resolve import MergedView

        graph = self.graph
        if isinstance(graph, MergedView):
            asked = read_question(graph.in_their_names(asked.text))
        return graph, asked

    def graph_of(self, name: str, known_at: str | None = None) -> tuple[Planner, str]:
        """`graph`, or as it was known at an instant; and what facts there call the thing."""
        from quipu.resolve import MergedView

        graph = self.resolver.read_at(known_at)
        return graph, graph.name_of(name) if isinstance(graph, MergedView) else name

    @cached_property
    def resolver(self) -> "Resolver":
        """What knows which things are one."""
        from quipu.resolve import Resolver

        return Resolver(self.store)

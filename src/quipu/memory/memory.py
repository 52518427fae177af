"""Memory: the one place that joins the stages."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from quipu import config as configuration
from quipu.config import Config
from quipu.errors import InvalidInput, UnknownRecord
from quipu.files import private
from quipu.handle.expiry import expired_sources, unexpired
from quipu.handle.filters import known_scope
from quipu.handle.home import admit, find_home, needed
from quipu.handle.lookup import Passage, end_of_relation, look_up, redacted, relations, sources_of
from quipu.handle.model import AUTO, Auto
from quipu.handle.models import Models
from quipu.handle.status import Status, age_notes, last_indexed, status
from quipu.memory.contracts import check_contract
from quipu.memory.durable import Durable
from quipu.memory.recounting import Recounting
from quipu.memory.usage import UsageLog
from quipu.ports import Direction, Embedder
from quipu.records.passage import PassageInput
from quipu.records.plan import Mode, Plan
from quipu.records.progress import Progress
from quipu.records.record import Properties, Record, Relation
from quipu.records.reply import Reply, Retrieved
from quipu.records.scope import EVERYTHING, Scope
from quipu.when.instants import Clock, system_clock
from quipu.write.report import IndexReport

if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Event

    from quipu.answer.examine import Examined
    from quipu.evaluate.validation import Validation
    from quipu.transfer import Moved
    from quipu.transfer.backup import BackedUp
    from quipu.write.embed import EmbedReport

__all__ = ["Memory"]

_SHORTEST_TOKEN = 12
"""No rule takes a bare name that is shorter for a secret: `default` costs no look at them."""


class Memory(Durable, Recounting):
    """A graph memory over one store and one namespace; safe to share between threads.

    Stages are imported when they are first used, so opening one is quick. Whatever only reads
    never writes, and works on a read-only store.
    """

    @classmethod
    def open(
        cls,
        url: str | Path | None = None,
        *,
        namespace: str | None = None,
        config: Config | None = None,
        embedder: Embedder | Auto | None = AUTO,
        clock: Clock = system_clock,
        read_only: bool = False,
        home: Path | None = None,
    ) -> Self:
        """The memory at `url` (a path, `sqlite:///path`, `memory:`).

        Without a `url` it is `store.url` of the configuration, else the nearest
        `.quipu/quipu.db` upward. Without `config` the configuration is read from the working
        directory; without `namespace` it is `store.namespace`. `embedder=None` works by words
        and graph only; by default the configured model is loaded when it is first needed.
        `home` is the folder that paths are relative to, if not the store's own. Raises
        StoreUnavailable, NewerStore, CorruptStore, InvalidConfig, UntrustedFolder.
        """
        from quipu.store import open_store

        if config is None:
            embeds = embedder is AUTO and not read_only
            config = configuration.load(
                needs=needed(url=url, namespace=namespace, embedding=embeds)
            )
        named = url or config.store.url or None
        place = find_home(named, home)
        whole = admit(place, named=named is not None, read_only=read_only)
        name = config.store.namespace if namespace is None else namespace
        if not name.strip():
            raise InvalidInput("the namespace is blank: name one, or leave the option out")
        if len(name) >= _SHORTEST_TOKEN and redacted(name) != name:
            raise InvalidInput(
                f"the namespace {redacted(name)!r} holds a secret, and a name is kept as it is: "
                "name another"
            )
        store = open_store(place.url, namespace=name, read_only=read_only, vector_files=whole)
        if place.state is not None and not read_only:
            private.narrow(private.under(place.state))
        models = Models(embedder, config.embed, folder=place.folder)
        memory = cls(store, home=place, config=config, models=models, clock=clock)
        if not read_only:
            memory.finish_forgetting()
        return memory

    def index(
        self,
        paths: Sequence[str | Path] | str | Path = (),
        *,
        changed_since: str | None = None,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Bring the memory up to date with the files in `paths` (default: the home folder).

        Only changed files are read; what a deleted file alone supported is retired; a renamed
        one keeps its document's id. `changed_since` (a git revision) looks only at files that
        git calls changed since then. A bad file is a row of `errors`, never a failed run. A run
        that was killed is resumed by the next. Raises InvalidInput when a path is not there.
        """
        with self._writing:
            report = self._indexer().run(
                _paths(paths), changed_since=changed_since, embed=embed, progress=progress
            )
            if self.config.entities.merge == "auto" and report.did_something:
                self.entities.accept(self.entities.proposals().proposals)
            return report

    def watch(
        self,
        paths: Sequence[str | Path] | str | Path = (),
        *,
        embed: bool = True,
        stop: "Event | None" = None,
        progress: Progress | None = None,
    ) -> "Iterator[IndexReport]":
        """Index `paths` now and after every change in them; a report for each run that did
        something. Ends when `stop` is set, or on Ctrl-C."""
        from quipu.write.watch import changes_in

        chosen = _paths(paths)
        yield self.index(chosen, embed=embed, progress=progress)
        for _ in changes_in(chosen or (self.home.folder,), self.home.state, stop=stop):
            report = self.index(chosen, embed=embed, progress=progress)
            if report.did_something:
                yield report

    def add_documents(
        self,
        documents: Iterable[PassageInput],
        *,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Remember ready passages in bulk, one chunk a document: nothing is cut.

        Each brings `source_ref`, `text` and, if known, `title`, `group`, `observed_at`,
        `source_type`, `properties` and `profile` (else sniffed from the text). Passages are
        streamed; a blank one is a row of `errors`.
        """
        with self._writing:
            return self._indexer().add_passages(documents, embed=embed, progress=progress)

    def relate(
        self,
        source: str,
        type: str,  # noqa: A002 - the record's own word
        target: str,
        *,
        confidence: float = 1.0,
        weight: float = 1.0,
        description: str = "",
        properties: Properties | None = None,
    ) -> Relation:
        """Assert a relation, or change the one that stands between these ends.

        Ends are ids, paths or unique names. Raises UnknownRecord with the nearest candidates
        (or all a name could mean), InvalidInput for a number out of range or ends that a relation
        of this type cannot tie.
        """
        from quipu.write.relations import relate

        with self._writing:
            return relate(
                self.store,
                end_of_relation(self.store, source),
                type,
                end_of_relation(self.store, target),
                clock=self._clock,
                confidence=confidence,
                weight=weight,
                description=description,
                properties=properties or {},
            )

    def unrelate(self, rel_id: str) -> Relation:
        """End a relation, whoever asserted it, and give what it was; its history stays.

        A file that states it states it again when the file changes. Raises UnknownRecord.
        """
        from quipu.write.relations import unrelate

        with self._writing:
            return unrelate(self.store, rel_id, clock=self._clock)

    def forget(self, refs: Sequence[str] | str) -> int:
        """Erase sources for good; how many episodes went. Nothing of their text stays in the local
        state: no history, no cached vector, no job that was to write it.

        Each ref is a source (`docs/a.md`, `manual:…`), also one that left the index, a session,
        goal or task with all its parts, or the id of a document or an episode. Raises UnknownRecord
        before anything is erased.
        """
        chosen = (refs,) if isinstance(refs, str) else tuple(refs)
        self._usage.erase()  # a question may hold what is forgotten
        with self._writing, self._forgetting.alone() as gone:
            wanted: dict[str, None] = {}
            for ref in dict.fromkeys(chosen):
                both = (ref, redacted(ref))
                try:
                    wanted |= dict.fromkeys(sources_of(self.store, ref))
                except UnknownRecord:
                    if gone.isdisjoint(both) and not self._forgetting.is_waiting(both):
                        raise
                wanted |= dict.fromkeys(both)
            return self._forgetting.erase(list(wanted))

    @property
    def _usage(self) -> UsageLog:
        return UsageLog(self.home.state, max_bytes=self.config.usage.max_bytes)

    def purge_expired(self) -> int:
        """Erase for good what has expired; how many episodes went."""
        with self._writing, self._forgetting.alone():
            gone = expired_sources(self.store, self._clock())
            if gone:
                self._usage.erase()
            return self._forgetting.erase(gone)

    def reindex(
        self,
        model_version: str | None = None,
        *,
        keep_old: bool = False,
        progress: Progress | None = None,
    ) -> "EmbedReport":
        """Embed everything in the present model's space, then drop every other space.

        The old space answers until the new one is complete; a killed run goes on where it
        stopped. `model_version` must be (part of) the present model's space, as a check against
        embedding with another model than intended. Raises MissingModel, InvalidInput.
        """
        self._models.require()
        with self._writing:
            return self._indexer().reindex(model_version, keep_old=keep_old, progress=progress)

    def plan(
        self,
        question: str,
        *,
        mode: Mode | None = None,
        scope: Scope = EVERYTHING,
        use_graph: bool = True,
        touched: Sequence[str] = (),
    ) -> Plan:
        """What may be used for `question`, frozen, before any text is fetched.

        `touched` are paths of files that the change in question touches: commits are ranked by
        them too. Raises InvalidInput for a word in `scope` that nothing here uses.
        """
        if not question.strip():
            raise InvalidInput("the question is empty: ask something, for example 'who owns X?'")
        known_scope(scope, self.store)
        if mode == "global":
            return self._reports.plan(question, scope)
        if self.store.spaces():
            self._models.expect()
        from quipu.plan import only_apart, plan

        chosen = mode or self.config.search.mode
        asks_facts = use_graph and chosen == "local" and not only_apart(scope)
        told = self._told(question, scope) if asks_facts else None

        def planned(embedder: Embedder | None, notes: tuple[str, ...]) -> Plan:
            made = plan(
                question,
                self._models.reading(
                    self.graph_for(question), embedder.space if embedder else None
                ),
                embedder,
                mode=chosen,
                scope=scope,
                use_graph=use_graph,
                told=told,
                touched=touched,
            )
            return msgspec.structs.replace(made, notes=(*notes, *made.notes)) if notes else made

        return self._models.tried(question, self.store, planned)

    def retrieve(self, plan: Plan, *, limit: int | None = None, explain: bool = False) -> Retrieved:
        """The best passages inside `plan`, best first; Leakage if one is from outside."""
        from quipu.retrieve import retrieve

        chosen = self.config.search.limit if limit is None else limit
        if chosen < 1:
            raise InvalidInput(f"limit {limit!r} asks for nothing: give 1 or more")
        if plan.mode == "global":
            return self._reports.retrieve(plan, chosen)
        planner = self._models.reading(self.graph_for(plan.question), plan.space)

        def kept(model: Embedder | None) -> Retrieved:
            fetch = partial(retrieve, plan, planner, model, explain=explain)
            return unexpired(self.store, lambda n: fetch(limit=n), chosen, self._clock())

        found = self._dated(plan, self._models.within(plan.space, kept))
        hours = self.config.index.stale_hours
        aged = age_notes(self.home.state, self._clock, stale_hours=hours)
        return msgspec.structs.replace(found, notes=(*found.notes, *aged)) if aged else found

    def search(
        self,
        question: str,
        *,
        limit: int | None = None,
        mode: Mode | None = None,
        scope: Scope = EVERYTHING,
        use_graph: bool = True,
        explain: bool = False,
        touched: Sequence[str] = (),
    ) -> Retrieved:
        """Plan and retrieve: the passages for `question`, each with why it stands there."""
        plan = self.plan(question, mode=mode, scope=scope, use_graph=use_graph, touched=touched)
        found = self.retrieve(plan, limit=limit, explain=explain)
        if not self.config.usage.log:
            return found
        notes = self._usage.write(
            question,
            now=self._clock(),
            top_k=limit or self.config.search.limit,
            scope=scope,
            use_graph=use_graph,
        )
        return msgspec.structs.replace(found, notes=(*found.notes, *notes)) if notes else found

    def ask(
        self,
        question: str,
        *,
        limit: int | None = None,
        mode: Mode | None = None,
        scope: Scope = EVERYTHING,
        use_graph: bool = True,
        offline: bool = False,
    ) -> Reply:
        """An answer under the contract, cited, or `unknown`; never an exception for lack of
        evidence. `offline` asks no language model, though one be configured."""
        from quipu.memory.asking import answered

        found = self.search(question, limit=limit, mode=mode, scope=scope, use_graph=use_graph)
        if mode == "global":
            return self._reports.answer(question, found)
        return answered(
            question, found, self.graph_for(question), config=self.config, clock=self._clock,
            embedder=self._models.comparing(found.plan.space),
            chat=lambda: None if offline else self.chat,
        )  # fmt: skip

    def get(self, ref: str) -> Record | Passage:
        """What `ref` names: any id, a path, `path:12-40`, a source (`session:…`) or a unique
        name. Raises UnknownRecord with the nearest candidates."""
        return look_up(self.graph, ref)

    def relations(
        self,
        of: str | None = None,
        *,
        type: str | None = None,  # noqa: A002 - the record's own word
        direction: Direction = "both",
        limit: int = 1000,
    ) -> list[Relation]:
        """Live relations, by id: all of them, or those at `of` (id, path or unique name)."""
        return relations(self.graph, of, type, direction, limit)

    def stats(self) -> Status:
        """How the memory is: counts, generation, spaces, age, what lacks a vector."""
        model, unembedded = self._models.held(self.store)
        return status(
            self.store,
            url=self.home.url,
            model=model,
            unembedded=unembedded,
            indexed_at=last_indexed(self.home.state),
            clock=self._clock,
            stale_hours=self.config.index.stale_hours,
            notes=self._models.notes,
        )

    def check_contract(self, reply: Mapping[str, object]) -> "Examined":
        """Whether an answer contract (or an envelope that holds one under `contract`, as
        `quipu ask --json` prints it) holds, with all that its evidence names looked up."""
        return check_contract(reply, self.store, folder=self.home.folder)

    def validate(self, *, strict: bool = False) -> "Validation":
        """What is wrong in the graph (errors) and what is doubtful (warnings); `strict` asks for
        the node types of a platform too."""
        from quipu.evaluate.validation import validate

        return validate(self.store, strict=strict)

    def export(
        self, path: str | Path, *, vectors: bool = False, overwrite: bool = False
    ) -> "Moved":
        """Write everything to `path` as JSON lines in a fixed order; whole or not at all."""
        from quipu.transfer import export

        return export(self.store, Path(path), vectors=vectors, overwrite=overwrite)

    def backup(self, path: str | Path, *, overwrite: bool = False) -> "BackedUp":
        """Write the whole memory, what was accepted and is not written yet included, to one
        file, while others may write; checked before it takes its place. Raises InvalidInput for
        a memory that is in no file, CorruptStore for one that is damaged."""
        from quipu.memory.recovery import back_up

        return back_up(self.home, Path(path), clock=self._clock, overwrite=overwrite)

    @staticmethod
    def restore(path: str | Path, url: str | Path | None = None) -> "BackedUp":
        """Make the memory at `url` (default: `.quipu/quipu.db` here) from what `backup` wrote,
        verified first. Raises InvalidInput where there is one already."""
        from quipu.memory.recovery import put_back

        return put_back(Path(path), url)

    def import_(self, path: str | Path, *, progress: Progress | None = None) -> "Moved":
        """Take in what `export` wrote; again changes nothing. Records that break the schema are
        left out and named in `refused`. Raises InvalidInput with the line that cannot be used."""
        from quipu.transfer import import_

        with self._writing:
            return import_(self.store, Path(path), clock=self._clock, progress=progress)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _paths(paths: Sequence[str | Path] | str | Path) -> tuple[Path, ...]:
    chosen = (paths,) if isinstance(paths, str | Path) else tuple(paths)
    return tuple(Path(path) for path in chosen)

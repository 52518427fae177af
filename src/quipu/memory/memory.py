"""Memory: the one place that joins the stages and the kinds."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

import msgspec

from quipu import config as configuration
from quipu.config import Config
from quipu.errors import InvalidInput
from quipu.files import private
from quipu.handle.filters import in_files, relation_types
from quipu.handle.home import DATABASE, admit, find_home, needed
from quipu.handle.lookup import end_of_relation, redacted
from quipu.handle.models import AUTO, Auto, Models
from quipu.handle.status import Status, status
from quipu.index.asked import spaces_of
from quipu.kinds.commits.model import CommitInput
from quipu.kinds.conversations.api import Conversations, transcripts_of
from quipu.kinds.conversations.model import Transcript
from quipu.kinds.values.api import Values
from quipu.kinds.work.model import WorkKind
from quipu.memory import payloads
from quipu.memory.erasure import Erasure
from quipu.memory.facts import Facts
from quipu.memory.jobs import JobQueue
from quipu.memory.questions import Questions
from quipu.ports import Direction, Embedder, Progress, every
from quipu.records.document import Problem
from quipu.records.passage import PassageInput
from quipu.records.record import Properties, Relation
from quipu.records.scope import EVERYTHING, Scope
from quipu.trust import mark
from quipu.when.instants import Clock, observed_instant, system_clock
from quipu.write.report import IndexReport

if TYPE_CHECKING:
    from threading import Event

    from quipu.kinds.commits.repository import HistoryReport
    from quipu.kinds.incidents.api import Incidents
    from quipu.kinds.pages.network import Network
    from quipu.memory.entities import Entities
    from quipu.memory.validation import Validation
    from quipu.transfer import Migrated, Moved
    from quipu.transfer.backup import BackedUp
    from quipu.transfer.formats import GraphFormat, GraphWritten
    from quipu.write.embed import EmbedReport
    from quipu.write.jobs import Job

__all__ = ["Memory"]

Message = dict[str, object]
"""`{"role", "content"}`, as chat interfaces take them."""


def _messages(
    memory: "Memory", messages: Sequence[Message], *, session_id: str, embed: bool = True
) -> IndexReport:
    return Conversations(memory).add_sessions(transcripts_of(messages, session_id), embed=embed)


def _graph_for(memory: "Memory", _asked: object) -> Any:
    return memory.graph


_OLD_NAMES: Mapping[str, tuple[str, Callable[["Memory"], Any]]] = {
    "handle": ("…, the memory itself", lambda memory: memory),
    "graph_for": ("graph", lambda memory: partial(_graph_for, memory)),
    "job": ("jobs.get", lambda memory: memory.jobs.get),
    "follow": ("jobs.follow", lambda memory: memory.jobs.follow),
    "read_facts": ("jobs.read_facts", lambda memory: memory.jobs.read_facts),
    "resume": ("jobs.resume", lambda memory: memory.jobs.resume),
    "work_on": ("jobs.work_on", lambda memory: memory.jobs.work_on),
    "salvage_jobs": ("jobs.salvage", lambda memory: memory.jobs.salvage),
    "find_facts": ("facts.find", lambda memory: memory.facts.find),
    "history": ("facts.history", lambda memory: memory.facts.history),
    "add_messages": ("add", lambda memory: partial(_messages, memory)),
    "add_sessions": ("ingest_sessions", lambda memory: Conversations(memory).add_sessions),
    "add_transcripts": ("ingest", lambda memory: Conversations(memory).add_transcripts),
    "reflect": ("reports.reflect", lambda memory: memory.reports.reflect),
    "finish_forgetting": ("open, which does so", lambda memory: Erasure(memory).finish),
}
"""What the verbs of the version before are called, each with what it gives."""


class Memory(Questions):
    """A graph memory over one store and one namespace; safe to share between threads.

    It has its `store`, `home`, `config` and `clock`. Stages are imported when they are first used,
    so opening one is quick. Whatever only reads never writes, and works on a read-only store.
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
        """The memory at `url` (a path, `sqlite:///path`, `postgresql://…`, `memory:`).

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
        if name != "default" and redacted(name) != name:  # a look at the rules takes a while
            raise InvalidInput(
                f"the namespace {redacted(name)!r} holds a secret, and a name is kept as it is: "
                "name another"
            )
        store = open_store(place.url, namespace=name, read_only=read_only, vector_files=whole)
        if place.state is not None and not read_only:
            private.narrow(private.under(place.state))
        models = Models(
            embedder, config.embed, folder=place.folder, space_counts=lambda: spaces_of(store)[0]
        )
        memory = cls(
            store, home=place, config=config, models=models, clock=clock, read_only=read_only
        )
        if not read_only:
            memory._erasure.finish()
        return memory

    @cached_property
    def incidents(self) -> "Incidents":
        """Incidents, what was tried against them, and what that advises."""
        from quipu.kinds.incidents.api import Incidents  # a search needs them not

        return Incidents(self)

    @cached_property
    def values(self) -> Values:
        """Numbers derived from what is remembered, each with its working."""
        return Values(self)

    @cached_property
    def entities(self) -> "Entities":
        """Things: which of them are one, which might be, and what was decided about them."""
        from quipu.memory.entities import Entities

        return Entities(self)

    @cached_property
    def facts(self) -> Facts:
        """Dated statements: called, those of a subject; asked in words, those that answer."""
        return Facts(self, self.freshness)

    @cached_property
    def _erasure(self) -> Erasure:
        return Erasure(self)

    @cached_property
    def jobs(self) -> JobQueue:
        """What was accepted first and is written after; called, the jobs there are."""
        return JobQueue(self)

    @overload
    def add(
        self,
        text: str,
        *,
        source_ref: str | None = None,
        title: str = "",
        source_type: str = "manual_ingest",
        group: str = "",
        observed_at: str | None = None,
        properties: Properties | None = None,
        expires: str | None = None,
        embed: bool = True,
    ) -> str: ...

    @overload
    def add(self, text: Sequence[Message], *, session_id: str, embed: bool = True) -> "Job": ...

    def add(
        self,
        text: str | Sequence[Message],
        *,
        session_id: str = "",
        source_ref: str | None = None,
        title: str = "",
        source_type: str = "manual_ingest",
        group: str = "",
        observed_at: str | None = None,
        properties: Properties | None = None,
        expires: str | None = None,
        embed: bool = True,
    ) -> "str | Job":
        """Remember a text and give its episode's id, or messages and give their job.

        A text: `source_ref` (default: `manual:` and a digest) is what a citation opens; another
        text under it replaces the first, the same changes nothing. Without it the same words of a
        later day are told again (`manual:…@DAY`) if `observed_at` dates them, or what they stated
        had ended since. Markdown is understood. `observed_at` (any ISO date from the year 1000 to a
        day from now) is when it was true to say it, by default now; after `expires` it is no longer
        recalled.

        Messages (`{"role", "content"}`, as chat interfaces take them): the list of the whole
        session `session_id`; given again with more at its end, only what is new is written.

        Accepted as a job first: a kill before it is written is made good by the next process that
        writes. Raises InvalidInput for what cannot be remembered.
        """
        if not isinstance(text, str):
            return self.ingest_sessions(transcripts_of(text, session_id), embed=embed)
        from quipu.memory.ingestion import text_job

        given = text_job(
            self,
            text,
            source_ref=source_ref,
            title=title,
            source_type=source_type,
            group=group,
            observed_at=observed_at,
            properties=properties,
            expires=expires,
        )
        return self.jobs.do(given, embed=embed).result

    def ingest(
        self,
        paths: Sequence[str | Path] | str | Path,
        *,
        kind: WorkKind | None = None,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "Job":
        """Remember what is in files, or in all files of folders: transcripts of any format there
        is (docs/reference/sessions.md), goals and tasks (docs/how-to/goals.md). What cannot be
        read is a row of the job's `errors`. With `kind` every record is a goal, or a task, that
        does not say what it is.

        The job holds the paths: one that is resumed reads the files again. Raises InvalidInput
        for a path that is not there. Accepted as a job first.
        """
        return self.jobs.do(payloads.given_files(paths, kind), embed=embed, progress=progress)

    def ingest_sessions(
        self,
        transcripts: Iterable[Transcript | Problem],
        *,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "Job":
        """Remember transcripts that were read already, a passage a turn; turns that are known are
        not written again. `sessions.store` says whether whole turns are kept or bounded previews.
        Problems that reading met become rows of the job's `errors`. Accepted as a job first."""
        return self.jobs.do_transcripts(list(transcripts), embed=embed, progress=progress)

    def ingest_work(
        self,
        records: Sequence[dict[str, object]],
        *,
        observed_at: str | None = None,
        embed: bool = True,
    ) -> "Job":
        """Remember records of goals and tasks (docs/how-to/goals.md). What names no date itself
        holds from `observed_at`, by default now. Accepted as a job first."""
        now = self.clock()
        seen = observed_instant(observed_at, now)
        return self.jobs.do(payloads.given_records(records, seen), embed=embed)

    def ingest_urls(
        self,
        urls: Sequence[str] | str,
        *,
        network: "Network | None" = None,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "Job":
        """Fetch the pages at `urls`, and nothing that they link to, and remember them
        (docs/how-to/pages.md). What cannot be fetched is a row of the job's `errors`.

        A page that was fetched before is asked for only if it changed. `network` says which
        addresses may be reached, by default those of the public internet. The job holds the URLs
        without their secrets: one that had any cannot be taken up by another process.
        Accepted as a job first.
        """
        chosen = (urls,) if isinstance(urls, str) else tuple(urls)
        from quipu.kinds.pages.write import add_pages

        fetch = partial(add_pages, self, chosen, network=network)
        return self.jobs.do(
            payloads.given_pages(chosen), embed=embed, progress=progress, fetch=fetch
        )

    @property
    def is_forgetting(self) -> bool:
        """Whether a forgetting or a rescan was killed before its end, or is under way: what it is
        to write again may be missing until the memory is opened to write."""
        return self._erasure.is_unfinished

    def index(
        self,
        paths: Sequence[str | Path] | str | Path = (),
        *,
        changed_since: str | None = None,
        again: bool = False,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Bring the memory up to date with the files in `paths` (default: the home folder).

        Only changed files are read; what a deleted file alone supported is retired; a renamed
        one keeps its document's id. With `again` what has not changed is read too, as a newer
        version of Quipu may read more of it, and keeps its vectors. `changed_since` counts for
        nothing and goes with the next version: no unchanged file is read. A bad file is a row of
        `errors`, never a failed run. A run that was killed is resumed by the next. Raises
        InvalidInput when a path is not there. Written at once.
        """
        if changed_since is not None:
            warnings.warn(
                "changed_since counts for nothing: no unchanged file is read",
                DeprecationWarning,
                stacklevel=2,
            )
        with self.writing:
            report = self.indexer().run(
                _paths(paths),
                again=again,
                embed=embed,
                progress=progress,
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
    ) -> Iterator[IndexReport]:
        """Index `paths` now and after every change in them; a report for each run that did
        something. Ends when `stop` is set, or on Ctrl-C. Written at once."""
        from quipu.write.watch import changes_in

        chosen = _paths(paths)
        yield self.index(chosen, embed=embed, progress=progress)
        for _ in changes_in(chosen or (self.home.folder,), self.home.state, stop=stop):
            report = self.index(chosen, embed=embed, progress=progress)
            if report.did_something:
                yield report

    def keep_up(self, *, stop: "Event | None" = None) -> Iterator[IndexReport]:
        """Index what was indexed before, now and after every change in it; a report for each run
        that did something. Nothing that was forgotten comes back by this. Ends when `stop` is set,
        and at once where nothing was indexed. Written at once."""
        from quipu.write.options import Upkeep
        from quipu.write.watch import changes_in

        roots = self.freshness.roots()

        def run() -> Iterator[IndexReport]:
            with self.writing:
                report = self.indexer().run(
                    roots,
                    again=False,
                    embed=True,
                    progress=None,
                    upkeep=Upkeep(),
                )
            if report.did_something:
                yield report

        if not roots:
            return
        for _ in changes_in(roots, self.home.state, stop=stop):
            yield from run()

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
        streamed; a blank one is a row of `errors`. Written at once.
        """
        with self.writing:
            return self.indexer().add_passages(documents, embed=embed, progress=progress)

    def embed_lacking(self, *, progress: Progress | None = None) -> IndexReport:
        """Give whatever has no vector yet one, as `index` does at its end.

        A write makes the vectors of what it wrote, however much waits; what was written without
        (`embed=False`, an import, a model that could not be reached) waits for this or `index`.
        """
        with self.writing:
            return self.indexer().embed_lacking(progress=progress)

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
        of this type cannot tie. Written at once.
        """
        from quipu.write.relations import related, relation_of

        with self.writing:
            rel_id, batch = related(
                self.store,
                end_of_relation(self.store, source),
                type,
                end_of_relation(self.store, target),
                clock=self.clock,
                confidence=confidence,
                weight=weight,
                description=description,
                properties=properties or {},
            )
            if batch is not None:
                self.store.write(batch)
            return relation_of(self.store, rel_id)

    def unrelate(self, rel_id: str) -> Relation:
        """End a relation, whoever asserted it, and give what it was; its history stays.

        A file that states it states it again when the file changes. Raises UnknownRecord.
        Written at once.
        """
        from quipu.write.relations import unrelate

        with self.writing:
            return unrelate(self.store, rel_id, clock=self.clock)

    def forget(self, refs: Sequence[str] | str) -> int:
        """Erase sources for good; how many episodes went. Nothing of their text stays in the local
        state: no history, no cached vector, no job that was to write it.

        Each ref is a source (`docs/a.md`, `manual:…`), also one that left the index, a session,
        goal or task with all its parts, or the id of a document or an episode. Raises UnknownRecord
        before anything is erased. Written down before it is done: what a kill leaves undone is done
        when the memory is next opened.
        """
        return self._erasure.forget((refs,) if isinstance(refs, str) else tuple(refs))

    def purge_expired(self) -> int:
        """Erase for good what has expired; how many episodes went. Written down before it is
        done, as `forget` is."""
        return self._erasure.purge_expired()

    def rescan(self) -> list[str]:
        """Redact what is stored with the rules of today, and return the sources that held secrets.

        Their texts, titles and properties are written again without them, history included; their
        vectors are dropped (`embed` makes them anew).
        Jobs that wait are redacted too. Exports, backups and files are not touched. A rescan that
        is killed is brought to its end when the memory is next opened to write. Written at once."""
        return self._erasure.rescan()

    def reindex(
        self,
        model_version: str | None = None,
        *,
        keep_old: bool = False,
        progress: Progress | None = None,
    ) -> "EmbedReport":
        """Index passages by the words of today, embed everything in the present model's space, then
        drop every other space.

        The old space answers until the new one is complete; a killed run goes on where it
        stopped. `model_version` must be (part of) the present model's space, as a check against
        embedding with another model than intended. Raises MissingModel, InvalidInput.
        Written at once.
        """
        models = self.models
        with self.writing, models.anew():
            indexer = self.indexer()
            recounted = indexer.recount_words()
            models.require()
            report = indexer.reindex(model_version, keep_old=keep_old, progress=progress)
            return msgspec.structs.replace(report, recounted=recounted)

    def index_git(
        self, repository: str | Path = ".", *, embed: bool = True, progress: Progress | None = None
    ) -> "HistoryReport":
        """Bring the memory up to date with the commits that a repository's HEAD leads to.

        Only new commits are read, by git itself; those that vanished (a rewritten history) are
        retired. Raises InvalidInput where there is no readable repository, MissingExtra without
        git. Written at once.
        """
        from quipu.kinds.commits.repository import index_history

        return index_history(self, Path(repository), embed=embed, progress=progress)

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
        of their files. What cannot be used is a row of `errors`. Written at once.
        """
        from quipu.kinds.commits.repository import add_history

        return add_history(self, commits, root=root, embed=embed, progress=progress)

    def within(
        self,
        *,
        paths: Sequence[str] = (),
        languages: Sequence[str] = (),
        scope: Scope = EVERYTHING,
    ) -> Scope:
        """`scope` bounded to files: those that match one of `paths` (patterns as in .gitignore)
        and are in one of `languages` (python, markdown …). Raises InvalidInput where none is."""
        return in_files(scope, self.store, paths=paths, languages=languages)

    def relations(
        self,
        of: str | None = None,
        *,
        type: str | None = None,  # noqa: A002 - the record's own word
        direction: Direction = "both",
        limit: int = 1000,
    ) -> list[Relation]:
        """Live relations, by id: all of them, or those at `of` (id, path or unique name)."""
        types = relation_types([type] if type else [], self.graph)
        if of is None:
            live = (r for r in every(self.graph, Relation) if not types or r.type in types)
            return list(islice(live, limit))
        entity_id = end_of_relation(self.graph, of).entity_id
        found = self.graph.neighbors(
            [entity_id], direction=direction, types=types, limit_per_id=limit
        )[entity_id]
        return sorted({r.rel_id: r for r in found}.values(), key=lambda r: r.rel_id)[:limit]

    def stats(self) -> Status:
        """How the memory is: counts, generation, spaces, age, what lacks a vector."""
        return status(self)

    def validate(self, *, strict: bool = False) -> "Validation":
        """What is wrong in the graph (errors) and what is doubtful (warnings); `strict` asks for
        the node types of a platform too."""
        from quipu.memory.validation import validate

        return validate(self.store, strict=strict)

    def export(
        self, path: str | Path, *, vectors: bool = False, overwrite: bool = False
    ) -> "Moved":
        """Write everything to `path` as JSON lines in a fixed order; whole or not at all."""
        from quipu.transfer import export

        return export(self.store, Path(path), vectors=vectors, overwrite=overwrite)

    def export_graph(
        self, path: str | Path, *, to: "GraphFormat", overwrite: bool = False
    ) -> "GraphWritten":
        """Write what is live of the graph for other programs, as `graphml` or `csv`; whole or not
        at all. Passages and history are not in it."""
        from quipu.transfer.formats import export_graph

        return export_graph(self.store, Path(path), to=to, overwrite=overwrite)

    def backup(self, path: str | Path, *, overwrite: bool = False) -> "BackedUp":
        """Write the whole memory, what was accepted and is not written yet included, to one
        file, while others may write; checked before it takes its place. Raises InvalidInput for
        a memory that is in no file, CorruptStore for one that is damaged."""
        from quipu.transfer.backup import backup

        database, state = self.home.database, self.home.state
        if database is None:
            raise InvalidInput(
                f"{self.home.shown!r} is not kept in a file: `quipu export` writes what it holds"
            )
        name, clock = self.home.name, self.clock
        return backup(database, state, Path(path), store=name, clock=clock, overwrite=overwrite)

    @staticmethod
    def restore(path: str | Path, url: str | Path | None = None) -> "BackedUp":
        """Make the memory at `url` (default: `.quipu/quipu.db` here) from what `backup` wrote,
        verified first. What was accepted and not written yet is done by the next command that
        writes. Raises InvalidInput where there is one already. Written at once."""
        from quipu.transfer.backup import restore

        home = find_home(url or Path.cwd() / DATABASE)
        database = home.database
        if database is None or home.state is None:
            raise InvalidInput(f"{home.shown!r} is not kept in a file: name a path with --store")
        # The user names the backup: what is made of it in a `.quipu` is the user's.
        own = partial(mark, home.state) if database.parent == home.state else lambda: None
        return restore(Path(path), database, home.state, begin=own)

    def import_(self, path: str | Path, *, progress: Progress | None = None) -> "Moved":
        """Take in what `export` wrote; again changes nothing. Records that break the schema are
        left out and named in `refused`. Raises InvalidInput with the line that cannot be used.
        Written at once."""
        from quipu.transfer import import_

        with self.writing:
            return import_(self.store, Path(path), clock=self.clock, progress=progress)

    def migrate(self, target: "Memory", *, progress: Progress | None = None) -> "Migrated":
        """Bring everything into `target`, a memory on any other store, with its history and its
        vectors as they are, and compare both to the last byte. Run again it goes on where it
        stopped. Written at once. Raises InvalidInput when the namespaces differ, or when the target
        holds what this memory does not."""
        from quipu.transfer import migrate

        places = [each.home.database or each.home.shown for each in (self, target)]
        if places[0] == places[1]:
            raise InvalidInput(
                f"{self.home.shown!r} is the store itself: name another to migrate to"
            )
        with target.writing:
            return migrate(self.store, target.store, clock=self.clock, progress=progress)

    def close(self) -> None:
        """Let go of the store; the memory cannot be used afterwards."""
        self.jobs.close()
        self.store.close()

    def __getattr__(self, name: str) -> Any:
        if name not in _OLD_NAMES:
            raise AttributeError(f"a memory has no {name!r}", name=name, obj=self)
        new, call = _OLD_NAMES[name]
        said = f"memory.{name} is called memory.{new} now, and goes with the next version"
        warnings.warn(said, DeprecationWarning, stacklevel=2)
        return call(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _paths(paths: Sequence[str | Path] | str | Path) -> tuple[Path, ...]:
    chosen = (paths,) if isinstance(paths, str | Path) else tuple(paths)
    return tuple(Path(path) for path in chosen)

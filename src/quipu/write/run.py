"""Runs the write way: survey, prepare, write, link, embed, report."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from quipu.embed.cache import CACHE, VectorCache
from quipu.kind import source_types
from quipu.limits import NAMED, ROWS_AT_ONCE
from quipu.ports import Progress, Store
from quipu.ports import Source as StoredSource
from quipu.read import read_source
from quipu.read.kinds import require_formats
from quipu.read.source import escaped
from quipu.records.document import Problem
from quipu.records.passage import PassageInput
from quipu.records.refs import FILE
from quipu.when.instants import Clock
from quipu.write.batches import BatchWriter
from quipu.write.dropped import Dropped
from quipu.write.embed import (
    EmbedReport,
    SpaceFiller,
    count_without_vector,
    lacking,
    written_chunks,
)
from quipu.write.kinds import upkeep_of_kinds
from quipu.write.links import Linker
from quipu.write.lock import WriteLock
from quipu.write.options import EmbeddedProfiles, IndexOptions, Upkeep
from quipu.write.passages import PassageTally, add_passages
from quipu.write.places import Places, Roots
from quipu.write.prepare import FileTask, Preparing, outcomes, preparing
from quipu.write.report import IndexReport, ProblemRow, rows, write_report_files
from quipu.write.stamps import Resolutions, Stamps
from quipu.write.survey import (
    Survey,
    Todo,
    check_roots,
    git_head,
    kept_up,
    survey,
)
from quipu.write.texts import TextInput, add_text
from quipu.write.words import recount_once, recount_words

_JOB_BYTES = 150_000
_JOB_SOURCES = 64
_WORTH_WORKERS_BYTES = 1_500_000
"""Below this, starting processes takes longer than it saves."""
_OUTDATED = "unchanged files read again, since this version of Quipu reads more of them: {:,}"


class _Vectors(NamedTuple):
    """How many vectors were made, how long that took, and what went wrong."""

    made: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


class Indexer:
    """The write way over one store; `shelves` give the models when they are first needed.

    `maker` names the store and the version of the program: what was linked under another name is
    linked again.
    """

    def __init__(
        self,
        store: Store,
        *,
        home: Path,
        state: Path | None,
        options: IndexOptions,
        shelves: Sequence[EmbeddedProfiles],
        clock: Clock,
        maker: str,
        dropped: Callable[[], Dropped] | None = None,
        roots: Roots,
    ) -> None:
        self._store = store
        self._roots = roots
        self._places = Places(home)
        self.state: Final = state
        self.options: Final = options
        self._shelves = options.cluster.shelves(shelves) if options.cluster else shelves
        self._clock = clock
        self._dropped = dropped
        self._turns = WriteLock(state)
        self._embedding = WriteLock(state, "embed.lock")
        self._key = f"{maker} {store.namespace}"
        self._resolved = Resolutions(state, self._key)

    def run(
        self,
        paths: Sequence[Path],
        *,
        again: bool,
        embed: bool,
        progress: Progress | None,
        upkeep: Upkeep | None = None,
    ) -> IndexReport:
        """Bring the store up to date with the files in `paths` (default: the home folder)."""
        began = time.monotonic()
        roots = check_roots(paths, self._places.home)
        require_formats()
        self._recount_once()
        surveyed_at, sources = self._store.sequence(), self._store.sources()
        found = self._survey(roots, sources, again, upkeep, progress)
        writer = self._writer(surveyed_at=surveyed_at)
        writer.remove(found.removed)
        problems = [*found.problems, *self._write_files(found, writer, progress)]
        if found.todo or found.removed:
            sources = self._store.sources()
        unresolved = self._link(sources, progress, again=again)
        if found.todo or found.removed:
            types = {s.source_type for s in sources}
            for each in upkeep_of_kinds():
                each.after_index(self._store, types, clock=self._clock)
        files = [s.source_ref for s in sources if s.source_type == FILE]
        report = self._report(
            writer,
            problems,
            self._embed(embed, progress),
            began,
            **_of_files(found, writer, problems),
            documents=sum(map(self._places.within(roots), files)),
            unresolved=unresolved,
        )
        if upkeep is None or not upkeep.alone:
            self._write_report(report.errors, len(files), roots[0])
        return report

    def _survey(
        self,
        roots: Sequence[Path],
        sources: Sequence[StoredSource],
        again: bool,
        upkeep: Upkeep | None,
        progress: Progress | None,
    ) -> Survey:
        """What has to be done, of which a run that nobody asked for leaves out what was
        forgotten."""
        if upkeep is None:
            self._roots.add(map(self._places.ref, roots))
        found = survey(
            sources,
            self._store.namespace,
            roots,
            self._places,
            self.options,
            Stamps(self.state, self._key),
            only=upkeep.refs if upkeep and upkeep.alone else None,
            again=again,
            as_read=upkeep is not None,
            progress=progress,
        )
        paths = [each.entry.path for each in found.todo]
        if upkeep is not None:
            return kept_up(found, upkeep, self._roots.left_out_of(paths))
        self._roots.take_back(paths)
        return found

    def _writer(
        self,
        *,
        surveyed_at: int | None = None,
        dropped: Callable[[], Dropped] | None = None,
    ) -> BatchWriter:
        return BatchWriter(
            self._store,
            turns=self._turns,
            clock=self._clock,
            surveyed_at=surveyed_at,
            dropped=dropped,
            authority=self.options.authority,
        )

    def _report(
        self,
        writer: BatchWriter,
        problems: Sequence[Problem],
        vectors: _Vectors,
        began: float,
        **more: Any,
    ) -> IndexReport:
        """What a run did; `more` is what only some kinds of run know."""
        nothing: dict[str, Any] = dict.fromkeys(("added", "changed", "removed", "renamed"), ())
        given: dict[str, Any] = {**nothing, "unresolved": 0, **more}
        given["notes"] = (*more.get("notes", ()), *vectors.notes)
        return IndexReport(
            chunks=self._store.counts(("chunk",))["chunk"],
            errors=rows(problems, "error"),
            warnings=rows(problems, "warning"),
            redacted=dict(sorted(writer.redacted.items())),
            extracted=dict(writer.extracted),
            embedded=vectors.made,
            unembedded=lacking(self._store, self._shelves),
            sequence=self._store.sequence(),
            seconds=time.monotonic() - began,
            embed_seconds=vectors.seconds,
            **given,
        )

    def _write_report(self, errors: Sequence[ProblemRow], documents: int, root: Path) -> None:
        if self.state is not None:
            write_report_files(
                self.state,
                errors,
                document_count=documents,
                source_sha=git_head(root if root.is_dir() else root.parent),
                generated_at=self._clock(),
            )

    def add_text(
        self, given: TextInput, *, embed: bool, progress: Progress | None = None
    ) -> IndexReport:
        """Remember one text that was settled when it was given."""

        def fill(writer: BatchWriter) -> PassageTally:
            with self.workers(0) as workers:
                extract = self.options.extract
                return add_text(given, self._store, writer, workers, extract=extract)

        return self.added(fill, embed, progress)

    def add_passages(
        self, passages: Iterable[PassageInput], *, embed: bool, progress: Progress | None
    ) -> IndexReport:
        """Remember ready passages, streamed; what is there already is not written again."""

        def fill(writer: BatchWriter) -> PassageTally:
            rest = iter(passages)
            first = list(islice(rest, ROWS_AT_ONCE))
            size = (
                sum(len(p.text) for p in first)
                if len(first) < ROWS_AT_ONCE
                else _WORTH_WORKERS_BYTES
            )
            given = chain(first, rest)
            with self.workers(size) as workers:
                return add_passages(
                    given,
                    self._store,
                    writer,
                    workers,
                    clock=self._clock,
                    extract=self.options.extract,
                    progress=progress,
                )

        return self.added(fill, embed, progress)

    def added(
        self, fill: Callable[[BatchWriter], PassageTally], embed: bool, progress: Progress | None
    ) -> IndexReport:
        """What `fill` did with a writer, then the vectors of what it wrote, as a report. Where
        much lacked one before, that waits for a run: a write takes as long as it is large."""
        return self._added(fill, embed, progress, since=self._store.sequence())

    def embed_lacking(self, *, progress: Progress | None) -> IndexReport:
        """Vectors for all that lacks them, as a report."""
        return self._added(lambda _: PassageTally(), True, progress, since=None)

    def embed_since(self, sequence: int, *, progress: Progress | None = None) -> int:
        """Vectors for what was written above `sequence` in the store's change log; how many
        passages of it have none yet."""
        self._embed(True, progress, since=sequence)
        return count_without_vector(self._store, written_chunks(self._store, sequence))

    def _added(
        self,
        fill: Callable[[BatchWriter], PassageTally],
        embed: bool,
        progress: Progress | None,
        *,
        since: int | None,
    ) -> IndexReport:
        began = time.monotonic()
        self._recount_once()
        writer = self._writer(dropped=self._dropped)
        tally = fill(writer)
        return self._report(
            writer,
            tally.problems,
            self._embed(embed, progress, since=since),
            began,
            documents=tally.documents,
            added=tuple(tally.added),
            unchanged=tally.unchanged,
            refused=dict(tally.refused),
        )

    def _recount_once(self) -> None:
        recount_once(self._store, self._clock, self.state, self._key)

    def recount_words(self) -> int:
        """Index passages by the words of today; return how many an earlier version had divided
        into others."""
        return recount_words(self._store, self._clock)

    def reindex(
        self,
        model_version: str | None,
        *,
        keep_old: bool,
        progress: Progress | None,
    ) -> EmbedReport:
        """Embed everything, then drop the spaces that no model fills."""
        filler = self._filler(progress)
        return filler.reindex(self._shelves, model_version, keep_old=keep_old)

    def _filler(self, progress: Progress | None) -> SpaceFiller:
        return SpaceFiller(
            store=self._store,
            clock=self._clock,
            open_cache=self._cache,
            progress=progress,
            threads=self.options.threads or os.cpu_count() or 1,
            turns=self._embedding,
        )

    def _write_files(
        self, found: Survey, writer: BatchWriter, progress: Progress | None
    ) -> list[Problem]:
        problems: list[Problem] = []
        episodes = {t.entry.path: t.episode_id for t in found.todo}
        total, done = len(found.todo), 0
        size = sum(t.entry.size for t in found.todo)
        with self.workers(size) as workers:
            for prepared in outcomes(workers, _jobs(self._tasks(found.todo, problems))):
                done += 1
                problems += prepared.problems
                if prepared.episode is not None:
                    writer.add_surveyed(prepared, episodes[prepared.ref])
                if progress:
                    progress("read", done, total)
        writer.flush()
        return problems

    def _tasks(self, todo: Sequence[Todo], problems: list[Problem]) -> Iterator[FileTask]:
        now = self._clock()
        for each in todo:
            source = read_source(each.entry)
            if isinstance(source, Problem):
                problems.append(source)
                continue
            yield FileTask(
                source=source,
                document_id=each.document_id,
                source_type=FILE,
                replaces=each.replaces,
                namespace=self._store.namespace,
                ingested_at=now,
            )

    def _link(
        self, sources: Sequence[StoredSource], progress: Progress | None, *, again: bool = False
    ) -> int:
        """Resolve references whose targets may have changed; how many have no target. Those of
        what was read `again` are resolved whatever is known of them."""
        if again:
            self._resolved.set([])
        left_out = source_types("unlinked")
        linker = Linker(
            store=self._store,
            kept=self._resolved,
            turns=self._turns,
            clock=self._clock,
            authority=self.options.authority,
            progress=progress,
        )
        return linker.link([s for s in sources if s.source_type not in left_out])

    def _embed(
        self, embed: bool, progress: Progress | None, *, since: int | None = None
    ) -> _Vectors:
        """Vectors for what lacks them (and was written above `since`, if that is given), if wanted
        and there is a model."""
        if not embed:
            return _Vectors()
        began = time.monotonic()
        done, notes = self._filler(progress).fill(self._shelves, since=since)
        return _Vectors(done, time.monotonic() - began if done else 0.0, notes)

    def _cache(self) -> VectorCache | None:
        if self.state is None or not self.options.cache_bytes:
            return None
        return VectorCache(self.state / CACHE, max_bytes=self.options.cache_bytes)

    def workers(self, size: int) -> Preparing:
        """Processes that prepare `size` bytes of sources, where that is worth it."""
        count = self.options.workers or (os.cpu_count() or 1)
        worth = count > 1 and size >= _WORTH_WORKERS_BYTES
        if worth and self.options.cluster is not None:
            return self.options.cluster.preparing(self.options.limits, self.options.attributes)
        return preparing(count if worth else 0, self.options.limits, self.options.attributes)


def _jobs(tasks: Iterable[FileTask]) -> Iterator[list[FileTask]]:
    job: list[FileTask] = []
    size = 0
    for task in tasks:
        job.append(task)
        size += len(task.source.data)
        if size >= _JOB_BYTES or len(job) >= _JOB_SOURCES:
            yield job
            job, size = [], 0
    if job:
        yield job


def _of_files(found: Survey, writer: BatchWriter, problems: Sequence[Problem]) -> dict[str, Any]:
    """What was done to the files, as the report tells it."""
    bad = {p.path for p in problems if p.severity == "error"}
    done = [t for t in found.todo if t.entry.path in writer.written]
    by_others = sum(t.entry.path not in writer.written | bad for t in found.todo)
    paths = {
        state: tuple(escaped(t.entry.path) for t in done if t.state == state)
        for state in ("added", "changed")
    }
    renamed = [(t.replaces[0], t.entry.path) for t in done if t.state == "renamed"]
    notes = [_OUTDATED.format(found.outdated)] if found.outdated else []
    if found.shaped:
        notes.append(_of_shapes(list(found.shaped)))
    return {
        **paths,
        "renamed": tuple((escaped(old), escaped(new)) for old, new in renamed),
        "removed": tuple(map(escaped, found.removed)),
        "unchanged": found.unchanged + by_others,
        "credentials": tuple(
            ProblemRow(path=escaped(each.path), error=each.of) for each in found.credentials
        ),
        "left_out": dict((found.left_out + Counter(found.shaped.values())).most_common()),
        "notes": tuple(notes),
    }


def _of_shapes(refs: Sequence[str]) -> str:
    """A note that names the first of the files that were left out by what they look like."""
    named = ", ".join(map(escaped, refs[:NAMED]))
    rest = f" and {len(refs) - NAMED:,} more" if len(refs) > NAMED else ""
    return (
        f"left out by what they look like, as a program wrote them: {named}{rest}; a line such as "
        f"`!{escaped(PurePosixPath(refs[0]).name)}` in .quipuignore has one read"
    )

"""What is accepted first and written after: the durable way into a memory.

What is given is written down as a job, worked on (normalize, extract, enrich, embed, graph, index,
audit) and ended. A process that is killed leaves its jobs to the next one that writes, or to
`resume`.
"""

import logging
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from quipu.errors import Mistake, QuipuError, StoreUnavailable
from quipu.handle.handle import Handle
from quipu.kinds.conversations.api import Conversations
from quipu.kinds.work.model import GivenFiles
from quipu.limits import LISTED
from quipu.memory import payloads
from quipu.ports import Progress
from quipu.records.document import Problem
from quipu.write.dropped import NOTHING

if TYPE_CHECKING:
    from threading import Event

    from quipu.kinds.conversations.model import Transcript
    from quipu.ledger import Salvaged
    from quipu.memory.extraction import Extracted, ExtractionProgress
    from quipu.write.jobs import Given, Job, Stage
    from quipu.write.report import IndexReport

__all__ = ["JobQueue"]

_log = logging.getLogger(__name__)
_STAGE_OF: "dict[str, Stage]" = {"read": "extract", "embed": "embed", "extract": "extract"}


class JobQueue:
    """The jobs of one memory. Called, it gives those that are open and the last that ended, the
    latest first."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._conversations = Conversations(handle)
        self._took_up = False  # whether what other processes left undone was looked for

    def __call__(self) -> "list[Job]":
        """The jobs that are open and the last that ended, the latest first."""
        return self._handle.stored_jobs.list()

    def get(self, job_id: str) -> "Job":
        """How a job stands. Raises UnknownRecord."""
        return self._handle.stored_jobs.get(job_id)

    def accept(self, given: "Sequence[Given]") -> "list[Job]":
        """Write down what is to be stored, all or none: a job each, in order, that is not lost
        from here on. `work_on` does them."""
        if not given:
            return []
        with self._handle.writing:
            jobs = self._handle.stored_jobs.accept(given)
            if not self._took_up:
                self._took_up = True
                # What an earlier one has to wait on fails no later one.
                with suppress(QuipuError, OSError):
                    self.resume(embed=False)
            return jobs

    def do(
        self,
        given: "Given",
        *,
        embed: bool = True,
        progress: Progress | None = None,
        problems: Sequence[Problem] = (),
        fetch: "Callable[..., IndexReport] | None" = None,
    ) -> "Job":
        """Accept one job and work on it; how it ended. `problems` were met before, `fetch` stands
        in for the URLs that the job holds."""
        (job,) = self.accept([given])
        return self._work(job, embed=embed, progress=progress, problems=problems, fetch=fetch)

    def do_transcripts(
        self, given: "Sequence[Transcript | Problem]", *, embed: bool, progress: Progress | None
    ) -> "Job":
        """`do` for transcripts, and the problems that were met when they were read."""
        problems = [each.at_line() for each in given if isinstance(each, Problem)]
        rest = payloads.given_transcripts(each for each in given if not isinstance(each, Problem))
        return self.do(rest, embed=embed, progress=progress, problems=problems)

    def follow(
        self,
        paths: Sequence[str | Path] | str | Path,
        *,
        embed: bool = True,
        stop: "Event | None" = None,
    ) -> "Iterator[Job]":
        """Remember the transcripts in files and folders now and whenever they grow: a job for
        each time there was something new or wrong. A line that is cut waits for its end. Ends
        when `stop` is set, or on Ctrl-C. Raises InvalidInput for a path that is not there.
        Accepted as a job first."""
        from quipu.kinds.conversations.read.files import Follower
        from quipu.write.watch import changes_in

        chosen = payloads.existing(paths)
        with self._handle.guard() as call:
            follower = Follower(chosen, call=call)
            for _ in chain([0], changes_in(chosen, self._handle.home.state, stop=stop)):
                found = list(follower.look())
                if found:
                    job = self.do_transcripts(found, embed=embed, progress=None)
                    if job.added or job.errors:
                        yield job

    def resume(self, *, embed: bool = True) -> "list[Job]":
        """Do what was accepted and left undone, the oldest first; how each job ended. What this
        user did not accept on this machine is left alone, and said (`quipu trust` shows it)."""
        home = self._handle.home
        # In a store on a server they are of another user or machine, which works on them.
        if home.database is not None and (left := len(self._handle.stored_jobs.unsealed())):
            _log.warning(
                "%d open jobs in %r were not accepted by you on this machine and are not worked "
                "on: `quipu trust %s` shows them",
                left,
                str(home.state),
                shlex.quote(str(home.folder)),
            )
        return [done for done, _ in self.work_on(self._handle.stored_jobs.abandoned(), embed=embed)]

    def work_on(
        self, jobs: "Sequence[Job]", *, embed: bool = True
    ) -> "Iterator[tuple[Job, Mistake | None]]":
        """Do jobs that this process has accepted or taken up, in order: how each ended, with the
        mistake that ended it. When one cannot be done now, it and those behind it are left to
        whoever comes next, and the error is raised."""
        for at, job in enumerate(jobs):
            try:
                yield self._work(job, embed=embed), None
            except Mistake as error:
                yield self._handle.stored_jobs.get(job.job_id), error
            except (QuipuError, OSError):
                for later in jobs[at + 1 :]:
                    self._handle.stored_jobs.release(later)
                raise

    def salvage(self) -> "Salvaged":
        """Put a damaged `ops.db` (API keys, runs, and the jobs of an earlier version) aside and
        begin another. Nothing else should be using it. Raises StoreUnavailable, also where there
        is none."""
        from quipu.ledger import LEDGER, salvage

        state = self._handle.home.state
        if state is None or not (state / LEDGER).exists():
            raise StoreUnavailable(f"there is no {LEDGER} here: there is nothing to salvage")
        with self._handle.writing:
            self._handle.let_go_of_jobs()
            self._took_up = False
            return salvage(state / LEDGER)

    def read_facts(self, *, progress: Progress | None = None) -> "Extracted":
        """Let the language model read what was given with `ingest.extract = "model"` and could
        not be read then; `stopped` says why some still waits. Written at once."""
        return self._reading.go_on(progress=progress)

    def close(self) -> None:
        """Let go of what is held for jobs."""
        self._handle.let_go_of_jobs()
        if "_reading" in self.__dict__:
            self._reading.close()

    @cached_property
    def _reading(self) -> "ExtractionProgress":
        from quipu.memory.extraction import ExtractionProgress

        return ExtractionProgress(self._handle)

    def _work(
        self,
        job: "Job",
        *,
        embed: bool,
        progress: Progress | None = None,
        problems: Sequence[Problem] = (),
        fetch: "Callable[..., IndexReport] | None" = None,
    ) -> "Job":
        handle = self._handle
        jobs = self._handle.stored_jobs
        payload = jobs.payload(job)
        if payload is None or payloads.without(NOTHING, job.kind, payload) is None:
            return jobs.lapse(job)
        present = jobs.begin(job)

        def on_progress(what: str, done: int, total: int) -> None:
            nonlocal present
            stage = _STAGE_OF.get(what, present.stage)
            if stage != present.stage:
                present = jobs.reach(present, stage)
            if progress:
                progress(what, done, total)

        def written(episode_id: str) -> bool:
            return bool(handle.store.support([episode_id])[episode_id])

        before = handle.dropped.set(lambda: jobs.dropped(present, written))
        try:
            reading = self._reading if handle.config.ingest.extract == "model" else None
            if reading is not None:
                reading.begin()
            if job.kind == payloads.PAGES:  # a slow server keeps nobody else from writing
                from quipu.kinds.pages.write import add_pages

                urls = payloads.read_urls(payload)
                do = fetch or partial(add_pages, handle, urls, network=None)
                report, result = do(embed=embed, progress=on_progress), ""
            else:
                with handle.writing:
                    report, result = self._write(job.kind, payload, embed, on_progress)
            read = reading.go_on(progress=on_progress) if reading is not None else None
        except Mistake as error:
            jobs.finish(_failed(present, str(error)))
            raise
        except (QuipuError, OSError):
            jobs.release(present)
            self._took_up = False
            raise
        finally:
            handle.dropped.reset(before)
        return jobs.finish(_done(present, report, result, problems, read))

    def _write(
        self, kind: str, payload: bytes, embed: bool, on_progress: Callable[[str, int, int], None]
    ) -> "tuple[IndexReport, str]":
        if kind == payloads.TEXT:
            from quipu.write.texts import episode_of

            text = payloads.read_text(payload)
            report = self._handle.indexer().add_text(text, embed=embed, progress=on_progress)
            return report, episode_of(text, self._handle.store.namespace)
        if kind == payloads.SESSIONS:
            given = payloads.read_transcripts(payload)
            return self._conversations.add_sessions(given, embed=embed, progress=on_progress), ""
        if kind == payloads.WORK:
            from quipu.kinds.work.write import add_records

            records = payloads.read_records(payload)
            return add_records(self._handle, records.records, seen=records.seen, embed=embed), ""
        return self._write_files(payloads.read_files(payload), embed, on_progress), ""

    def _write_files(
        self, given: GivenFiles, embed: bool, on_progress: Callable[[str, int, int], None]
    ) -> "IndexReport":
        """Goals and tasks where a file holds them, transcripts elsewhere."""
        from quipu.kinds.work.write import add_files
        from quipu.write.report import joined

        paths = [Path(path) for path in given.paths]
        report, work_files = add_files(self._handle, given, embed=embed, progress=on_progress)
        if report is not None and work_files is None:
            return report
        rest = self._conversations.add_transcripts(
            paths, skip=work_files or (), embed=embed, progress=on_progress
        )
        return rest if report is None else joined(report, rest)


def _failed(job: "Job", error: str) -> "Job":
    from quipu.write.report import ProblemRow

    row = ProblemRow(path=job.job_id, error=error)
    return msgspec.structs.replace(job, status="failed", errors=(row,))


def _done(
    job: "Job",
    report: "IndexReport",
    result: str,
    problems: Sequence[Problem],
    read: "Extracted | None",
) -> "Job":
    from quipu.write.jobs import STAGES, StageCount
    from quipu.write.report import rows

    errors = (*rows(problems, "error"), *report.errors)
    warnings = (*rows(problems, "warning"), *report.warnings)
    counts: dict[Any, int] = {
        "normalize": len(report.added) + report.unchanged + sum(report.refused.values()),
        "extract": report.extracted.get("facts", 0) + (read.facts if read else 0),
        "enrich": sum(report.redacted.values()),
        "embed": report.embedded,
        "graph": report.extracted.get("entities", 0) + report.extracted.get("relations", 0),
        "index": len(report.added),
        "audit": len(errors) + len(warnings),
    }
    reserved = [f"{row.path}: {row.error}" for row in warnings]
    skipped = [f"a fact was skipped: {why}" for why in read.skipped] if read else []
    notes = [
        *_first(reserved, "were read with a reservation"),
        *_first(skipped, "facts were skipped"),
    ]
    if read and read.stopped:
        notes.append(read.stopped)
    return msgspec.structs.replace(
        job,
        status="done",
        stage="audit",
        added=len(report.added),
        unchanged=report.unchanged,
        stages=tuple(StageCount(stage=stage, count=counts[stage]) for stage in STAGES),
        refused=report.refused,
        errors=errors,
        notes=(*report.notes, *notes),
        result=result,
    )


def _first(lines: Sequence[str], what: str) -> list[str]:
    """The first of some lines, and how many there are behind them."""
    more = len(lines) - LISTED
    return [*lines[:LISTED], *([f"{more:,} more {what}"] if more > 0 else [])]

"""The durable way in: what is given is written down as a job before it is worked on.

`add`, `ingest` and `ingest_sessions` accept (the job is on disk), work (normalize, extract, enrich,
embed, graph, index, audit) and end the job. A process that is killed leaves its jobs to the next
one that writes, or to `resume`.
"""

import logging
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

import msgspec

from quipu.errors import InvalidInput, Mistake, QuipuError, StoreUnavailable
from quipu.kinds.conversations.model import Transcript
from quipu.kinds.work.api import GivenFiles
from quipu.kinds.work.model import WorkKind
from quipu.memory.parts import Parts
from quipu.memory.payloads import (
    FILES,
    PAGES,
    SESSIONS,
    TEXT,
    WORK,
    GivenRecords,
    is_readable,
    kind_of_payload,
    read_files,
    read_records,
    read_text,
    read_transcripts,
    read_urls,
)
from quipu.records.document import Problem
from quipu.records.progress import Progress
from quipu.records.record import Properties
from quipu.trust import sealing_key
from quipu.when.instants import parse_instant
from quipu.write.state_files import forgetting_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Event

    from quipu.kinds.pages.crawl import Network
    from quipu.ledger import Salvaged
    from quipu.memory.extraction import Extracted, Reading
    from quipu.write.forget import Forgetting
    from quipu.write.jobs import Given, Job, Jobs, Stage
    from quipu.write.report import IndexReport
    from quipu.write.texts import TextInput

__all__ = ["Durable", "Message"]

Message = dict[str, object]


_log = logging.getLogger(__name__)
_SKIPPED = 20
_STAGE_OF: "dict[str, Stage]" = {"read": "extract", "embed": "embed", "extract": "extract"}


class Durable(Parts):
    """A memory that loses nothing it has accepted."""

    _took_up = False
    """Whether what other processes left undone was looked for."""

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
        text under it replaces the first, the same changes nothing. Markdown is understood.
        `observed_at` (any ISO date) is when it was true to say it, by default now; after
        `expires` it is no longer recalled.

        Messages (`{"role", "content"}`, as chat interfaces take them): the list of the whole
        session `session_id`; given again with more at its end, only what is new is written.

        It is not lost once this was called and did not raise a mistake: a kill in between is made
        good by the next process that writes. Raises InvalidInput for what cannot be remembered.
        """
        if not isinstance(text, str):
            return self.ingest_sessions(self._messages(text, session_id), embed=embed)
        from quipu.write.texts import TextInput, settled

        kept = dict(properties or {})
        if expires is not None:
            kept["expires"] = self._expiry(expires)
        given = TextInput(
            text=text,
            source_ref=source_ref or "",
            title=title,
            source_type=source_type,
            group=group,
            observed_at=observed_at or "",
            properties=kept,
        )
        return self._work(self.give([settled(given, self._clock())])[0], embed=embed).result

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
        for a path that is not there.
        """
        chosen = (paths,) if isinstance(paths, str | Path) else tuple(paths)
        absolute = [Path(path).expanduser().absolute() for path in chosen]
        for path in absolute:
            if not path.exists():
                raise InvalidInput(f"there is no {str(path)!r}: name a transcript or a folder")
        payload = msgspec.json.encode(GivenFiles(tuple(map(str, absolute)), kind))
        return self._work(self._accept(FILES, payload), embed=embed, progress=progress)

    def ingest_sessions(
        self,
        transcripts: Iterable[Transcript | Problem],
        *,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "Job":
        """Remember transcripts that were read already, whatever happens on the way."""
        from quipu.kinds.conversations.write import redacted_transcript

        given = list(transcripts)
        problems = [each for each in given if isinstance(each, Problem)]
        clean = [redacted_transcript(each) for each in given if isinstance(each, Transcript)]
        job = self._accept(SESSIONS, msgspec.json.encode(clean))
        return self._work(job, embed=embed, progress=progress, problems=problems)

    def ingest_work(
        self,
        records: Sequence[dict[str, object]],
        *,
        observed_at: str | None = None,
        embed: bool = True,
    ) -> "Job":
        """Remember records of goals and tasks (docs/how-to/goals.md). What names no date itself
        holds from `observed_at`, by default now."""
        seen = self._clock() if observed_at is None else parse_instant(observed_at)
        (job,) = self._accept_all([_given_work(records, seen)])
        return self._work(job, embed=embed)

    def give(
        self,
        texts: "Sequence[TextInput]",
        *,
        transcript: Transcript | None = None,
        records: Sequence[dict[str, object]] = (),
        seen: str = "",
    ) -> "list[Job]":
        """Accept settled texts, turns and records of goals and tasks, all or none: a job for each
        text in order, then one for the turns and one for the records. `work_on` does them."""
        from quipu.kinds.conversations.write import redacted_transcript
        from quipu.write.jobs import Given

        given = [self._given_text(text) for text in texts]
        if transcript is not None:
            payload = msgspec.json.encode([redacted_transcript(transcript)])
            given.append(Given(SESSIONS, payload))
        if records:
            given.append(_given_work(records, seen))
        return self._accept_all(given) if given else []

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
        """
        from quipu.kinds.pages.write import page_ref

        chosen = (urls,) if isinstance(urls, str) else tuple(urls)
        if not chosen:
            raise InvalidInput("there are no URLs to fetch: give at least one")
        job = self._accept(PAGES, msgspec.json.encode([page_ref(url) for url in chosen]))
        fetch = partial(self._pages.add_pages, chosen, network=network)
        return self._work(job, embed=embed, progress=progress, fetch=fetch)

    def follow(
        self,
        paths: Sequence[str | Path] | str | Path,
        *,
        embed: bool = True,
        stop: "Event | None" = None,
    ) -> "Iterator[Job]":
        """Remember the transcripts in files and folders now and whenever they grow: a job for
        each time there was something new or wrong. A line that is cut waits for its end. Ends
        when `stop` is set, or on Ctrl-C. Raises InvalidInput for a path that is not there."""
        from quipu.kinds.conversations.follow import Follower
        from quipu.write.watch import changes_in

        chosen = [Path(p) for p in ((paths,) if isinstance(paths, str | Path) else paths)]
        for path in chosen:
            if not path.exists():
                raise InvalidInput(f"there is no {str(path)!r}: name a transcript or a folder")
        with self.handle.guard() as call:
            follower = Follower(chosen, call=call)
            for _ in chain([0], changes_in(chosen, self.home.state, stop=stop)):
                found = list(follower.look())
                if found:
                    job = self.ingest_sessions(found, embed=embed)
                    if job.added or job.errors:
                        yield job

    def job(self, job_id: str) -> "Job":
        """How a job stands. Raises UnknownRecord."""
        return self._jobs.get(job_id)

    def jobs(self) -> "list[Job]":
        """The jobs that are open and the last that ended, the latest first."""
        return self._jobs.list()

    def resume(self, *, embed: bool = True) -> "list[Job]":
        """Do what was accepted and left undone, the oldest first; how each job ended. What this
        user did not accept on this machine is left alone, and said (`quipu trust` shows it)."""
        if left := len(self._jobs.unsealed()):
            folder = shlex.quote(str(self.home.folder))
            _log.warning(
                "%d open jobs in %r were not accepted by you on this machine and are not worked "
                "on: `quipu trust %s` shows them", left, str(self.home.state), folder,
            )  # fmt: skip
        return [done for done, _ in self.work_on(self._jobs.abandoned(), embed=embed)]

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
                yield self._jobs.get(job.job_id), error
            except QuipuError:
                for later in jobs[at + 1 :]:
                    self._jobs.release(later)
                raise

    def salvage_jobs(self) -> "Salvaged":
        """Keep what can be read of a damaged `ops.db`, which holds what was accepted and is not
        written yet, in a new one; the damaged one is put aside. Nothing else should be using it.
        Raises StoreUnavailable, also where there is none."""
        from quipu.ledger import LEDGER, salvage

        state = self.home.state
        if state is None or not (state / LEDGER).exists():
            raise StoreUnavailable(f"there is no {LEDGER} here: nothing was ever accepted")
        with self._writing:
            jobs = self.__dict__.pop("_jobs", None)
            if jobs is not None:
                jobs.close()
            self._took_up = False
            found = salvage(state / LEDGER)
            self._jobs.adopt(kind_of_payload)
            return found

    def read_facts(self, *, progress: Progress | None = None) -> "Extracted":
        """Let the language model read what was given with `ingest.extract = "model"` and could
        not be read then; `stopped` says why some still waits."""
        return self._reading.go_on(progress=progress)

    def finish_forgetting(self) -> None:
        """Carry out what a forgetting left that was killed; opening a memory does so."""
        state = self.home.state
        if state is not None and forgetting_file(state, self._name).exists():
            self._forgetting.finish()

    @cached_property
    def _forgetting(self) -> "Forgetting":
        from quipu.memory.payloads import left_of
        from quipu.write.forget import Forgetting

        return Forgetting(
            self.store,
            name=self._name,
            state=self.home.state,
            jobs=self._jobs_if_any,
            without=left_of,
        )

    def _jobs_if_any(self) -> "Jobs | None":
        """The jobs, unless none was ever accepted."""
        from quipu.ledger import LEDGER

        state = self.home.state
        kept = self.home.url != "memory:" and state is not None and (state / LEDGER).exists()
        return self._jobs if kept or "_jobs" in self.__dict__ else None

    @cached_property
    def _reading(self) -> "Reading":
        from quipu.memory.extraction import Reading

        return Reading(self.handle)

    @cached_property
    def _jobs(self) -> "Jobs":
        from quipu.write.jobs import Jobs

        volatile = self.home.url == "memory:"
        state = None if volatile else self.home.state
        return Jobs(state, self._name, self._clock, key=sealing_key())

    @property
    def _name(self) -> str:
        """What the local state calls this memory."""
        return f"{self.home.name}\0{self.store.namespace}"

    def _accept(self, kind: str, payload: bytes) -> "Job":
        from quipu.write.jobs import Given

        return self._accept_all([Given(kind, payload)])[0]

    def _given_text(self, text: "TextInput") -> "Given":
        from quipu.write.jobs import Given
        from quipu.write.texts import episode_of

        episode = episode_of(text, self.store.namespace)
        return Given(TEXT, msgspec.json.encode(text), text.source_ref, episode)

    def _accept_all(self, given: "Sequence[Given]") -> "list[Job]":
        with self._writing:
            jobs = self._jobs.accept(given)
            if not self._took_up:
                self._took_up = True
                with suppress(QuipuError):  # that an earlier one has to wait on fails no later one
                    self.resume(embed=False)
            return jobs

    def _work(
        self,
        job: "Job",
        *,
        embed: bool,
        progress: Progress | None = None,
        problems: Sequence[Problem] = (),
        fetch: "Callable[..., IndexReport] | None" = None,
    ) -> "Job":
        jobs = self._jobs
        payload = jobs.payload(job)
        if payload is None or not is_readable(job.kind, payload):
            return jobs.lapse(job)
        present = jobs.begin(job)

        def told(what: str, done: int, total: int) -> None:
            nonlocal present
            stage = _STAGE_OF.get(what, present.stage)
            if stage != present.stage:
                present = jobs.reach(present, stage)
            if progress:
                progress(what, done, total)

        before = self._dropped.set(lambda: jobs.dropped(present, self._was_written))
        try:
            reading = self._reading if self.config.ingest.extract == "model" else None
            if reading is not None:
                reading.begin()
            if job.kind == PAGES:  # a slow server keeps nobody else from writing
                do = fetch or partial(self._pages.add_pages, read_urls(payload))
                report, result = do(embed=embed, progress=told), ""
            else:
                with self._writing:
                    report, result = self._do(job.kind, payload, embed, told)
            read = reading.go_on(progress=told) if reading is not None else None
        except Mistake as error:
            jobs.finish(_failed(present, str(error)))
            raise
        except QuipuError:
            jobs.release(present)
            self._took_up = False
            raise
        finally:
            self._dropped.reset(before)
        return jobs.finish(_done(present, report, result, problems, read))

    def _was_written(self, episode_id: str) -> bool:
        return bool(self.store.support([episode_id])[episode_id])

    def _do(
        self, kind: str, payload: bytes, embed: bool, told: Callable[[str, int, int], None]
    ) -> "tuple[IndexReport, str]":
        if kind == TEXT:
            from quipu.write.texts import episode_of

            given = read_text(payload)
            report = self._indexer().add_text(given, embed=embed, progress=told)
            return report, episode_of(given, self.store.namespace)
        if kind == SESSIONS:
            given = read_transcripts(payload)
            return self.add_sessions(given, embed=embed, progress=told), ""
        if kind == WORK:
            records = read_records(payload)
            return self._works.add_records(records.records, seen=records.seen, embed=embed), ""
        return self._add_files(read_files(payload), embed, told), ""

    def _add_files(
        self, given: GivenFiles, embed: bool, told: Callable[[str, int, int], None]
    ) -> "IndexReport":
        """Goals and tasks where a file holds them, transcripts elsewhere."""
        from quipu.write.report import joined

        paths = [Path(path) for path in given.paths]
        report, held = self._works.add_files(given, embed=embed, progress=told)
        if report is not None and held is None:
            return report
        rest = self.add_transcripts(paths, skip=held or (), embed=embed, progress=told)
        return rest if report is None else joined(report, rest)

    def _messages(self, messages: Sequence[Message], session_id: str) -> list[Transcript | Problem]:
        from quipu.kinds.conversations.read.messages import read_messages

        if not session_id.strip():
            raise InvalidInput("the session has no id: give one, for example 'planning-1'")
        read = read_messages(session_id, list(messages), stem=session_id)
        return [*read.problems, *read.transcripts]

    def _expiry(self, expires: str) -> str:
        from quipu.handle.dates import first_instant

        return first_instant(expires)

    def close(self) -> None:
        """Let go of the store; the memory cannot be used afterwards."""
        for each in ("_jobs", "_reading"):
            if each in self.__dict__:
                self.__dict__[each].close()
        self.store.close()


def _given_work(records: Sequence[dict[str, object]], seen: str) -> "Given":
    from quipu.read.redact_values import Redactor
    from quipu.write.jobs import Given

    clean = [Redactor().properties(cast("Properties", record)) for record in records]
    return Given(WORK, msgspec.json.encode(GivenRecords(tuple(clean), seen)))


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
    from quipu.write.run import rows

    errors = (*rows(problems, "error"), *report.errors)
    counts: dict[Any, int] = {
        "normalize": len(report.added) + report.unchanged + sum(report.refused.values()),
        "extract": report.extracted.get("facts", 0) + (read.facts if read else 0),
        "enrich": sum(report.redacted.values()),
        "embed": report.embedded,
        "graph": report.extracted.get("entities", 0) + report.extracted.get("relations", 0),
        "index": len(report.added),
        "audit": len(errors) + len(report.warnings),
    }
    return msgspec.structs.replace(
        job,
        status="done",
        stage="audit",
        added=len(report.added),
        unchanged=report.unchanged,
        stages=tuple(StageCount(stage=stage, count=counts[stage]) for stage in STAGES),
        refused=report.refused,
        errors=errors,
        notes=(*report.notes, *(_said(read) if read else ())),
        result=result,
    )


def _said(read: "Extracted") -> "Iterator[str]":
    for each in read.skipped[:_SKIPPED]:
        yield f"a fact was skipped: {each}"
    if len(read.skipped) > _SKIPPED:
        yield f"{len(read.skipped) - _SKIPPED} more facts were skipped"
    if read.stopped:
        yield read.stopped

"""Jobs: what was accepted is written down before it is worked on, so a kill loses nothing.

A job is a row of the store: what it is and what may still become of it, a seal that says that this
user accepted it on this machine, and, until it has ended, what it is to write. One that somebody
else put into the store is never worked on. Every process that works holds a lock file for as long
as it lives; a job whose worker's lock is free belongs to nobody and is taken up again. All writing
is idempotent, so a job that was half done is done again whole.

Jobs are numbered as they are accepted; no clock says which came first. What is forgotten, or
replaced by a later job, is taken out of the payloads that wait, and named in the row: a process
that has read the payload already asks again (`dropped`) in the transaction that writes.
"""

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

import msgspec

from quipu.errors import CorruptStore, UnknownRecord
from quipu.limits import ERRORS_LISTED
from quipu.ports import JobRow, Store
from quipu.when.instants import Clock
from quipu.write.dropped import EVERYTHING, Dropped
from quipu.write.lock import Holder
from quipu.write.report import ProblemRow

__all__ = [
    "STAGES",
    "Given",
    "Job",
    "JobStatus",
    "Jobs",
    "KeptJob",
    "Stage",
    "StageCount",
    "Waiting",
    "accepted",
    "sealed",
]

JobStatus: TypeAlias = Literal["accepted", "running", "done", "failed"]
Stage: TypeAlias = Literal["normalize", "extract", "enrich", "embed", "graph", "index", "audit"]
STAGES: Final[tuple[Stage, ...]] = (
    "normalize",
    "extract",
    "enrich",
    "embed",
    "graph",
    "index",
    "audit",
)

_ENDED_JOBS_KEPT = 1_000
_FORGOTTEN: Final = "what it was to write was forgotten before it was written"
_LOST: Final = "what it was to write was lost when the store was damaged: give it again"
_REPLACED: Final = "a text that was given later under the same reference took its place"


class StageCount(msgspec.Struct, frozen=True, kw_only=True):
    """How much went through one stage: normalize counts sources, extract facts, enrich secrets
    taken out, embed vectors, graph entities and relations, index passages, audit problems."""

    stage: Annotated[Stage, "its name"]
    count: Annotated[
        int, "what went through it: sources, facts, secrets, vectors, records, passages or problems"
    ]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A write that was accepted."""

    job_id: Annotated[str, "what `quipu jobs` shows it by"]
    kind: Annotated[str, "text, sessions, files, work or pages"]
    status: Annotated[JobStatus, "accepted, running, done or failed"]
    stage: Annotated[Stage, "how far it is"]
    accepted_at: Annotated[str, "when it was written down; from then on it is not lost"]
    updated_at: Annotated[str, "when it last moved on"]
    attempts: Annotated[int, "how often it was begun"] = 0
    added: Annotated[int, "how many sources were new"] = 0
    unchanged: Annotated[int, "how many were known already"] = 0
    stages: Annotated[tuple[StageCount, ...], "how much went through each stage"] = ()
    refused: Annotated[dict[str, int], "what was not kept, by rule"] = {}
    errors: Annotated[tuple[ProblemRow, ...], "what could not be read (the first hundred)"] = ()
    notes: Annotated[tuple[str, ...], "what else is worth knowing"] = ()
    result: Annotated[str, "the id of a text's episode, else empty"] = ""


class KeptJob(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a job's row: the job and what may still become of it. `ref` is what its text
    replaces, `episode` what it becomes, `forgotten` what it must not write any more, `dropped` why
    it writes nothing."""

    job: Job
    ref: str = ""
    episode: str = ""
    forgotten: tuple[str, ...] = ()
    dropped: str = ""


class Given(NamedTuple):
    """What is to be a job. A text says what reference it replaces and the episode it becomes."""

    kind: str
    payload: bytes
    ref: str = ""
    episode: str = ""


class Waiting(NamedTuple):
    """A job that has not ended, and what it is to write."""

    job: Job
    payload: bytes


_KEPT = msgspec.json.Decoder(KeptJob)
_WORKER = re.compile(r"\d+-[0-9a-f]{8}")
_encode = msgspec.json.encode
_with = msgspec.structs.replace

_workers_here: set[str] = set()
"""The workers of this process that hold no lock file: their stores are kept nowhere."""


class Jobs:
    """The jobs of one store and namespace."""

    def __init__(self, store: Store, workers: Path | None, clock: Clock, *, key: bytes) -> None:
        """`workers` is the folder of the lock files; `key` seals what is accepted
        (`quipu.trust.sealing_key`)."""
        self._store = store
        self._table = store.jobs
        self._folder = workers
        self._clock = clock
        self._key = key
        self._holder: Holder | None = None
        self._me = f"{os.getpid()}-{secrets.token_hex(4)}"

    def accept(self, given: Sequence[Given]) -> "list[Job]":
        """Write down what is to be stored, all of it or nothing; when this returns, it will not
        be lost."""
        self._hold()
        now = self._clock()

        def put_down() -> list[Job]:
            last = self._table.last()
            jobs: list[Job] = []
            for number, each in enumerate(given, last + 1):
                said = (self._store.namespace.encode(), now.encode(), str(number).encode())
                digest = hashlib.sha256(b"\0".join((*said, each.payload))).hexdigest()
                job = accepted(f"job_{digest[:24]}", each.kind, now)
                kept = KeptJob(job=job, ref=each.ref, episode=each.episode)
                seal = self._seal(job, each.payload)
                row = JobRow(number, job.job_id, 1, self._me, seal, _encode(kept))
                self._table.add(row, each.payload)
                jobs.append(job)
            if (last + len(jobs)) // _ENDED_JOBS_KEPT > last // _ENDED_JOBS_KEPT:
                self._prune()
            return jobs

        return self._store.atomically(put_down, durable=True)

    def get(self, job_id: str) -> Job:
        """The job with this id; UnknownRecord when there is none (only the last are kept)."""
        found = self._row(job_id)
        if found is None:
            raise UnknownRecord(f"there is no job {job_id!r}: `quipu jobs` lists those there are")
        return _kept(found).job

    def list(self) -> "list[Job]":
        """Every job that is known, the latest first."""
        return [_kept(row).job for row in reversed(self._table.rows())]

    def payload(self, job: Job) -> bytes | None:
        """What the job is to store; None when that was done."""
        found = self._row(job.job_id)
        return self._table.payload(found.job) if found else None

    def begin(self, job: Job) -> Job:
        """Say that this process works on the job now."""
        return self._put(_with(job, status="running", attempts=job.attempts + 1), self._me)

    def reach(self, job: Job, stage: Stage) -> Job:
        """Say how far the job is."""
        return self._put(_with(job, stage=stage), self._me)

    def release(self, job: Job) -> Job:
        """Leave the job to whoever comes next."""
        return self._put(_with(job, status="accepted"), "")

    def finish(self, job: Job) -> Job:
        """Say how the job ended (`done` or `failed`); its payload is let go of, and those of
        jobs that a done one came after and replaces."""
        ended = _with(_listed(job), updated_at=self._clock())

        def finish() -> Job:
            row = self._row(ended.job_id)
            if row is None:
                return ended
            kept = _kept(row)
            done = ended.status == "done"
            last = _with(ended, added=0, notes=(kept.dropped,)) if kept.dropped and done else ended
            body = _encode(_with(kept, job=last))
            self._table.change(row._replace(live=0, worker="", seal=b"", body=body))
            self._table.put_payload(row.job, None)
            if done and kept.ref and not kept.dropped:
                self._replace_before(row.job, kept.ref)
            return last

        return self._store.atomically(finish)

    def _replace_before(self, number: int, ref: str) -> None:
        """Let the earlier jobs of the same reference write nothing any more."""
        for row in self._table.rows(live=True):
            kept = _kept(row)
            if row.job < number and kept.ref == ref:
                self._table.change(row._replace(body=_encode(_with(kept, dropped=_REPLACED))))
                self._table.put_payload(row.job, None)

    def lapse(self, job: Job) -> Job:
        """End a job that has nothing left to write, if it has not ended."""
        row = self._row(job.job_id)
        if row is None or not row.live:
            return self.get(job.job_id)
        if _kept(row).dropped:
            return self.finish(_with(job, status="done", stage="audit"))
        lost = ProblemRow(path=job.job_id, error=_LOST)
        return self.finish(_with(job, status="failed", errors=(lost,)))

    def dropped(self, job: Job, was_written: Callable[[str], bool]) -> Dropped:
        """What the job must not write any more; asked in the transaction that writes.
        `was_written` says whether an episode was ever written."""
        row = self._row(job.job_id)
        kept = _kept(row) if row is not None and row.live else None
        if row is None or kept is None or kept.dropped:
            return EVERYTHING
        for later in self._table.rows(live=True) if kept.ref else ():
            other = _kept(later)
            if later.job > row.job and other.ref == kept.ref and was_written(other.episode):
                return EVERYTHING
        return Dropped(refs=frozenset(kept.forgotten))

    def hold(self, without: "Callable[[str, bytes], bytes | None]") -> bool:
        """Whether a job that is open holds anything that `without` (as in `let_go`) takes out."""
        return any(
            (payload := self._table.payload(row.job)) is not None
            and without(_kept(row).job.kind, payload) != payload
            for row in self._table.rows(live=True)
        )

    def let_go(
        self, refs: Collection[str], without: "Callable[[str, bytes], bytes | None]"
    ) -> None:
        """Take what was forgotten out of every job, whoever works on it, and out of what is told
        of those that ended. `without` gives a payload of a kind as it is without these sources,
        or None when nothing is left."""
        dropped = Dropped(refs=frozenset(refs))

        def take_out() -> None:
            for row in self._table.rows():
                kept = _untold(_kept(row), dropped)
                left = self._without(row, kept, refs, without) if row.live else _bodied(row, kept)
                if left != row:
                    self._table.change(left)

        self._store.atomically(take_out)

    def _without(
        self,
        row: JobRow,
        kept: KeptJob,
        refs: Collection[str],
        without: "Callable[[str, bytes], bytes | None]",
    ) -> JobRow:
        """The job without these sources, its payload rewritten and sealed as before."""
        payload = self._table.payload(row.job)
        left = None if payload is None else without(kept.job.kind, payload)
        if left != payload:
            if left is not None and payload is not None and self._is_sealed(row, kept.job, payload):
                row = row._replace(seal=self._seal(kept.job, left))
            self._table.put_payload(row.job, left)
        named = tuple(sorted({*kept.forgotten, *refs}))
        why = kept.dropped or ("" if left is not None else _FORGOTTEN)
        return _bodied(row, _with(kept, forgotten=named, dropped=why))

    def erase(self) -> None:
        """Leave no copy of what was let go of. Raises StoreUnavailable."""
        self._store.forget(())

    def abandoned(self) -> "list[Job]":
        """Jobs that this user accepted and that nobody works on any more, in the order in which
        they were accepted; each is this process's from now on."""
        self._hold()
        if not self._table.rows(live=True):
            return []

        def take_up() -> list[Job]:
            taken: list[Job] = []
            for row in self._table.rows(live=True):
                job, payload = _kept(row).job, self._table.payload(row.job)
                # What was let go of writes nothing and needs no seal.
                ours = payload is None or self._is_sealed(row, job, payload)
                if ours and row.worker != self._me and not self._is_alive(row.worker):
                    self._table.change(row._replace(worker=self._me))
                    taken.append(job)
            return taken

        return self._store.atomically(take_up)

    def unsealed(self) -> "list[Waiting]":
        """Jobs that have not ended and that this user did not accept here."""
        found: list[Waiting] = []
        for row in self._table.rows(live=True):
            payload = self._table.payload(row.job)
            with suppress(CorruptStore):  # not of our making
                job = _kept(row).job
                if payload is not None and not self._is_sealed(row, job, payload):
                    found.append(Waiting(job, payload))
        return found

    def seal(self, waiting: Waiting) -> None:
        """Let a job be worked on, as long as it is just what it is now."""

        def put_seal() -> None:
            row = self._row(waiting.job.job_id)
            if row is not None:
                seal = self._seal(waiting.job, waiting.payload)
                self._table.change(row._replace(seal=seal))

        self._store.atomically(put_seal)

    def close(self) -> None:
        """Let go of this process's lock."""
        _workers_here.discard(self._me)
        if self._holder is not None:
            self._holder.close()

    def _row(self, job_id: str) -> JobRow | None:
        return next(iter(self._table.rows(job_ids=[job_id])), None)

    def _put(self, job: Job, worker: str) -> Job:
        job = _with(job, updated_at=self._clock())

        def put() -> Job:
            row = self._row(job.job_id)
            if row is not None:
                body = _encode(_with(_kept(row), job=job))
                self._table.change(row._replace(worker=worker, body=body))
            return job

        return self._store.atomically(put)

    def _prune(self) -> None:
        """Keep the last thousand that ended."""
        ended = [row.job for row in self._table.rows() if not row.live]
        self._table.drop(ended[:-_ENDED_JOBS_KEPT])

    def _seal(self, job: Job, payload: bytes) -> bytes:
        return sealed(job, self._store.namespace, payload, self._key)

    def _is_sealed(self, row: JobRow, job: Job, payload: bytes) -> bool:
        same = job.job_id == row.job_id
        return same and hmac.compare_digest(row.seal, self._seal(job, payload))

    def _hold(self) -> None:
        if self._folder is None:
            _workers_here.add(self._me)
        elif self._holder is None:
            self._holder = Holder(self._folder / self._me)

    def _is_alive(self, worker: str) -> bool:
        if self._folder is None:
            return worker in _workers_here
        if not _WORKER.fullmatch(worker):  # a store may come from elsewhere: it names no file
            return False
        file = self._folder / worker
        if not file.exists():
            return False
        if Holder.is_locked(file):
            return True
        with suppress(OSError):
            file.unlink(missing_ok=True)
        return False


def accepted(job_id: str, kind: str, now: str) -> Job:
    """A job as it is accepted."""
    return Job(
        job_id=job_id,
        kind=kind,
        status="accepted",
        stage="normalize",
        accepted_at=now,
        updated_at=now,
    )


def sealed(job: Job, place: str, payload: bytes, key: bytes) -> bytes:
    """The seal of a job with this payload in the namespace `place`, made with `key`."""
    digest = hashlib.sha256(payload).hexdigest()
    plain = _encode([job.job_id, job.kind, place, digest])
    return hmac.digest(key, plain, "sha256")


def _kept(row: JobRow) -> KeptJob:
    try:
        return _KEPT.decode(row.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorruptStore(
            f"the job {row.job_id!r} cannot be read ({error}): restore a backup (quipu restore), "
            "or keep what can be read (quipu doctor --salvage)"
        ) from error


def _bodied(row: JobRow, kept: KeptJob) -> JobRow:
    return row._replace(body=_encode(kept))


def _untold(kept: KeptJob, dropped: Dropped) -> KeptJob:
    """The job without the rows that speak of what is dropped."""
    job = kept.job
    errors = tuple(e for e in job.errors if not dropped.speaks_of(f"{e.path} {e.error}"))
    notes = tuple(note for note in job.notes if not dropped.speaks_of(note))
    return _with(kept, job=_with(job, errors=errors, notes=notes))


def _listed(job: Job) -> Job:
    """The job as it is listed: the first errors and how many there are besides, and no secret that
    a URL in them holds."""
    from quipu.read.redact import without_url_secrets  # dear to import, and not to ask

    errors = tuple(
        ProblemRow(path=without_url_secrets(row.path), error=without_url_secrets(row.error))
        for row in job.errors[:ERRORS_LISTED]
    )
    notes = tuple(map(without_url_secrets, job.notes))
    if (more := len(job.errors) - ERRORS_LISTED) > 0:
        notes = (f"{more:,} more could not be read", *notes)
    return _with(job, errors=errors, notes=notes)

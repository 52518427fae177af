"""Jobs: what was accepted is written down before it is worked on, so a kill loses nothing.

A job is two entries of the ledger: what it is (`job`) and what it is to write (`payload`, gone
when it is done). A third, the seal, says that this user accepted it on this machine: a job that
somebody else put into the file is never worked on. Every process that works holds a lock file for
as long as it lives; a job whose worker's lock is free belongs to nobody and is taken up again. All
writing is idempotent, so a job that was half done is done again whole.
"""

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from quipu.domain.instants import Clock
from quipu.errors import UnknownRecord
from quipu.ingest.report import ProblemRow
from quipu.ingest.turns import Holder
from quipu.ledger import LEDGER, Entry, Ledger

__all__ = ["STAGES", "Job", "JobStatus", "Jobs", "Stage", "StageCount", "Waiting"]

JobStatus: TypeAlias = Literal["accepted", "running", "done", "failed"]
Stage: TypeAlias = Literal["normalize", "extract", "enrich", "embed", "graph", "index", "audit"]
STAGES: Final[tuple[Stage, ...]] = (
    "normalize", "extract", "enrich", "embed", "graph", "index", "audit",
)  # fmt: skip

_JOB, _PAYLOAD, _OPEN, _SEAL = "job", "payload", "open", "seal"
_KEPT = 1_000
_ERRORS = 100


class StageCount(msgspec.Struct, frozen=True, kw_only=True):
    """How much went through one stage: normalize counts sources, extract facts, enrich secrets
    taken out, embed vectors, graph entities and relations, index passages, audit problems."""

    stage: Stage
    count: int


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A write that was accepted. `result` is what it gave (an episode's id), `refused` counts
    junk by rule; `errors` holds the first hundred."""

    job_id: str
    kind: str
    status: JobStatus
    stage: Stage
    accepted_at: str
    updated_at: str
    attempts: int = 0
    added: int = 0
    unchanged: int = 0
    stages: tuple[StageCount, ...] = ()
    refused: dict[str, int] = {}
    errors: tuple[ProblemRow, ...] = ()
    notes: tuple[str, ...] = ()
    result: str = ""


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """A job as the ledger keeps it: with whose store it is for, and who works on it."""

    job: Job
    store: str
    worker: str = ""


class Waiting(NamedTuple):
    """An open job: of which store and namespace, and what it is to write."""

    job: Job
    store: bytes
    payload: bytes


_RECORDS = msgspec.json.Decoder(_Record)


class Jobs:
    """The jobs of one store and namespace, in the local state; without it, in this process."""

    def __init__(self, state: Path | None, store: str, clock: Clock, *, key: bytes) -> None:
        """`key` seals what is accepted (`quipu.trust.sealing_key`)."""
        self._key = key
        self._ledger = Ledger(state / LEDGER if state else ":memory:")
        self._folder = state / "workers" if state else None
        self._store = store
        self._clock = clock
        self._holder: Holder | None = None
        self._me = f"{os.getpid()}-{secrets.token_hex(4)}"

    def accept(self, kind: str, payload: bytes) -> Job:
        """Write down that `payload` is to be stored; when this returns, it will not be lost."""
        self._hold()
        now = self._clock()
        turn = 0
        while True:
            digest = hashlib.sha256(b"\0".join([self._store.encode(), now.encode(), payload]))
            digest.update(str(turn).encode())
            job_id = f"job_{digest.hexdigest()[:24]}"
            job = Job(
                job_id=job_id,
                kind=kind,
                status="accepted",
                stage="normalize",
                accepted_at=now,
                updated_at=now,
            )
            entries = {
                (_PAYLOAD, job_id): payload,
                (_OPEN, job_id): self._store.encode(),
                (_SEAL, job_id): self._seal(Waiting(job, self._store.encode(), payload)),
                (_JOB, job_id): self._record(job, self._me),
            }
            if self._ledger.put_new(entries):
                return job
            turn += 1

    def get(self, job_id: str) -> Job:
        """The job with this id; UnknownRecord when there is none (only the last are kept)."""
        entry = self._ledger.get(_JOB, job_id)
        record = _RECORDS.decode(entry.value) if entry else None
        if record is None or record.store != self._store:
            raise UnknownRecord(f"there is no job {job_id!r}: `quipu jobs` lists those there are")
        return record.job

    def list(self) -> "list[Job]":
        """Every job that is known, the latest first."""
        records = (_RECORDS.decode(entry.value) for entry in self._every(_JOB))
        jobs = [record.job for record in records if record.store == self._store]
        return sorted(jobs, key=lambda job: (job.accepted_at, job.job_id), reverse=True)

    def payload(self, job: Job) -> bytes | None:
        """What the job is to store; None when that was done."""
        entry = self._ledger.get(_PAYLOAD, job.job_id)
        return entry.value if entry else None

    def begin(self, job: Job) -> Job:
        """Say that this process works on the job now."""
        return self._put(
            msgspec.structs.replace(job, status="running", attempts=job.attempts + 1), self._me
        )

    def reach(self, job: Job, stage: Stage) -> Job:
        """Say how far the job is."""
        return self._put(msgspec.structs.replace(job, stage=stage), self._me)

    def release(self, job: Job) -> Job:
        """Leave the job to whoever comes next."""
        return self._put(msgspec.structs.replace(job, status="accepted"), "")

    def finish(self, job: Job) -> Job:
        """Say how the job ended (`done` or `failed`); its payload is let go of."""
        ended = self._put(msgspec.structs.replace(job, errors=job.errors[:_ERRORS]), "")
        self._ledger.delete(_PAYLOAD, job.job_id, durable=False)
        self._ledger.delete(_OPEN, job.job_id, durable=False)
        self._ledger.delete(_SEAL, job.job_id, durable=False)
        self._prune()
        return ended

    def abandoned(self) -> "list[Job]":
        """Jobs that this user accepted and that nobody works on any more, the oldest first; each
        is this process's from now on."""
        self._hold()
        taken: list[Job] = []
        for opened in self._every(_OPEN):
            entry = self._ledger.get(_JOB, opened.key)
            record = self._read(opened.key)
            payload = self._ledger.get(_PAYLOAD, opened.key)
            if entry is None or record is None or payload is None:
                continue
            if opened.value != self._store.encode() or record.worker == self._me:
                continue
            if not self._is_sealed(Waiting(record.job, opened.value, payload.value)):
                continue
            if self._is_alive(record.worker):
                continue
            mine = self._record(record.job, self._me)
            if self._ledger.put_if(_JOB, opened.key, entry.version, mine):
                taken.append(record.job)
        return sorted(taken, key=lambda job: (job.accepted_at, job.job_id))

    def unsealed(self) -> "list[Waiting]":
        """Open jobs of any store in this state that this user did not accept here, by id."""
        found: list[Waiting] = []
        for opened in self._every(_OPEN):
            entry = self._ledger.get(_PAYLOAD, opened.key)
            record = self._read(opened.key)
            if entry is None or record is None or record.job.job_id != opened.key:
                continue
            waiting = Waiting(record.job, opened.value, entry.value)
            if not self._is_sealed(waiting):
                found.append(waiting)
        return found

    def seal(self, waiting: "Waiting") -> None:
        """Let a job be worked on, as long as it is just what it is now."""
        held = self._ledger.get(_SEAL, waiting.job.job_id)
        made = self._seal(waiting)
        self._ledger.put_if(_SEAL, waiting.job.job_id, held.version if held else 0, made)

    def _seal(self, waiting: "Waiting") -> bytes:
        digest = hashlib.sha256(waiting.payload).hexdigest()
        plain = msgspec.json.encode(
            [waiting.job.job_id, waiting.job.kind, waiting.store.hex(), digest]
        )
        return hmac.digest(self._key, plain, "sha256")

    def _is_sealed(self, waiting: "Waiting") -> bool:
        held = self._ledger.get(_SEAL, waiting.job.job_id)
        return held is not None and hmac.compare_digest(held.value, self._seal(waiting))

    def _read(self, job_id: str) -> _Record | None:
        entry = self._ledger.get(_JOB, job_id)
        try:
            return _RECORDS.decode(entry.value) if entry else None
        except msgspec.DecodeError:  # not of our making
            return None

    def close(self) -> None:
        """Let go of the ledger and of this process's lock."""
        if self._holder is not None:
            self._holder.close()
        self._ledger.close()

    def _put(self, job: Job, worker: str) -> Job:
        job = msgspec.structs.replace(job, updated_at=self._clock())
        entry = self._ledger.get(_JOB, job.job_id)
        version = entry.version if entry else 0
        # Only that a job was accepted must outlive a power cut: what is lost here is done again.
        record = self._record(job, worker)
        self._ledger.put_if(_JOB, job.job_id, version, record, durable=False)
        return job

    def _record(self, job: Job, worker: str) -> bytes:
        return msgspec.json.encode(_Record(job=job, store=self._store, worker=worker))

    def _every(self, kind: str) -> "list[Entry]":
        found: list[Entry] = []
        while page := self._ledger.list(kind, after=found[-1].key if found else ""):
            found += page
        return found

    def _prune(self) -> None:
        """Keep the last thousand that ended; looked at now and then only."""
        entries = self._ledger.list(_JOB, limit=2 * _KEPT)
        if len(entries) < 2 * _KEPT:
            return
        jobs = [_RECORDS.decode(entry.value).job for entry in entries]
        ended = [job for job in jobs if job.status in {"done", "failed"}]
        ended.sort(key=lambda job: (job.updated_at, job.job_id))
        for job in ended[:-_KEPT]:
            self._ledger.delete(_JOB, job.job_id, durable=False)

    def _hold(self) -> None:
        if self._holder is None and self._folder is not None:
            self._holder = Holder(self._folder / self._me)

    def _is_alive(self, worker: str) -> bool:
        if not worker or self._folder is None:
            return False
        file = self._folder / worker
        if not file.exists():
            return False
        if Holder.is_held(file):
            return True
        with suppress(OSError):
            file.unlink(missing_ok=True)
        return False

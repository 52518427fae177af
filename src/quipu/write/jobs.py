"""Jobs: what was accepted is written down before it is worked on, so a kill loses nothing.

A job is four entries of the ledger: what it is (`job`), what it is to write (`payload`), as long as
it has not ended what may still become of it (`open`), and a seal that says that this user accepted
it on this machine: one that somebody else put into the file is never worked on. Every process that
works holds a lock file for as long as it lives; a job whose worker's lock is free belongs to nobody
and is taken up again. All writing is idempotent, so a job that was half done is done again whole.

Jobs are numbered as they are accepted; no clock says which came first. What is forgotten, or
replaced by a later job, is taken out of the payloads that wait, and named in `open`: a process that
has read the payload already asks again (`dropped`) when it writes.
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

import msgspec

from quipu.errors import CorruptStore, UnknownRecord
from quipu.ledger import LEDGER, Ledger, LedgerEntry, damaged
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
    "Stage",
    "StageCount",
    "Waiting",
    "adopt_jobs",
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

_JOB, _PAYLOAD, _OPEN, _SEAL, _COUNTER = "job", "payload", "open", "seal", "counter"
_KEPT = 1_000
_FORGOTTEN: Final = "what it was to write was forgotten before it was written"
_LOST: Final = "what it was to write was lost when the ledger was damaged: give it again"
_REPLACED: Final = "a text that was given later under the same reference took its place"
_ERRORS = 100


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


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """A job as the ledger keeps it: with whose store it is for, and who works on it."""

    job: Job
    store: str
    worker: str = ""
    number: int = 0


class _OpenJob(msgspec.Struct, frozen=True, kw_only=True):
    """What may still become of a job: `ref` is what its text replaces, `episode` what it becomes,
    `forgotten` what it must not write any more, `dropped` why it writes nothing."""

    store: str
    number: int = 0
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
    """An open job: of which store and namespace, and what it is to write."""

    job: Job
    store: str
    payload: bytes


_RECORDS = msgspec.json.Decoder(_Record)
_OPENED = msgspec.json.Decoder(_OpenJob)


class Jobs:
    """The jobs of one store and namespace, in the local state; without it, in this process."""

    def __init__(self, state: Path | None, store: str, clock: Clock, *, key: bytes) -> None:
        """`store` names the store and its namespace in the local state; `key` seals what is
        accepted (`quipu.trust.sealing_key`)."""
        self._key = key
        self._path = state / LEDGER if state else Path(":memory:")
        self._ledger = Ledger(self._path)
        self._folder = state / "workers" if state else None
        self._store = store
        self._clock = clock
        self._holder: Holder | None = None
        self._me = f"{os.getpid()}-{secrets.token_hex(4)}"

    def accept(self, given: Sequence[Given]) -> "list[Job]":
        """Write down what is to be stored, all of it or nothing; when this returns, it will not
        be lost."""
        self._hold()
        now = self._clock()
        with self._ledger.alone():
            number = self._counted(len(given))
            jobs = [self._new(each, number + n, now) for n, each in enumerate(given)]
            put: dict[tuple[str, str], bytes] = {}
            for n, (job, each) in enumerate(zip(jobs, given, strict=True), number):
                opened = _OpenJob(store=self._store, number=n, ref=each.ref, episode=each.episode)
                put[_PAYLOAD, job.job_id] = each.payload
                put[_OPEN, job.job_id] = msgspec.json.encode(opened)
                put[_SEAL, job.job_id] = self._seal(Waiting(job, self._store, each.payload))
                put[_JOB, job.job_id] = self._record(job, self._me, n)
            self._ledger.change(put=put)
        return jobs

    def _counted(self, many: int) -> int:
        """The first of so many numbers that no job has had."""
        entry = self._ledger.get(_COUNTER, _JOB)
        before = int(entry.value) if entry else 0
        self._ledger.change(put={(_COUNTER, _JOB): str(before + many).encode()})
        return before + 1

    def _new(self, given: Given, number: int, now: str) -> Job:
        said = [self._store.encode(), now.encode(), str(number).encode(), given.payload]
        turn = 0
        while True:
            digest = hashlib.sha256(b"\0".join([*said, str(turn).encode()]))
            job_id = f"job_{digest.hexdigest()[:24]}"
            if self._ledger.get(_JOB, job_id) is None:
                break
            turn += 1
        return Job(
            job_id=job_id,
            kind=given.kind,
            status="accepted",
            stage="normalize",
            accepted_at=now,
            updated_at=now,
        )

    def get(self, job_id: str) -> Job:
        """The job with this id; UnknownRecord when there is none (only the last are kept)."""
        entry = self._ledger.get(_JOB, job_id)
        record = self._read(entry) if entry else None
        if record is None or record.store != self._store:
            raise UnknownRecord(f"there is no job {job_id!r}: `quipu jobs` lists those there are")
        return record.job

    def list(self) -> "list[Job]":
        """Every job that is known, the latest first."""
        records = (self._read(entry) for entry in self._every(_JOB))
        mine = [record for record in records if record.store == self._store]
        mine.sort(key=_order, reverse=True)
        return [record.job for record in mine]

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
        """Say how the job ended (`done` or `failed`); its payload is let go of, and those of
        jobs that a done one came after and replaces."""
        job = msgspec.structs.replace(_listed(job), updated_at=self._clock())
        key = job.job_id
        with self._ledger.alone(durable=False):
            entry, opened = self._ledger.get(_JOB, key), self._opened(key)
            number = self._read(entry).number if entry else 0
            if opened is not None and opened.dropped and job.status == "done":
                job = msgspec.structs.replace(job, added=0, notes=(opened.dropped,))
            put = {(_JOB, key): self._record(job, "", number)}
            delete = [(_PAYLOAD, key), (_OPEN, key), (_SEAL, key)]
            if opened is not None and job.status == "done" and not opened.dropped:
                for other, each in self._open_jobs():
                    if each.ref and each.ref == opened.ref and each.number < opened.number:
                        left = msgspec.structs.replace(each, dropped=_REPLACED)
                        put[_OPEN, other] = msgspec.json.encode(left)
                        delete.append((_PAYLOAD, other))
            self._ledger.change(put=put, delete=delete)
        self._prune()
        return job

    def lapse(self, job: Job) -> Job:
        """End a job that has nothing left to write, if it has not ended."""
        opened = self._opened(job.job_id)
        if opened is None:
            return self.get(job.job_id)
        if opened.dropped:
            return self.finish(msgspec.structs.replace(job, status="done", stage="audit"))
        row = ProblemRow(path=job.job_id, error=_LOST)
        return self.finish(msgspec.structs.replace(job, status="failed", errors=(row,)))

    def adopt(self, kind_of: Callable[[bytes], str]) -> None:
        """After the ledger was salvaged: let every payload that is left belong to a job again."""
        for entry in self._every(_PAYLOAD):
            key, stored = entry.key, self._ledger.get(_JOB, entry.key)
            if self._ledger.get(_OPEN, key) is not None and stored is not None:
                continue
            opened = self._opened(key)
            with suppress(CorruptStore):
                record = self._read(stored) if stored else None
                if record is None:
                    now = self._clock()
                    job = Job(
                        job_id=key,
                        kind=kind_of(entry.value),
                        status="accepted",
                        stage="normalize",
                        accepted_at=now,
                        updated_at=now,
                    )
                    number = opened.number if opened else 0
                    record = _Record(job=job, store=self._store, number=number)
                if opened is None:
                    opened = _OpenJob(store=record.store, number=record.number)
                put = {(_OPEN, key): msgspec.json.encode(opened)}
                put[_JOB, key] = msgspec.json.encode(record)
                self._ledger.change(put=put)

    def dropped(self, job: Job, was_written: Callable[[str], bool]) -> Dropped:
        """What the job must not write any more; asked while nobody else writes.
        `was_written` says whether an episode was ever written."""
        opened = self._opened(job.job_id)
        if opened is None or opened.dropped:
            return EVERYTHING
        for _, each in self._open_jobs() if opened.ref else ():
            later = each.ref == opened.ref and each.number > opened.number
            if later and was_written(each.episode):
                return EVERYTHING
        return Dropped(refs=frozenset(opened.forgotten))

    def hold(self, without: "Callable[[str, bytes], bytes | None]") -> bool:
        """Whether a job that is open holds anything that `without` (as in `let_go`) takes out."""
        return any(
            (payload := self._ledger.get(_PAYLOAD, key)) is not None
            and without(self._kind(key), payload.value) != payload.value
            for key, _ in self._open_jobs()
        )

    def let_go(
        self, refs: Collection[str], without: "Callable[[str, bytes], bytes | None]"
    ) -> None:
        """Take what was forgotten out of every job, whoever works on it, and out of what is told
        of those that ended. `without` gives a payload of a kind as it is without these sources,
        or None when nothing is left."""
        for key, _ in self._open_jobs():
            with self._ledger.alone():
                opened, payload = self._opened(key), self._ledger.get(_PAYLOAD, key)
                if opened is None:
                    continue
                left = None if payload is None else without(self._kind(key), payload.value)
                named = tuple(sorted({*opened.forgotten, *refs}))
                why = opened.dropped or ("" if left is not None else _FORGOTTEN)
                opened = msgspec.structs.replace(opened, forgotten=named, dropped=why)
                put = {(_OPEN, key): msgspec.json.encode(opened)}
                record = self._record_of(key)
                if left is not None and payload is not None and record is not None:
                    put[_PAYLOAD, key] = left
                    if self._is_sealed(Waiting(record.job, opened.store, payload.value)):
                        put[_SEAL, key] = self._seal(Waiting(record.job, opened.store, left))
                self._ledger.change(put=put, delete=[(_PAYLOAD, key)] if left is None else [])
        self._untell(refs)

    def _untell(self, refs: Collection[str]) -> None:
        """Take rows about these sources out of the jobs that are listed."""
        for entry in self._every(_JOB):
            record = self._read(entry)
            if record.store != self._store or not (record.job.errors or record.job.notes):
                continue
            dropped = Dropped(refs=frozenset(refs))
            errors = tuple(
                row for row in record.job.errors if not dropped.speaks_of(f"{row.path} {row.error}")
            )
            notes = tuple(note for note in record.job.notes if not dropped.speaks_of(note))
            if (errors, notes) != (record.job.errors, record.job.notes):
                job = msgspec.structs.replace(record.job, errors=errors, notes=notes)
                again = msgspec.json.encode(msgspec.structs.replace(record, job=job))
                self._ledger.put_if(_JOB, entry.key, entry.version, again)

    def erase(self) -> None:
        """Leave no copy of what was let go of. Raises StoreUnavailable."""
        self._ledger.erase()

    def abandoned(self) -> "list[Job]":
        """Jobs that this user accepted and that nobody works on any more, in the order in which
        they were accepted; each is this process's from now on."""
        self._hold()
        taken: list[_Record] = []
        for key, opened in self._open_jobs():
            entry, record = self._ledger.get(_JOB, key), self._record_of(key)
            if entry is None or record is None:
                continue
            if record.worker == self._me or not self._is_ours(record.job, opened):
                continue
            if self._is_alive(record.worker):
                continue
            mine = self._record(record.job, self._me, record.number)
            if self._ledger.put_if(_JOB, key, entry.version, mine):
                taken.append(record)
        return [record.job for record in sorted(taken, key=_order)]

    def unsealed(self) -> "list[Waiting]":
        """Open jobs of any store in this state that this user did not accept here, by id."""
        found: list[Waiting] = []
        for each in self._every(_OPEN):
            entry, record = self._ledger.get(_PAYLOAD, each.key), self._record_of(each.key)
            if entry is None or record is None or record.job.job_id != each.key:
                continue
            waiting = Waiting(record.job, _read_open(each.value).store, entry.value)
            if not self._is_sealed(waiting):
                found.append(waiting)
        return found

    def seal(self, waiting: "Waiting") -> None:
        """Let a job be worked on, as long as it is just what it is now."""
        stored = self._ledger.get(_SEAL, waiting.job.job_id)
        made = self._seal(waiting)
        self._ledger.put_if(_SEAL, waiting.job.job_id, stored.version if stored else 0, made)

    def _seal(self, waiting: "Waiting") -> bytes:
        return _sealed(waiting, self._key)

    def _is_ours(self, job: Job, opened: _OpenJob) -> bool:
        """Whether this user accepted it; what was let go of writes nothing and needs no seal."""
        payload = self._ledger.get(_PAYLOAD, job.job_id)
        return payload is None or self._is_sealed(Waiting(job, opened.store, payload.value))

    def _is_sealed(self, waiting: "Waiting") -> bool:
        stored = self._ledger.get(_SEAL, waiting.job.job_id)
        return stored is not None and hmac.compare_digest(stored.value, self._seal(waiting))

    def _record_of(self, job_id: str) -> _Record | None:
        entry = self._ledger.get(_JOB, job_id)
        try:
            return _RECORDS.decode(entry.value) if entry else None
        except (msgspec.DecodeError, UnicodeDecodeError):  # not of our making
            return None

    def close(self) -> None:
        """Let go of the ledger and of this process's lock."""
        if self._holder is not None:
            self._holder.close()
        self._ledger.close()

    def _put(self, job: Job, worker: str) -> Job:
        job = msgspec.structs.replace(job, updated_at=self._clock())
        # Only that a job was accepted must outlive a power cut: what is lost here is done again.
        with self._ledger.alone(durable=False):
            entry = self._ledger.get(_JOB, job.job_id)
            number = self._read(entry).number if entry else 0
            self._ledger.change(put={(_JOB, job.job_id): self._record(job, worker, number)})
        return job

    def _record(self, job: Job, worker: str, number: int) -> bytes:
        return msgspec.json.encode(
            _Record(job=job, store=self._store, worker=worker, number=number)
        )

    def _read(self, entry: LedgerEntry) -> _Record:
        try:
            return _RECORDS.decode(entry.value)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise damaged(self._path, f"job {entry.key!r}: {error}") from error

    def _kind(self, job_id: str) -> str:
        entry = self._ledger.get(_JOB, job_id)
        return self._read(entry).job.kind if entry else ""

    def _opened(self, job_id: str) -> _OpenJob | None:
        entry = self._ledger.get(_OPEN, job_id)
        return _read_open(entry.value) if entry else None

    def _open_jobs(self) -> "list[tuple[str, _OpenJob]]":
        """The ids of this store's open jobs, and what may become of each."""
        opened = ((entry.key, _read_open(entry.value)) for entry in self._every(_OPEN))
        return [(key, each) for key, each in opened if each.store == self._store]

    def _every(self, kind: str) -> "list[LedgerEntry]":
        found: list[LedgerEntry] = []
        while page := self._ledger.list(kind, after=found[-1].key if found else ""):
            found += page
        return found

    def _prune(self) -> None:
        """Keep the last thousand that ended; looked at now and then only."""
        entries = self._ledger.list(_JOB, limit=2 * _KEPT)
        if len(entries) < 2 * _KEPT:
            return
        records = [self._read(entry) for entry in entries]
        ended = [record for record in records if record.job.status in {"done", "failed"}]
        ended.sort(key=_order)
        gone = [(_JOB, record.job.job_id) for record in ended[:-_KEPT]]
        self._ledger.change(delete=gone, durable=False)

    def _hold(self) -> None:
        if self._holder is None and self._folder is not None:
            self._holder = Holder(self._folder / self._me)

    def _is_alive(self, worker: str) -> bool:
        if not worker or self._folder is None:
            return False
        file = self._folder / worker
        if not file.exists():
            return False
        if Holder.is_locked(file):
            return True
        with suppress(OSError):
            file.unlink(missing_ok=True)
        return False


def _sealed(waiting: Waiting, key: bytes) -> bytes:
    digest = hashlib.sha256(waiting.payload).hexdigest()
    plain = msgspec.json.encode([waiting.job.job_id, waiting.job.kind, waiting.store, digest])
    return hmac.digest(key, plain, "sha256")


def _listed(job: Job) -> Job:
    """The job as it is listed: the first errors and how many there are besides, and no secret that
    a URL in them holds."""
    from quipu.read.redact import without_url_secrets  # dear to import, and not to ask

    errors = tuple(
        ProblemRow(path=without_url_secrets(row.path), error=without_url_secrets(row.error))
        for row in job.errors[:_ERRORS]
    )
    notes = tuple(map(without_url_secrets, job.notes))
    if (more := len(job.errors) - _ERRORS) > 0:
        notes = (f"{more:,} more could not be read", *notes)
    return msgspec.structs.replace(job, errors=errors, notes=notes)


def _order(record: _Record) -> tuple[int, str, str]:
    return record.number, record.job.accepted_at, record.job.job_id


def _read_open(value: bytes) -> _OpenJob:
    try:
        return _OPENED.decode(value)
    except (
        msgspec.DecodeError,
        UnicodeDecodeError,
    ):  # an earlier version wrote nothing but the store's name
        return _OpenJob(store=value.decode("utf-8", "replace"))


def adopt_jobs(ledger: Ledger, old: str, new: str, *, key: bytes) -> None:
    """Let the jobs of the store at the address `old`, in all its namespaces, be of the one at
    `new`: the memory was put back elsewhere. Nobody works on them any more. What `key` sealed
    before is sealed again; other jobs wait for the user's word."""
    after = ""
    while page := ledger.list(_JOB, after=after):
        after = page[-1].key
        for entry in page:
            record = _RECORDS.decode(entry.value)
            place, _, namespace = record.store.rpartition("\0")
            if place != old:
                continue
            moved = msgspec.structs.replace(record, store=f"{new}\0{namespace}", worker="")
            put = {(_JOB, entry.key): msgspec.json.encode(moved)}
            opened, payload = ledger.get(_OPEN, entry.key), ledger.get(_PAYLOAD, entry.key)
            if opened:
                still = msgspec.structs.replace(_read_open(opened.value), store=moved.store)
                put[_OPEN, entry.key] = msgspec.json.encode(still)
            seal = ledger.get(_SEAL, entry.key)
            if payload and seal:
                before = Waiting(record.job, record.store, payload.value)
                if hmac.compare_digest(seal.value, _sealed(before, key)):
                    after_move = Waiting(record.job, moved.store, payload.value)
                    put[_SEAL, entry.key] = _sealed(after_move, key)
            ledger.change(put=put)

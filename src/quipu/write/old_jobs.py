"""Jobs that an earlier version kept in the ledger, brought into the store.

A job was four entries there: `job`, `payload`, `open` (what might still become of it) and `seal`.
"""

import hmac
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from quipu.errors import StoreUnavailable
from quipu.ledger import LEDGER, Ledger, LedgerEntry, damaged
from quipu.ports import JobRow, Store
from quipu.write.jobs import Job, KeptJob, sealed

__all__ = ["bring_old_jobs"]

_KINDS = ("job", "payload", "open", "seal")


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    job: Job
    store: str
    worker: str = ""
    number: int = 0


class _OpenJob(msgspec.Struct, frozen=True, kw_only=True):
    ref: str = ""
    episode: str = ""
    forgotten: tuple[str, ...] = ()
    dropped: str = ""


class _OldJob(NamedTuple):
    record: _Record
    opened: _OpenJob | None
    payload: bytes | None
    seal: bytes


def bring_old_jobs(store: Store, state: Path, name: str, *, key: bytes) -> None:
    """Move the jobs that the ledger in `state` holds for `store`, which it calls `name`, into the
    store, each under the id it had; one that was sealed with `key` is sealed again."""
    path = state / LEDGER
    if not path.is_file():
        return
    with Ledger(path) as ledger:
        every = _old_jobs(ledger, path)
        mine = (old for old in every if old.record.store == name)
        found = sorted(mine, key=lambda old: old.record.number)
        if not found:
            return
        store.atomically(lambda: _put(store, found, key), durable=True)
        gone = [(kind, old.record.job.job_id) for old in found for kind in _KINDS]
        ledger.change(delete=gone)
        with suppress(StoreUnavailable):  # somebody still reads: the next forgetting tries again
            ledger.erase()


def _old_jobs(ledger: Ledger, path: Path) -> Iterator[_OldJob]:
    for entry in _every(ledger, "job"):
        _, payload, opened, seal = (ledger.get(kind, entry.key) for kind in _KINDS)
        try:
            record = msgspec.json.decode(entry.value, type=_Record)
            open_job = msgspec.json.decode(opened.value, type=_OpenJob) if opened else None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise damaged(path, f"job {entry.key!r}: {error}") from error
        yield _OldJob(
            record,
            open_job,
            payload.value if payload else None,
            seal.value if seal else b"",
        )


def _is_sealed(record: _Record, payload: bytes, seal: bytes, key: bytes) -> bool:
    return hmac.compare_digest(seal, sealed(record.job, record.store, payload, key))


def _put(store: Store, found: list[_OldJob], key: bytes) -> None:
    known = {row.job_id for row in store.jobs.rows()}
    number = store.jobs.last()
    for record, opened, payload, seal in found:
        job = record.job
        if job.job_id in known:
            continue
        number += 1
        is_ours = payload is not None and _is_sealed(record, payload, seal, key)
        renewed = sealed(job, store.namespace, payload, key) if payload and is_ours else b""
        more = msgspec.structs.asdict(opened or _OpenJob())
        body = msgspec.json.encode(KeptJob(job=job, **more))
        live = int(opened is not None or payload is not None)
        store.jobs.add(JobRow(number, job.job_id, live, record.worker, renewed, body), payload)


def _every(ledger: Ledger, kind: str) -> list[LedgerEntry]:
    found: list[LedgerEntry] = []
    while page := ledger.list(kind, after=found[-1].key if found else ""):
        found += page
    return found

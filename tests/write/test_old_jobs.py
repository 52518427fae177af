"""What an earlier version accepted and kept in its ledger is finished, or shown, by this one."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from quipu.ledger import Ledger
from quipu.memory import Memory
from quipu.records.record import Chunk
from quipu.trust import sealing_key
from quipu.write.jobs import accepted, sealed

Open = Callable[..., Memory]
INSTANT = "2026-03-01T10:00:00.000Z"
NAME = ".quipu/quipu.db\0default"
TEXT = b'{"text":"The heron nests in Oslo.","source_ref":"note.md","observed_at":"' + (
    INSTANT.encode() + b'","given_at":"' + INSTANT.encode() + b'"}'
)


def leave(state: Path, job_id: str, number: int, *, key: bytes, payload: bytes | None) -> None:
    """Put a job of the earlier version into the ledger; one without a payload has ended."""
    job = accepted(job_id, "text", INSTANT)
    record = {"job": msgspec.to_builtins(job), "store": NAME, "worker": "1-gone", "number": number}
    put = {("job", job_id): json.dumps(record).encode()}
    if payload is not None:
        opened = {"store": NAME, "number": number, "ref": "note.md"}
        put["payload", job_id] = payload
        put["open", job_id] = json.dumps(opened).encode()
        put["seal", job_id] = sealed(job, NAME, payload, key)
    with Ledger(state / "ops.db") as ledger:
        ledger.change(put={**put, ("key", "k"): b"an API key"})


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / ".quipu"
    with Memory.open(folder / "quipu.db", home=tmp_path, embedder=None):
        return folder


def texts(memory: Memory) -> list[str]:
    return [c.text for c in memory.store.scan("chunk") if isinstance(c, Chunk)]


def test_an_open_job_is_finished_and_leaves_the_ledger(
    tmp_path: Path, state: Path, open_memory: Open
) -> None:
    leave(state, "job_1", 1, key=sealing_key(), payload=None)
    leave(state, "job_2", 2, key=sealing_key(), payload=TEXT)
    with open_memory(state / "quipu.db", tmp_path) as memory:
        assert [job.job_id for job in memory.jobs()] == ["job_2", "job_1"]
        assert [job.status for job in memory.jobs.resume()] == ["done"]
        assert texts(memory) == ["The heron nests in Oslo."]
    with Ledger(state / "ops.db") as ledger:
        assert [len(ledger.list(kind)) for kind in ("job", "payload", "open", "seal")] == [0] * 4
        assert [entry.value for entry in ledger.list("key")] == [b"an API key"]
    with open_memory(state / "quipu.db", tmp_path) as memory:
        assert memory.jobs.resume() == []
        assert len(memory.jobs()) == 2


def test_a_killed_move_is_made_again(tmp_path: Path, state: Path, open_memory: Open) -> None:
    for _ in range(2):
        leave(state, "job_1", 1, key=sealing_key(), payload=TEXT)
        with open_memory(state / "quipu.db", tmp_path) as memory:
            assert len(memory.jobs()) == 1


def test_what_is_forgotten_is_taken_out_of_an_old_job(
    tmp_path: Path, state: Path, open_memory: Open
) -> None:
    leave(state, "job_1", 1, key=sealing_key(), payload=TEXT)
    with open_memory(state / "quipu.db", tmp_path) as memory:
        memory.forget("note.md")
        assert b"heron nests" not in b"".join(p.read_bytes() for p in state.glob("*.db*"))
        assert [job.added for job in memory.jobs.resume()] == [0]
        assert texts(memory) == []

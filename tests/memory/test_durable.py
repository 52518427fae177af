"""What was accepted is written, whatever happens: one way for texts, messages and transcripts."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from quipu.errors import InvalidInput, StoreUnavailable, UnknownRecord
from quipu.handle.home import find_home
from quipu.memory import Memory
from quipu.memory.recovery import salvage_into
from quipu.ports import JobRow
from quipu.records.record import Chunk
from quipu.write.jobs import STAGES, Job, KeptJob, accepted

Open = Callable[..., Memory]
INSTANT = "2026-03-01T10:00:00.000Z"

TALK: list[dict[str, object]] = [
    {"role": "user", "content": "Always use tabs over spaces in every project."},
    {"role": "assistant", "content": "Noted."},
    {"role": "user", "content": "From now on use Postgres instead of MySQL."},
]
LINES = "\n".join(
    json.dumps({"speaker": "Ann", "text": each["content"], "session": "lines"})
    for each in TALK
    if each["role"] == "user"
)


def texts(memory: Memory) -> list[str]:
    return [c.text for c in memory.store.scan("chunk") if isinstance(c, Chunk)]


def write(memory: Memory, way: str, tmp_path: Path) -> Job:
    if way == "messages":
        return memory.add(TALK, session_id="talk")
    if way == "files":
        (tmp_path / "talk.jsonl").write_text(LINES)
        return memory.ingest(tmp_path / "talk.jsonl")
    memory.add("\n\n".join(str(m["content"]) for m in TALK if m["role"] == "user"))
    return memory.jobs()[0]


@pytest.mark.parametrize("way", ["text", "messages", "files"])
def test_every_way_is_a_job_that_stores_facts(memory: Memory, tmp_path: Path, way: str) -> None:
    job = write(memory, way, tmp_path)
    assert (job.status, job.stage, job.attempts, job.errors) == ("done", "audit", 1, ())
    assert [each.stage for each in job.stages] == list(STAGES)
    counts = {each.stage: each.count for each in job.stages}
    assert counts["extract"] >= 1
    assert counts["index"] == counts["normalize"] == job.added
    assert counts["embed"] >= 1
    assert memory.jobs.get(job.job_id) == job
    said = " ".join(f"{f.predicate} {f.object}" for f in memory.facts())
    assert "tabs" in said
    assert "Postgres" in said


def test_what_cannot_be_remembered_is_no_job(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        memory.add("  \n")
    with pytest.raises(InvalidInput, match="give plain text"):
        memory.add("The caf\0 opens.")
    with pytest.raises(InvalidInput):
        memory.add("Text.", observed_at="yesterday")
    with pytest.raises(InvalidInput, match="'' is not a date"):
        memory.add("Text.", observed_at="")
    with pytest.raises(InvalidInput, match="'9999-01-01' lies ahead"):
        memory.add("Text.", observed_at="9999-01-01")
    with pytest.raises(InvalidInput):
        memory.add(TALK, session_id=" ")
    with pytest.raises(InvalidInput):
        memory.ingest(tmp_path / "nowhere")
    assert memory.jobs() == []
    with pytest.raises(UnknownRecord, match="job_0"):
        memory.jobs.get("job_0")


def test_no_secret_waits_in_a_job(
    tmp_path: Path, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "ghp_" + "a1B2" * 9
    (tmp_path / ".quipu").mkdir()
    with open_memory(tmp_path / ".quipu" / "quipu.db", tmp_path) as memory:
        monkeypatch.setattr(memory.store, "write", full)
        with pytest.raises(StoreUnavailable):
            memory.add(f"The key is {token}.", properties={"note": token})
        with pytest.raises(StoreUnavailable):
            memory.add([{"role": "user", "content": token}], session_id=token)
        raw = b"".join(p.read_bytes() for p in (tmp_path / ".quipu").glob("quipu.db*"))
        assert b"redacted" in raw
        assert token.encode() not in raw
        assert {job.status for job in memory.jobs()} == {"accepted"}


KILLED = """
import os, signal, sys
from pathlib import Path
from quipu.config import Config
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder
from quipu.write import embed, jobs

url, home, point = sys.argv[1:4]
memory = Memory.open(url, home=Path(home), config=Config(), embedder=HashEmbedder())

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

if point == "begin":
    jobs.Jobs.begin = die
elif point == "write":
    memory.store.write = die
elif point == "embed":
    embed.SpaceFiller.fill = die
elif point == "finish":
    jobs.Jobs.finish = die
if sys.argv[4] == "text":
    memory.add("I prefer tabs over spaces.", source_ref="note.md")
else:
    memory.add([{"role": "user", "content": f"Turn {n} prefers tabs."} for n in range(300)],
               session_id="s")
"""


@pytest.mark.parametrize("kind", ["messages"])
@pytest.mark.parametrize("point", ["begin", "write", "embed", "finish"])
def test_a_kill_loses_nothing_that_was_accepted(
    tmp_path: Path, open_memory: Open, kind: str, point: str
) -> None:
    (tmp_path / ".quipu").mkdir()
    url = str(tmp_path / ".quipu" / "quipu.db")
    command = [sys.executable, "-c", KILLED, url, str(tmp_path), point, kind]
    done = subprocess.run(command, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    with open_memory(url, tmp_path) as memory:
        (job,) = memory.jobs.resume()
        assert job.status == "done"
        assert len(texts(memory)) == (1 if kind == "text" else 300)
        assert memory.jobs.resume() == []
        assert [each.status for each in memory.jobs()] == ["done"]


def test_a_job_that_waited_does_not_override_what_came_later(
    tmp_path: Path, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".quipu").mkdir()
    url = tmp_path / ".quipu" / "quipu.db"
    with open_memory(url, tmp_path) as one, open_memory(url, tmp_path) as two:
        one.add("Something else.", source_ref="other.md")
        with monkeypatch.context() as patched:

            def locked(*_: Any) -> Any:
                raise StoreUnavailable("locked")

            patched.setattr(two.store, "write", locked)
            with pytest.raises(StoreUnavailable):
                two.add("The old text.", source_ref="note.md")
        one.add("The new text.", source_ref="note.md")
        (waited,) = two.jobs.resume()
        assert (waited.status, waited.added) == ("done", 0)
        assert "given later" in waited.notes[0]
        assert sorted(texts(one)) == ["Something else.", "The new text."]


def test_what_was_accepted_is_kept_of_a_damaged_store(
    tmp_path: Path, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, fresh = tmp_path / ".quipu", tmp_path / "fresh" / ".quipu"
    state.mkdir()
    fresh.mkdir(parents=True)
    with open_memory(state / "quipu.db", tmp_path) as memory, monkeypatch.context() as patched:
        patched.setattr(memory.store, "write", full)
        for n in range(40):
            with pytest.raises(StoreUnavailable):
                memory.add(f"Text {n}: {'quite long ' * 200}", source_ref=f"note{n}.md")
    damage(state / "quipu.db")
    kept = salvage_into(find_home(state / "quipu.db"), fresh / "quipu.db", clock=lambda: INSTANT)
    assert kept.jobs >= 10
    with open_memory(fresh / "quipu.db", tmp_path / "fresh") as memory:
        done = [job.status for job in memory.jobs.resume()]
        assert len(done) == kept.jobs
        assert done.count("done") == len([t for t in texts(memory) if t.startswith("Text")]) >= 10
        lost = [job for job in memory.jobs() if job.status == "failed"]
        assert all("give it again" in job.errors[0].error for job in lost)


def test_a_job_that_names_a_file_as_its_worker_harms_none(
    tmp_path: Path, open_memory: Open
) -> None:
    (tmp_path / ".quipu").mkdir()
    precious = tmp_path / "precious.txt"
    precious.write_text("mine")
    with open_memory(tmp_path / ".quipu" / "quipu.db", tmp_path) as memory:
        kept = msgspec.json.encode(KeptJob(job=accepted("job_1", "text", INSTANT)))
        for number, worker in enumerate((str(precious), "../../precious.txt"), 1):
            row = JobRow(number, f"job_{number}", 1, worker, b"", kept)
            memory.store.atomically(partial(memory.store.jobs.add, row, None))
        memory.jobs.resume()
    assert precious.read_text() == "mine"


def full(*_: Any) -> Any:
    raise StoreUnavailable("the disk is full")


def damage(path: Path) -> None:
    """Overwrite the page in the middle of a database."""
    data = bytearray(path.read_bytes())
    page = int.from_bytes(data[16:18], "big")
    middle = len(data) // page // 2 * page
    data[middle : middle + page] = b"\xff" * page
    path.write_bytes(bytes(data))

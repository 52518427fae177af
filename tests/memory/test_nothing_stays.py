"""What was forgotten is nowhere below the local state, and nothing brings it back."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.errors import StoreUnavailable, UnknownRecord
from quipu.memory import Memory
from quipu.records.record import Chunk

Open = Callable[..., Memory]

SECRET = "xylograph quokka"
TALK: list[dict[str, object]] = [
    {"role": "user", "content": f"Turn {n} speaks of the {SECRET} at length."} for n in range(400)
]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / ".quipu"
    folder.mkdir()
    return folder


def held(state: Path, *words: str) -> list[str]:
    """The files below `state` that hold one of the words."""
    wanted = [word.encode() for word in words or SECRET.split()]
    files = sorted(path for path in state.rglob("*") if path.is_file())
    return [f.name for f in files if any(w in f.read_bytes().lower() for w in wanted)]


def texts(memory: Memory) -> list[str]:
    return [c.text for c in memory.store.scan("chunk") if isinstance(c, Chunk)]


def unwritable(memory: Memory, patch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> Any:
        raise StoreUnavailable("the disk is full")

    patch.setattr(memory.store, "write", full)


@pytest.mark.parametrize("way", ["text", "messages", "work", "removed file"])
def test_no_byte_of_what_was_forgotten_stays(state: Path, open_memory: Open, way: str) -> None:
    with open_memory(state / "quipu.db", state.parent) as memory:
        memory.add("Something else that stays.", source_ref="kept.md")
        ref = given(memory, way)
        assert held(state)
        memory.forget(ref)
        assert held(state) == []
        assert texts(memory) == ["Something else that stays."]
    assert held(state) == []


def given(memory: Memory, way: str) -> str:
    if way == "text":
        memory.add(f"First of the {SECRET}.", source_ref="note.md")
        memory.add(f"Then of the {SECRET} again.", source_ref="note.md")
        return "note.md"
    if way == "messages":
        memory.add(TALK[:20], session_id="talk")
        return "session:talk"
    if way == "removed file":
        file = memory.home.folder / "gone.md"
        file.write_text(f"# Gone\n\nOf the {SECRET}.\n", encoding="utf-8")
        memory.index(memory.home.folder)
        file.unlink()
        memory.index(memory.home.folder)
        return "gone.md"
    memory.ingest_work([{"kind": "task", "id": 7, "title": f"Draw the {SECRET}"}])
    return "task:7"


@pytest.mark.parametrize("way", ["text", "messages", "work"])
def test_a_job_that_waits_brings_nothing_back(
    state: Path, open_memory: Open, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    refs = {"text": "note.md", "messages": "session:talk", "work": "task:7"}
    with open_memory(state / "quipu.db", state.parent) as memory:
        with monkeypatch.context() as patched:
            unwritable(memory, patched)
            with pytest.raises(StoreUnavailable):
                given(memory, way)
        assert held(state)
        assert memory.forget(refs[way]) == 0
        assert held(state) == []
        with pytest.raises(UnknownRecord):
            memory.forget("nowhere.md")
    with open_memory(state / "quipu.db", state.parent) as memory:
        memory.add("Something else.", source_ref="other.md")
        assert texts(memory) == ["Something else."]
        assert {job.status for job in memory.jobs()} == {"done"}
    assert held(state) == []


def test_another_spelling_of_the_path_is_the_same_memory(
    state: Path, open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(state / "quipu.db", state.parent) as memory, monkeypatch.context() as patched:
        unwritable(memory, patched)
        with pytest.raises(StoreUnavailable):
            memory.add(f"The {SECRET}.", source_ref="note.md")
    monkeypatch.chdir(state)
    with open_memory("sqlite:///quipu.db", state.parent) as memory:
        memory.forget("note.md")
    assert held(state) == []


WORKER = """
import sys, time
from pathlib import Path
from quipu.config import Config
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder
from quipu.write.batches import BatchWriter

home, text = Path(sys.argv[1]), sys.argv[2]
flush = BatchWriter.flush
def slow(self):
    (home / "ready").touch()
    while not (home / "go").exists():
        time.sleep(0.01)
    flush(self)
BatchWriter.flush = slow
memory = Memory.open(home / ".quipu" / "quipu.db", config=Config(), embedder=HashEmbedder())
memory.add([{"role": "user", "content": f"Turn {n}: {text}"} for n in range(40)], session_id="talk")
memory.close()
"""


def test_a_job_that_another_process_works_on_writes_nothing_of_it(
    state: Path, open_memory: Open
) -> None:
    home = state.parent
    worker = subprocess.Popen([sys.executable, "-c", WORKER, str(home), SECRET])
    try:
        while not (home / "ready").exists():
            assert worker.poll() is None
        with open_memory(state / "quipu.db", home) as memory:
            memory.forget("session:talk")
            assert held(state) == []
        (home / "go").touch()
        assert worker.wait(60) == 0
    finally:
        worker.kill()
    assert held(state) == []
    with open_memory(state / "quipu.db", home) as memory:
        assert memory.jobs.resume() == []
        assert texts(memory) == []
        (job,) = memory.jobs()
        assert (job.status, job.added) == ("done", 0)
        assert "was forgotten" in job.notes[0]


def _forget_and_die(url: str, home: str, step: str) -> None:
    from quipu.config import Config
    from quipu.memory.erasure import Erasure
    from quipu.testing.fakes import HashEmbedder

    def die(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(Erasure, step, die)
    with Memory.open(url, home=Path(home), config=Config(), embedder=HashEmbedder()) as memory:
        memory.forget("note.md")


@pytest.mark.parametrize("step", ["_erase_jobs", "_erase_cache", "_erase_files", "_erase_records"])
def test_a_forgetting_that_is_killed_is_carried_out_by_who_comes_next(
    state: Path, open_memory: Open, step: str
) -> None:
    with open_memory(state / "quipu.db", state.parent) as memory:
        memory.add(f"The {SECRET}.", source_ref="note.md")
        memory.add("Something else.", source_ref="other.md")
    assert (state / "embeddings.db").exists()
    forked = multiprocessing.get_context("fork").Process(
        target=_forget_and_die, args=(str(state / "quipu.db"), str(state.parent), step)
    )
    forked.start()
    forked.join(60)
    assert forked.exitcode == -signal.SIGKILL
    assert len(list(state.glob("forgetting-*"))) == 1
    with open_memory(state / "quipu.db", state.parent) as memory:
        assert texts(memory) == ["Something else."]
        assert held(state) == []
        assert memory.forget("other.md") == 1
    assert list(state.glob("forgetting-*.json")) == []
    assert list(state.glob("embeddings.db*")) == []


def test_a_renamed_file_is_forgotten_by_every_name_it_had(state: Path, open_memory: Open) -> None:
    home = state.parent
    (home / "old.md").write_text(f"# Old\n\nOf the {SECRET}.\n", encoding="utf-8")
    with open_memory(state / "quipu.db", home) as memory:
        memory.index(home)
        (home / "old.md").rename(home / "new.md")
        assert memory.index(home).renamed == (("old.md", "new.md"),)
        memory.forget("new.md")
        (home / "new.md").unlink()
    assert held(state) == []

"""A backup is whole, taken while others write; a restore is drilled."""

import io
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.servers.damage import make_memory

from quipu.errors import CorruptStore, InvalidInput, StoreUnavailable
from quipu.files.whole import faults
from quipu.handle.home import DATABASE
from quipu.memory import Memory


def opened(folder: Path, **options: object) -> Memory:
    return Memory.open(folder / DATABASE, home=folder, embedder=None, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    make_memory(folder, 20)
    return folder


def exported(folder: Path) -> bytes:
    with opened(folder, read_only=True) as memory:
        memory.export(folder / "out.jsonl", vectors=True, overwrite=True)
    return (folder / "out.jsonl").read_bytes()


def test_a_restored_memory_is_the_same(kept: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.quipu"
    with opened(kept, read_only=True) as memory:
        done = memory.backup(file)
        counts = memory.stats().counts
    assert {k: done.counts[k] for k in ("chunk", "episode")} == {
        k: counts[k] for k in ("chunk", "episode")
    }
    assert file.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["memory.quipu"]
    restored = Memory.restore(file, tmp_path / "new" / DATABASE)
    assert restored.counts == done.counts
    assert exported(tmp_path / "new") == exported(kept)
    for path in (tmp_path / "new/.quipu").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_nothing_is_written_over(kept: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.quipu"
    file.write_text("mine")
    with opened(kept, read_only=True) as memory:
        with pytest.raises(InvalidInput, match=r"memory\.quipu.*already.*--force"):
            memory.backup(file)
        assert file.read_text() == "mine"
        memory.backup(file, overwrite=True)
    before = exported(kept)
    with pytest.raises(InvalidInput, match=r"quipu\.db.*already.*nothing was changed"):
        Memory.restore(file, kept / DATABASE)
    assert exported(kept) == before


def test_no_memory_is_written_over_even_by_force(kept: Path) -> None:
    before = exported(kept)
    with opened(kept, read_only=True) as memory:
        for write in (memory.backup, memory.export):
            with pytest.raises(InvalidInput, match="is a database"):
                write(kept / DATABASE, overwrite=True)
    assert exported(kept) == before


def test_what_was_accepted_is_in_the_backup(tmp_path: Path) -> None:
    database, file = tmp_path / "a" / DATABASE, tmp_path / "memory.quipu"
    code = (
        "import os, sys\n"
        "from quipu.memory import Memory\n"
        "from quipu.write.jobs import Jobs\n"
        "Jobs.begin = lambda *_: os.kill(os.getpid(), 9)\n"
        "Memory.open(sys.argv[1], embedder=None).add('Ana moved to Puno.', source_ref='manual:a')\n"
    )
    died = subprocess.run([sys.executable, "-c", code, str(database)], check=False)
    assert died.returncode == -signal.SIGKILL
    with Memory.open(database, embedder=None, read_only=True) as memory:
        done = memory.backup(file)
    assert done.open == 1
    Memory.restore(file, tmp_path / "b" / DATABASE)
    with Memory.open(tmp_path / "b" / DATABASE, embedder=None) as memory:
        assert [job.status for job in memory.jobs.resume()] == ["done"]
        assert "Puno" in memory.search("Ana Puno").hits[0].text


def test_a_backup_beside_writers_is_one_moment(tmp_path: Path) -> None:
    stop = threading.Event()
    with opened(tmp_path) as memory:
        memory.add("first", source_ref="manual:first", embed=False)

        def write() -> None:
            n = 0
            while not stop.is_set():
                memory.add(f"note {n} of the road", source_ref=f"manual:{n}", embed=False)
                n += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for n in range(5):
                with opened(tmp_path, read_only=True) as reader:
                    done = reader.backup(tmp_path / f"{n}.quipu")
                Memory.restore(tmp_path / f"{n}.quipu", tmp_path / f"r{n}" / DATABASE)
                with opened(tmp_path / f"r{n}", read_only=True) as again:
                    assert again.stats().counts["chunk"] == done.counts["chunk"]
                    assert again.validate().errors == ()
        finally:
            stop.set()
            writer.join()


@pytest.mark.parametrize("what", ["flip", "cut", "other", "empty"])
def test_a_damaged_backup_is_not_put_back(kept: Path, tmp_path: Path, what: str) -> None:
    file, draw = tmp_path / "memory.quipu", random.Random(4)
    with opened(kept, read_only=True) as memory:
        memory.backup(file)
    data = file.read_bytes()
    harmed = {"cut": data[: len(data) // 2], "other": b"no backup " * 2000, "empty": b""}
    for _ in range(12 if what == "flip" else 1):
        flipped = bytearray(data)
        flipped[draw.randrange(8192, len(data) - 20_000)] ^= 4
        file.write_bytes(harmed.get(what, bytes(flipped)))
        with pytest.raises((CorruptStore, InvalidInput), match=r"memory\.quipu"):
            Memory.restore(file, tmp_path / "new" / DATABASE)
        assert not (tmp_path / "new" / DATABASE).exists()


def _bomb(folder: Path, kind: str) -> Path:
    """A small archive that would unpack to 3 GB."""
    path, size = folder / "bomb.quipu", 3_000_000_000
    files = {"quipu.db": {"bytes": size if kind != "undeclared" else 10, "sha256": "0" * 64}}
    manifest = json.dumps(
        {"quipu": "backup", "version": 1, "created_at": "2026-03-01T10:00:00.000Z", "store": "x"}
        | {"counts": {}, "open": 0, "files": files}
    ).encode()
    member = tarfile.TarInfo("quipu.db")
    if kind == "link":
        member.type, member.linkname = tarfile.SYMTYPE, "/dev/zero"
    with tarfile.open(path, "w:", format=tarfile.PAX_FORMAT) as archive:
        first = tarfile.TarInfo("manifest.json")
        first.size = len(manifest)
        archive.addfile(first, io.BytesIO(manifest))
        if kind == "sparse":
            member.pax_headers = {
                "GNU.sparse.major": "0",
                "GNU.sparse.minor": "1",
                "GNU.sparse.size": str(size),
                "GNU.sparse.map": f"{size},0",
            }
        elif kind in ("declared", "undeclared"):
            member.size = size
        archive.addfile(member)
    return path


@pytest.mark.parametrize("kind", ["sparse", "declared", "undeclared", "link"])
def test_a_backup_that_is_larger_than_it_is_writes_nothing(tmp_path: Path, kind: str) -> None:
    path = _bomb(tmp_path, kind)
    assert path.stat().st_size < 20_000
    refused = (CorruptStore, InvalidInput)  # the library itself refuses what ends too early
    with refusing_writes_of(1_000_000), pytest.raises(refused, match=r"bomb\.quipu.*no backup"):
        Memory.restore(path, tmp_path / "new" / DATABASE)
    assert not (tmp_path / "new").exists()


@contextmanager
def refusing_writes_of(most: int) -> Iterator[None]:
    """No file grows beyond `most` bytes while the block runs."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


_RUN = "import sys; from quipu.serve.cli import cli; cli(sys.argv[1:])"


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_killed_backup_or_restore_leaves_nothing_half_done(
    kept: Path, tmp_path: Path, seed: int
) -> None:
    file, new = tmp_path / "memory.quipu", tmp_path / "new"
    new.mkdir()
    draw = random.Random(seed)
    source = ["--store", str(kept / DATABASE)]
    for words, place in (
        (["backup", str(file), *source], kept),
        (["restore", str(file), "--store", str(new / DATABASE)], new),
    ):
        for _ in range(3):
            process = subprocess.Popen(
                [sys.executable, "-c", _RUN, *words],
                cwd=place,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(draw.uniform(0.1, 0.9))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        if not (file if words[0] == "backup" else new / DATABASE).exists():
            subprocess.run([sys.executable, "-c", _RUN, *words], cwd=place, check=True)
    assert faults(new / DATABASE) == []
    assert exported(new) == exported(kept)


def test_a_restore_that_was_killed_before_the_database_goes_on(kept: Path, tmp_path: Path) -> None:
    file, database = tmp_path / "memory.quipu", tmp_path / "new" / DATABASE
    with opened(kept, read_only=True) as memory:
        memory.backup(file)
    Memory.restore(file, database)
    database.unlink()
    Memory.restore(file, database)
    database.unlink()
    (database.parent / "ops.db").write_bytes(b"of another memory")
    with pytest.raises(InvalidInput, match=r"ops\.db.*already"):
        Memory.restore(file, database)


def test_without_room_nothing_is_written(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "memory.quipu"
    with opened(kept, read_only=True) as memory:
        memory.backup(file)
        monkeypatch.setattr("shutil.disk_usage", lambda _: shutil._ntuple_diskusage(9, 1, 8))  # type: ignore[attr-defined]
        with pytest.raises(StoreUnavailable, match="and 8 are free"):
            memory.backup(tmp_path / "other.quipu")
    with pytest.raises(StoreUnavailable, match="nothing was written"):
        Memory.restore(file, tmp_path / "new" / DATABASE)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["memory.quipu"]

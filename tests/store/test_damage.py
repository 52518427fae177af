"""No damaged byte goes unnoticed: flips over a memory's files."""

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.contract.store_sample import chunk, episode, moment
from tests.servers.damage import USES, flips, make_memory, trials

from quipu.errors import CorruptStore
from quipu.files.whole import damaged_pages, faults
from quipu.ledger import LEDGER, Ledger
from quipu.records.batch import Batch
from quipu.store.sqlite import SQLiteStore


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    make_memory(folder, 40)
    return folder


def test_no_flipped_bit_goes_unnoticed(kept: Path, tmp_path: Path) -> None:
    chosen = flips(kept, 14, seed=7)
    failed = [t for t in trials(kept, USES, chosen, scratch=tmp_path) if not t.passed]
    assert failed == []


def test_every_page_of_a_file_is_seen_to_be_damaged(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / "quipu.db"
    data = (kept / ".quipu" / "quipu.db").read_bytes()
    size, draw = 8192, random.Random(3)
    for page in range(len(data) // size):
        harmed = bytearray(data)
        harmed[page * size + draw.randrange(size)] ^= 1 << draw.randrange(8)
        path.write_bytes(harmed)
        assert faults(path), page
    path.write_bytes(data)
    assert faults(path) == []


def reds(path: Path, **options: object) -> int:
    with SQLiteStore(path, namespace="default", **options) as store:  # type: ignore[arg-type]
        return len(store.match_text("prose", {"red": 1.0}, limit=100).numbers)


# the log


def test_a_commit_that_is_being_written_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite writes the head of a frame, then its page; a log that is written anew is as long as
    before, so who opens the file in between sees a commit whose page is another one."""
    path = tmp_path / "q.db"
    log = path.with_name("q.db-wal")
    with SQLiteStore(path, namespace="default") as store:
        of = episode("docs/1.md", "A", at=moment(1))
        store.write(Batch(recorded_at=moment(1), episodes=(of,), chunks=(chunk(of, 0, "red"),)))
        data = log.read_bytes()
        frame = data[-(24 + 8192) :]
        log.write_bytes(data + frame[:24] + bytes(8192))
        assert frame[4:8] != bytes(4)  # a commit
        waited: list[float] = []

        def finish(seconds: float) -> None:
            waited.append(seconds)
            log.write_bytes(data)

        monkeypatch.setattr("time.sleep", finish)
        assert reds(path) == 1
        assert waited


def test_a_damaged_log_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path / "q.db")], check=False)
    path, log = tmp_path / "kept" / "q.db", tmp_path / "kept" / "q.db-wal"
    path.parent.mkdir()

    def put(data: bytes) -> None:
        path.with_name("q.db-shm").unlink(missing_ok=True)
        shutil.copy(tmp_path / "q.db", path)
        log.write_bytes(data)

    data, draw = (tmp_path / "q.db-wal").read_bytes(), random.Random(1)
    for _ in range(30):
        harmed = bytearray(data)
        harmed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        put(bytes(harmed))
        assert any("q.db-wal" in fault for fault in faults(path))
    for whole in (data, data[:-100]):  # the last write broke off: nothing is acknowledged after it
        put(whole)
        assert faults(path) == []


_KILLED = """
import os, sys
from pathlib import Path
from quipu.records.batch import Batch
from quipu.store.sqlite import SQLiteStore
from tests.contract.store_sample import chunk, episode, moment
store = SQLiteStore(Path(sys.argv[1]), namespace="default")
for n in range(10):
    of = episode(f"docs/{n}.md", "A", at=moment(1))
    store.write(Batch(recorded_at=moment(1), episodes=(of,), chunks=(chunk(of, 0, "red"),)))
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("read_only", [False, True])
def test_writes_behind_damage_in_the_log_of_a_killed_process_are_not_dropped_in_silence(
    tmp_path: Path, read_only: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    path = tmp_path / "q.db"
    subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    files = {p: p.read_bytes() for p in (path, path.with_name("q.db-wal"))}
    draw = random.Random(2)
    for turn in range(13):
        for file, data in files.items():
            file.write_bytes(data)
        path.with_name("q.db-shm").unlink(missing_ok=True)
        harmed = bytearray(files[path.with_name("q.db-wal")])
        if turn < 8:
            harmed[draw.randrange(32, len(harmed) - 60_000)] ^= 4
        elif turn < 12:
            harmed[8 * (turn - 8)] ^= 4  # what every frame is read by
        else:
            harmed[:32] = bytes(32)
        path.with_name("q.db-wal").write_bytes(harmed)
        for _ in range(2):
            with pytest.raises(CorruptStore, match=r"q\.db.*damaged"):
                reds(path, read_only=read_only)
    for file, data in files.items():
        file.write_bytes(data)
    path.with_name("q.db-shm").unlink(missing_ok=True)
    assert reds(path, read_only=read_only) == 10


def test_a_damaged_ledger_page_is_refused(tmp_path: Path) -> None:
    path = tmp_path / LEDGER
    with Ledger(path) as ledger:
        for n in range(200):
            ledger.put_if("job", f"{n:04}", 0, b"payload" * 20)
    data = bytearray(path.read_bytes())
    data[data.index(b"payload")] ^= 1
    path.write_bytes(data)
    assert len(damaged_pages(path, 8192)) == 1
    with pytest.raises(CorruptStore, match=r"ops\.db.*damaged"), Ledger(path) as ledger:
        ledger.list("job")

"""What becomes of a database that is not ours, in use, read-only, full or damaged."""

import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.contract.store_sample import chunk, episode, moment, texts

from quipu.errors import CorruptStore, InvalidInput, StoreUnavailable
from quipu.records.batch import Batch
from quipu.store.sqlite import SQLiteStore, schema


def batch(name: str, text: str, *, at: int = 1) -> Batch:
    of = episode(f"docs/{name}.md", "A", at=moment(at))
    return Batch(recorded_at=moment(at), episodes=(of,), chunks=(chunk(of, 0, text),))


def open_at(path: Path, **options: object) -> SQLiteStore:
    return SQLiteStore(path, namespace="default", **options)  # type: ignore[arg-type]


def foreign(path: Path, *, version: int = 0, wal: bool = False) -> None:
    with closing(sqlite3.connect(path)) as other:
        if wal:
            other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE bookmarks (url TEXT)")
        other.execute("INSERT INTO bookmarks VALUES ('https://example.org')")
        other.execute(f"PRAGMA user_version = {version}")
        other.commit()


# another program's file


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("wal", [False, True])
@pytest.mark.parametrize("version", [0, 1, schema.LATEST, schema.LATEST + 7])
def test_a_database_of_another_program_is_refused_untouched(
    tmp_path: Path, version: int, wal: bool, read_only: bool
) -> None:
    path = tmp_path / "places.db"
    foreign(path, version=version, wal=wal)
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match=r"places\.db.*another program.*other path"):
        open_at(path, read_only=read_only)
    assert path.read_bytes() == before
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT url FROM bookmarks").fetchall() == [("https://example.org",)]


@pytest.mark.parametrize("read_only", [False, True])
def test_an_empty_file_is_not_taken_for_a_new_store(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "q.db"
    path.touch()
    with pytest.raises(CorruptStore, match=r"q\.db.*is empty: was it truncated.*quipu restore"):
        open_at(path, read_only=read_only)
    assert path.read_bytes() == b""
    path.unlink()
    with open_at(path) as store:
        store.write(batch("a", "red"))


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("kept", [100, 5000, 8192, 3 * 8192, -8192, -4096, -1])
def test_a_truncated_file_says_so(tmp_path: Path, kept: int, read_only: bool) -> None:
    path = tmp_path / "q.db"
    with open_at(path) as store:
        for n in range(20):
            store.write(batch(f"d{n}", f"red w{n}"))
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(CorruptStore, match=r"q\.db.*damaged.*quipu restore"):
        open_at(path, read_only=read_only)


# replaced under an open handle


def test_a_file_replaced_under_an_open_store_is_left_alone(tmp_path: Path) -> None:
    path, other = tmp_path / "q.db", tmp_path / "other.db"
    with open_at(other) as store:
        store.write(batch("theirs", "green"))
    with open_at(path) as store:
        store.write(batch("a", "red"))
        other.replace(path)
        for use in (lambda: store.write(batch("b", "blue")), store.counts):
            with pytest.raises(StoreUnavailable, match=r"q\.db.*replaced or removed.*open"):
                use()
    for left in ("q.db-wal", "q.db-shm"):
        (tmp_path / left).unlink(missing_ok=True)
    with open_at(path) as store:
        assert texts(store, green=1) == ["green"]
        assert texts(store, blue=1) == []


def test_a_file_replaced_during_a_write_is_not_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "q.db"
    with open_at(path) as store:
        store.write(batch("a", "red"))
        with pytest.raises(StoreUnavailable, match="replaced or removed"), store._db.writing():
            path.rename(tmp_path / "moved.db")


# in use


def test_a_reader_waits_for_whoever_holds_the_file(tmp_path: Path) -> None:
    path = tmp_path / "q.db"
    with open_at(path) as store:
        store.write(batch("a", "red"))
    holder = apsw.Connection(str(path))
    holder.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").fetchall()
    release = threading.Timer(0.4, lambda: holder.execute("COMMIT"))
    release.start()
    began = time.monotonic()
    with open_at(path, read_only=True, timeout_s=20) as store:
        assert texts(store, red=1) == ["red"]
    assert time.monotonic() - began > 0.2
    release.join()
    holder.close()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_stays_locked_is_said_to_be(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "q.db"
    open_at(path).close()
    with closing(apsw.Connection(str(path))) as holder:
        holder.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").fetchall()
        with pytest.raises(StoreUnavailable, match="locked by another process"):
            open_at(path, read_only=read_only, timeout_s=0.05)


def test_forgetting_says_when_a_reader_keeps_the_text_on_disk(tmp_path: Path) -> None:
    path, marker = tmp_path / "q.db", "xyzzy-marker-plugh"
    with open_at(path, timeout_s=0.05) as store:
        store.write(batch("a", "red"))
        with closing(apsw.Connection(str(path))) as reader:
            store.write(batch("b", marker))
            reader.execute("BEGIN; SELECT count(*) FROM support").fetchall()
            with pytest.raises(StoreUnavailable, match=r"forgotten.*same command again"):
                store.forget(["docs/b.md"])
            assert texts(store, **{marker: 1}) == []
            assert holds(tmp_path, marker)
        assert store.forget(["docs/b.md"]) == 0
        assert not holds(tmp_path, marker)
        assert texts(store, red=1) == ["red"]


def holds(folder: Path, marker: str) -> bool:
    return any(marker.encode() in p.read_bytes() for p in folder.glob("q.db*") if p.is_file())


def test_a_closed_handle_says_so(tmp_path: Path) -> None:
    store = open_at(tmp_path / "q.db")
    store.close()
    store.close()
    for use in (store.counts, lambda: store.write(batch("a", "red"))):
        with pytest.raises(InvalidInput, match="closed"):
            use()


# disks


class _Disk(apsw.VFS):
    """SQLite's own files, with a disk that can be made to refuse them."""

    def __init__(self) -> None:
        self.writes: type[apsw.Error] | None = None
        self.reads: type[apsw.Error] | None = None
        self.read_only = False
        super().__init__("troubled", "")

    def xOpen(self, name: object, flags: list[int]) -> "_File":  # noqa: N802
        if self.read_only:
            flags[0] = flags[0] & ~apsw.SQLITE_OPEN_READWRITE & ~apsw.SQLITE_OPEN_CREATE
            flags[0] |= apsw.SQLITE_OPEN_READONLY
            flags[1] = apsw.SQLITE_OPEN_READONLY
        return _File(self, name, flags)


class _File(apsw.VFSFile):
    def __init__(self, disk: _Disk, name: object, flags: list[int]) -> None:
        super().__init__("", name, flags)  # type: ignore[arg-type]
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        if self._disk.writes:
            raise self._disk.writes("injected")
        super().xWrite(data, offset)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        if self._disk.reads:
            raise self._disk.reads("injected")
        return super().xRead(amount, offset)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Disk]:
    made = _Disk()
    connect = apsw.Connection

    def troubled(name: str, **options: object) -> apsw.Connection:
        return connect(name, vfs="troubled", **options)  # type: ignore[arg-type]

    monkeypatch.setattr(apsw, "Connection", troubled)
    # An error that a disk raises is also told to the interpreter, where pytest makes it a failure.
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    yield made
    made.unregister()


def test_a_full_disk_is_named_and_harms_nothing(tmp_path: Path, disk: _Disk) -> None:
    with open_at(tmp_path / "q.db") as store:
        store.write(batch("a", "red"))
        disk.writes = apsw.FullError
        with pytest.raises(StoreUnavailable, match=r"full.*nothing was changed.*before it is kept"):
            store.write(batch("b", "blue " * 5000))
        disk.writes = None
        assert texts(store, red=1) == ["red"]
        assert store.write(batch("b", "blue")).changes == 2


def test_a_disk_that_fails_is_named(tmp_path: Path, disk: _Disk) -> None:
    with open_at(tmp_path / "q.db") as store:
        disk.writes = apsw.IOError
        with pytest.raises(StoreUnavailable, match="disk"):
            store.write(batch("a", "red"))
        disk.writes = None
        assert store.write(batch("a", "red")).changes == 2
    disk.reads = apsw.IOError
    for read_only in (False, True):
        with pytest.raises(StoreUnavailable, match="disk"):
            open_at(tmp_path / "q.db", read_only=read_only)


def test_a_file_that_may_not_be_written_is_named(tmp_path: Path, disk: _Disk) -> None:
    path = tmp_path / "q.db"
    open_at(path).close()
    before = path.read_bytes()
    disk.read_only = True
    with pytest.raises(StoreUnavailable, match=r"cannot be written.*rights.*read-only"):
        open_at(path).write(batch("a", "red"))
    assert path.read_bytes() == before

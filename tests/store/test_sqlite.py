"""What SQLite adds to the contract: files, processes, crashes, damage."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import numpy as np
import pytest
from tests.contract.store_sample import (
    chunk,
    embedding,
    episode,
    keep_words_as_0_1_0,
    moment,
    one_source,
    texts,
)

from quipu.errors import NewerStore, StoreUnavailable
from quipu.files import checked
from quipu.index import stored
from quipu.records.batch import Batch
from quipu.store import open_store
from quipu.store.derived.rows import SegmentRows
from quipu.store.sqlite import SQLiteStore, schema

_WRITER = """
import sys
from pathlib import Path
from quipu.records.batch import Batch
from quipu.store.sqlite import SQLiteStore
from tests.contract.store_sample import chunk, episode, moment
name, count = sys.argv[2], int(sys.argv[3])
with SQLiteStore(Path(sys.argv[1]), namespace="default", timeout_s=60) as store:
    print("ready", flush=True)
    for n in range(count):
        of = episode(f"docs/{name}{n}.md", "A", at=moment(n))
        chunks = tuple(chunk(of, i, f"shared {name} p{n} q{i}") for i in range(5))
        store.write(Batch(recorded_at=moment(n), episodes=(of,), chunks=chunks))
        assert len(store.match_text("prose", {"shared": 1.0}, limit=9).numbers)
"""


def open_at(path: Path, **options: object) -> SQLiteStore:
    return SQLiteStore(path, namespace="default", **options)  # type: ignore[arg-type]


def batch(name: str, text: str, *, at: int = 1) -> Batch:
    of = episode(f"docs/{name}.md", "A", at=moment(at))
    item = chunk(of, 0, text)
    vectors = (embedding(item.chunk.chunk_id, "small", at),)
    return Batch(recorded_at=moment(at), episodes=(of,), chunks=(item,), embeddings=vectors)


def test_addresses_lead_to_their_stores(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/one.db") as one:
        one.write(batch("a", "red"))
    with open_store(str(tmp_path / "one.db")) as again:
        assert again.counts()["chunk"] == 1
    with open_store("memory:shared-by-name") as memory:
        memory.write(batch("a", "red"))
    with open_store("memory:shared-by-name") as memory:
        assert memory.counts()["chunk"] == 1


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_writer_leaves_whole_batches(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "q.db"
    command = [sys.executable, "-c", _WRITER, str(path), "w", "100000"]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"ready\n"
    time.sleep(0.2 + random.Random(seed).random() / 2)
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    with open_at(path) as store:
        counts = store.counts()
        assert counts["episode"] > 0
        assert counts["chunk"] == 5 * counts["episode"]
        assert store.sequence() == 6 * counts["episode"]
        found = store.match_text("prose", {"shared": 1.0}, limit=100_000)
        assert len(found.numbers) == counts["chunk"]
        assert store.write(batch("after", "red")).changes == 3


def test_a_file_of_the_first_release_is_read_as_it_is_and_brought_up_to_date(
    tmp_path: Path,
) -> None:
    path = tmp_path / "q.db"
    with open_at(path) as store:
        store.write(batch("a", "red"))
        for at, version in enumerate((("one", "two", "gone"), ("one", "two")), 1):
            of = episode("docs/c.md", str(at), at=moment(at))
            store.write(one_source(of, *(f"blue {each}" for each in version), at=at))
        keep_words_as_0_1_0(store)
    old = checked.connect(path)
    for table in ("job", "job_payload"):
        old.execute(f"DROP TABLE {table}")
    old.execute(f"PRAGMA user_version = {schema.OLDEST}")
    old.close()
    with open_at(path, read_only=True) as store:
        assert (texts(store, red=1), store.jobs.rows()) == (["red"], [])
        assert sorted(texts(store, blue=1)) == ["blue one", "blue two"]
    with open_at(path) as store:
        assert (texts(store, red=1), store.jobs.rows()) == (["red"], [])
        assert sorted(texts(store, blue=1)) == ["blue one", "blue two"]
        assert store.counts()["chunk"] == 3
        assert store.spaces() == {"small": 1}
        store.write(batch("b", "blue"))
        assert store.spaces() == {"small": 2}


def test_an_index_of_words_that_cannot_be_written_anew_now_is_read_as_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "q.db"
    with open_at(path) as store:
        store.write(batch("a", "red"))
        keep_words_as_0_1_0(store)
    other = checked.connect(path)
    other.execute("BEGIN IMMEDIATE")
    with open_at(path, timeout_s=0.1) as store:
        assert texts(store, red=1) == ["red"]
        other.execute("ROLLBACK")
        other.close()
        store.write(batch("b", "red"))
        assert len(texts(store, red=1)) == 2
    assert "written anew" not in caplog.text
    with open_at(path) as store:
        assert len(texts(store, red=1)) == 2
    assert "written anew" in caplog.text


def test_an_index_of_words_of_the_first_release_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "q.db"
    with open_at(path) as store:
        store.write(batch("a", "red blue"))
        keep_words_as_0_1_0(store)
    every, reads = SegmentRows.every_bucket, list[str]()

    def counted(self: SegmentRows, segment: int, field: str) -> list[bytes]:
        reads.append(field)
        return every(self, segment, field)

    monkeypatch.setattr(SegmentRows, "every_bucket", counted)
    monkeypatch.setattr(stored, "_HELD_BYTES", 1)
    with open_at(path, read_only=True) as store:
        assert (texts(store, red=1), texts(store, blue=1)) == (["red blue"], ["red blue"])
    assert len(reads) == len({*reads})


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_no_release_made_is_refused(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "q.db"
    open_at(path).close()
    old = checked.connect(path)
    old.execute(f"PRAGMA user_version = {schema.OLDEST - 1}")
    old.close()
    with pytest.raises(StoreUnavailable, match="index again"):
        open_at(path, read_only=read_only)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_schema_is_refused(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "q.db"
    open_at(path).close()
    newer = apsw.Connection(str(path))
    newer.execute(f"PRAGMA user_version = {schema.LATEST + 1}")
    newer.close()
    with pytest.raises(NewerStore, match="update Quipu"):
        open_at(path, read_only=read_only)


def test_read_only_reads_and_does_not_write(tmp_path: Path) -> None:
    path = tmp_path / "q.db"
    with pytest.raises(StoreUnavailable, match="not there"):
        open_at(path, read_only=True)
    with open_at(path) as store:
        store.write(batch("a", "red"))
    before = path.read_bytes()
    with open_at(path, read_only=True) as store:
        assert texts(store, red=1) == ["red"]
        assert len(store.match_vector(np.ones(8, dtype=np.float32), space="small").numbers) == 1
        for change in (
            lambda: store.write(batch("b", "blue")),
            lambda: store.forget(["docs/a.md"]),
            lambda: store.drop_space("small"),
        ):
            with pytest.raises(StoreUnavailable, match="read-only"):
                change()
    with SQLiteStore(path, namespace="never written", read_only=True) as store:
        assert store.sequence() == 0
        assert set(store.counts().values()) == {0}
    assert path.read_bytes() == before


def test_a_log_that_cannot_be_made_is_worked_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A folder in which SQLite cannot create files: here, because directories stand in their way.
    path = tmp_path / "q.db"
    with open_at(path) as store:
        store.write(batch("a", "red"))
    (tmp_path / "q.db-shm").mkdir()
    (tmp_path / "q.db-wal").mkdir()
    with open_at(path, read_only=True) as store:
        assert texts(store, red=1) == ["red"]
    with pytest.raises(StoreUnavailable, match=r"q\.db"):
        open_at(path).write(batch("b", "blue"))

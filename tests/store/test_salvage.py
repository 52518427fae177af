"""What verifies is kept, what is lost is named, and files among that are read again."""

import random
from pathlib import Path

import pytest

from quipu.errors import InvalidInput
from quipu.handle.home import DATABASE, find_home
from quipu.memory import Memory
from quipu.memory.recovery import SalvagedRecords, salvage_into
from quipu.store.salvage import salvage

INSTANT = "2026-03-01T10:00:00.000Z"
PAGE = 8192


def opened(folder: Path) -> Memory:
    return Memory.open(folder / DATABASE, home=folder, embedder=None, clock=lambda: INSTANT)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    for n in range(25):
        links = "".join(f"See [page {m}](p{m}.md) on the road. " for m in range(n))
        (folder / f"p{n}.md").write_text(f"# Page {n}\n\n{links}\n\n## Part\n\n{'Text. ' * 300}\n")
    with opened(folder) as memory:
        memory.index()
        (folder / "p3.md").unlink()
        (folder / "p4.md").write_text("# Page 4\n\nAnother text.\n")
        memory.index()
        memory.add("Ana moved to Puno in May 2024. " * 400, source_ref="manual:ana")
    return folder


def copied(kept: Path, to: Path) -> Path:
    for path in (*kept.glob("*.md"), kept / DATABASE):
        target = to / path.relative_to(kept)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return to


def harm(database: Path, *pages: int) -> None:
    data = bytearray(database.read_bytes())
    for page in pages:
        data[(page - 1) * PAGE + 500] ^= 1
    database.write_bytes(data)


def salvage_of(folder: Path) -> SalvagedRecords:
    return salvage_into(
        find_home(None, folder), folder / "new/.quipu/quipu.db", clock=lambda: INSTANT
    )


def records(folder: Path) -> bytes:
    with opened(folder) as memory:
        memory.export(folder / "out.jsonl", overwrite=True)
    return (folder / "out.jsonl").read_bytes()


def test_all_of_a_whole_memory_is_kept(kept: Path, tmp_path: Path) -> None:
    folder = copied(kept, tmp_path)
    done = salvage_of(folder)
    assert (done.lost, done.damaged_pages) == ({}, 0)
    assert records(folder / "new") == records(folder)


@pytest.mark.parametrize("step", [12, pytest.param(1, marks=pytest.mark.large)])
def test_whatever_page_is_damaged_every_record_is_kept_or_named(
    kept: Path, tmp_path: Path, step: int
) -> None:
    database = tmp_path / "q.db"
    whole = (kept / DATABASE).read_bytes()
    database.write_bytes(whole)
    every = sum(len(each.periods) for each in salvage(database)[0])
    lost_at = {}
    for page in range(1, len(whole) // PAGE + 1, step):
        database.write_bytes(whole)
        harm(database, page)
        found, rows = salvage(database)
        assert rows.damaged == [page]
        lost = sum(sum(each.lost.values()) for each in found)
        assert sum(len(each.periods) for each in found) + lost >= every
        lost_at[page] = lost
    assert any(lost_at.values())
    assert not lost_at[1]
    assert sum(map(bool, lost_at.values())) < len(lost_at) / 2


def test_what_is_lost_of_files_is_read_again(kept: Path, tmp_path: Path) -> None:
    folder = copied(kept, tmp_path)
    expected = records(folder)
    draw = random.Random(2)
    count = (folder / DATABASE).stat().st_size // PAGE
    for turn in range(3):
        again = copied(kept, tmp_path / str(turn))
        harm(again / DATABASE, *draw.sample(range(2, count + 1), 3))
        done = salvage_of(again)
        assert done.damaged_pages == 3
        (again / DATABASE).unlink()
        for left in (again / ".quipu").glob("quipu.db-*"):
            left.unlink()
        (again / "new/.quipu/quipu.db").rename(again / DATABASE)
        with opened(again) as memory:
            memory.index()
            if "manual:ana" in done.lost:
                memory.forget("manual:ana")
                memory.add("Ana moved to Puno in May 2024. " * 400, source_ref="manual:ana")
            held = memory.store.counts()
            assert memory.validate().errors == ()
        with opened(folder) as memory:
            assert held == memory.store.counts()
    assert records(folder) == expected


def test_nothing_is_written_over(kept: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="already"):
        salvage_into(find_home(None, kept), kept / DATABASE, clock=lambda: INSTANT)

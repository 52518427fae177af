"""Every operation that has a test on a toy, once on a memory of more than 50 MB."""

import random
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from string import ascii_lowercase

import pytest

from quipu.files.whole import faults
from quipu.handle.home import DATABASE, find_home
from quipu.memory import Memory
from quipu.memory.recovery import damage, salvage_into
from quipu.records.passage import PassageInput
from quipu.testing.fakes import HashEmbedder

pytestmark = pytest.mark.large

_PASSAGES, _WORDS, _FILES = 6_000, 250, 150
_SIZE_BYTES = 50_000_000

Open = Callable[..., Memory]


def _words(draw: random.Random) -> list[str]:
    return ["".join(draw.choices(ascii_lowercase, k=draw.randint(3, 9))) for _ in range(5_000)]


def _passages() -> Iterator[PassageInput]:
    draw = random.Random(5)
    words = _words(draw)
    for n in range(_PASSAGES):
        said = " ".join(draw.choices(words, k=_WORDS))
        yield PassageInput(source_ref=f"note:{n}", text=f"Report {n} of the harbour: {said}.")


def _write_tree(folder: Path) -> None:
    draw = random.Random(6)
    words = _words(draw)
    for n in range(_FILES):
        says = ["\n".join(" ".join(draw.choices(words, k=12)) for _ in range(8)) for _ in range(6)]
        (folder / f"page{n}.md").write_text(
            f"# Page {n}\n\n" + "\n\n".join(f"## Part {k}\n\n{s}" for k, s in enumerate(says))
        )
        names = draw.choices(words, k=6)
        (folder / f"module{n}.py").write_text(
            "\n\n".join(f"def {name}_{n}(x):\n    return x + {n}" for name in dict.fromkeys(names))
        )


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, open_memory: Open) -> Path:
    """The folder of a closed memory of a tree and of passages, words and vectors."""
    folder = tmp_path_factory.mktemp("real")
    _write_tree(folder)
    with open_memory(folder / DATABASE, folder) as memory:
        memory.index()
        memory.add_documents(_passages())
    assert (folder / DATABASE).stat().st_size > _SIZE_BYTES
    return folder


@pytest.fixture
def copied(real: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(real, tmp_path / "copied"))


@pytest.fixture(scope="module")
def exported(real: Path, open_memory: Open) -> frozenset[str]:
    return _export(open_memory, real)


def _export(open_memory: Open, folder: Path) -> frozenset[str]:
    with open_memory(folder / DATABASE, folder, read_only=True) as memory:
        memory.export(folder / "out.jsonl", vectors=True, overwrite=True)
    lines = (folder / "out.jsonl").read_text("utf-8").splitlines()[1:]
    (folder / "out.jsonl").unlink()
    return frozenset(lines)


def test_a_backup_is_put_back_whole(
    real: Path, exported: frozenset[str], tmp_path: Path, open_memory: Open
) -> None:
    with open_memory(real / DATABASE, real, read_only=True) as memory:
        done = memory.backup(tmp_path / "m.quipu")
    assert Memory.restore(tmp_path / "m.quipu", tmp_path / "new" / DATABASE).counts == done.counts
    assert faults(tmp_path / "new" / DATABASE) == []
    assert _export(open_memory, tmp_path / "new") == exported


def test_a_backup_beside_a_writer_is_one_moment(
    copied: Path, exported: frozenset[str], tmp_path: Path, open_memory: Open
) -> None:
    stop = threading.Event()

    def write() -> None:
        with open_memory(copied / DATABASE, copied) as memory:
            n = 0
            while not stop.is_set():
                memory.add(f"Note {n} of the road.", source_ref=f"manual:{n}")
                n += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with open_memory(copied / DATABASE, copied, read_only=True) as memory:
            memory.backup(tmp_path / "m.quipu")
    finally:
        stop.set()
        writer.join()
    Memory.restore(tmp_path / "m.quipu", tmp_path / "new" / DATABASE)
    assert exported <= _export(open_memory, tmp_path / "new")
    with open_memory(tmp_path / "new" / DATABASE, tmp_path / "new") as memory:
        assert memory.validate().errors == ()


def test_an_export_is_imported_as_it_was(
    real: Path, exported: frozenset[str], tmp_path: Path, open_memory: Open
) -> None:
    with open_memory(real / DATABASE, real, read_only=True) as memory:
        memory.export(tmp_path / "out.jsonl", vectors=True)
    with open_memory(tmp_path / "new" / DATABASE, tmp_path / "new") as memory:
        memory.import_(tmp_path / "out.jsonl")
    assert _export(open_memory, tmp_path / "new") == exported


def test_a_store_is_migrated_whole(real: Path, tmp_path: Path, open_memory: Open) -> None:
    new = tmp_path / "new"
    with (
        open_memory(real / DATABASE, real, read_only=True) as memory,
        open_memory(new / DATABASE, new) as other,
    ):
        done = memory.migrate(other)
        assert done.chunks


def test_damage_is_named_and_the_rest_is_salvaged(
    copied: Path, tmp_path: Path, exported: frozenset[str], open_memory: Open
) -> None:
    home = find_home(None, copied)
    assert list(damage(home)) == []
    database, draw = copied / DATABASE, random.Random(8)
    with database.open("r+b") as stream:
        for _ in range(3):
            stream.seek(draw.randrange(8192, database.stat().st_size))
            stream.write(b"\xa5")
    ((path, found),) = damage(home)
    assert path == database
    assert found
    kept = salvage_into(home, tmp_path / "kept.db", clock=lambda: "2026-03-01T10:00:00.000Z")
    assert 1 <= kept.damaged_pages <= 3
    assert kept.records > 0.95 * _PASSAGES
    assert faults(tmp_path / "kept.db") == []


def test_what_is_forgotten_leaves_nothing(copied: Path, open_memory: Open) -> None:
    with open_memory(copied / DATABASE, copied) as memory:
        assert memory.forget("note:77") == 1
        found = memory.search("Report 77 of the harbour").hits
        assert all(hit.path != "note:77" for hit in found)
    for path in (copied / ".quipu").rglob("*"):
        assert not path.is_file() or b"Report 77 of the harbour" not in path.read_bytes(), path
    assert faults(copied / DATABASE) == []


def test_reading_all_again_changes_nothing(
    copied: Path, exported: frozenset[str], open_memory: Open
) -> None:
    with open_memory(copied / DATABASE, copied) as memory:
        report = memory.index()
        assert not report.did_something
    assert _export(open_memory, copied) == exported


def test_another_model_embeds_all_anew(copied: Path, open_memory: Open) -> None:
    other = HashEmbedder(48)
    with open_memory(copied / DATABASE, copied, embedder=other) as memory:
        report = memory.reindex()
        assert report.embedded == memory.stats().counts["chunk"]
        assert set(memory.store.spaces()) == {other.space}
    assert faults(copied / DATABASE) == []


def test_a_passage_is_found_by_its_words(real: Path, open_memory: Open) -> None:
    with open_memory(real / DATABASE, real, read_only=True) as memory:
        assert memory.search("Report 4321 of the harbour").hits[0].path == "note:4321"

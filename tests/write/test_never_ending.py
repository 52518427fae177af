"""What never ends, or is not there to be read: told, and never waited for."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.read import FileEntry, read_source


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def bound(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's path may not be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def locked(path: Path) -> None:
    path.write_text("x")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("nothing is unreadable to this user")


KINDS: list[Callable[[Path], None]] = [fifo, device, loop, locked]


@pytest.mark.parametrize("make", KINDS)
def test_a_tree_with_one_is_indexed(
    memory: Memory, tree: Any, make: Callable[[Path], None]
) -> None:
    tree({"a.md": "# A\n"})
    make(memory.home.folder / "odd.md")
    report = memory.index()
    assert report.added == ("a.md",)
    assert [row.path for row in report.errors] == ["odd.md"]


@pytest.mark.parametrize("make", KINDS)
def test_a_folder_of_records_with_one_is_read(memory: Memory, make: Callable[[Path], None]) -> None:
    folder = memory.home.folder / "records"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"component":"api","severity":"low"}\n')
    make(folder / "odd.json")
    added = memory.incidents.add_files(folder)
    assert len(added.added) == 1
    assert [Path(row.path).name for row in added.errors] == ["odd.json"]


@pytest.mark.parametrize("make", KINDS)
def test_a_folder_of_transcripts_with_one_is_read(
    memory: Memory, make: Callable[[Path], None]
) -> None:
    folder = memory.home.folder / "talks"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"speaker":"Ann","text":"Good morning to you all."}\n')
    make(folder / "odd.jsonl")
    assert memory.ingest(folder).added == 1


@pytest.mark.parametrize("make", [fifo, device, locked])
def test_policies_and_ledgers_are_never_waited_for(
    memory: Memory, make: Callable[[Path], None]
) -> None:
    make(memory.home.folder / "policies.yaml")
    with pytest.raises(InvalidInput, match=r"policies\.yaml"):
        memory.incidents.check_policies(memory.home.folder / "policies.yaml")
    make(memory.home.folder / "value_ledger.json")
    with pytest.raises(InvalidInput, match=r"value_ledger\.json"):
        memory.values.derive()


def test_a_socket_is_no_file(memory: Memory, tree: Any) -> None:
    tree({"a.md": "# A\n"})
    bound(memory.home.folder / "odd.md")
    assert [row.path for row in memory.index().errors] == ["odd.md"]


def test_a_file_that_grows_while_it_is_read_is_left_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.md"
    path.write_text("# Log\n")
    real = os.fstat

    def growing(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        with path.open("a") as log:
            log.write("more\n")
        return status

    monkeypatch.setattr(os, "fstat", growing)
    status = path.stat()
    entry = FileEntry("log.md", path, status.st_size, status.st_mtime_ns)
    assert "changed while it was being read" in str(read_source(entry))

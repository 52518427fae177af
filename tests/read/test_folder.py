"""The files of a folder that is read whole."""

import os
from pathlib import Path

import pytest

from quipu.read import source as walked
from quipu.read.source import files_in


def _filled(folder: Path) -> Path:
    (folder / "b").mkdir()
    (folder / "b" / "two.md").write_text("two")
    (folder / "a.md").write_text("one")
    (folder / "gone").symlink_to(folder / "nothing")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "link.md").symlink_to(folder / "a.md")
    (folder / "up").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    return folder


def test_only_plain_files_are_given_by_path(tmp_path: Path) -> None:
    folder = _filled(tmp_path)
    assert files_in(folder) == ([folder / "a.md", folder / "b" / "two.md"], [])


def test_what_cannot_be_looked_at_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _filled(tmp_path)
    scanned = os.scandir

    def closed(path: str) -> object:
        if Path(path).name == "b":
            raise PermissionError(13, "Permission denied", str(path))
        return scanned(path)

    monkeypatch.setattr(walked.os, "scandir", closed)
    files, problems = files_in(folder)
    assert files == [folder / "a.md"]
    assert [(each.path, each.error, each.severity) for each in problems] == [
        ("b", "cannot be read: Permission denied", "warning")
    ]

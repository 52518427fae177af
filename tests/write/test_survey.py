"""What the survey may call gone: only what could be looked for."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quipu.memory import Memory

Tree = Callable[[dict[str, str]], None]


@pytest.fixture
def unlistable(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes the folders with a name impossible to list (rights do not bind the root user)."""
    real = os.scandir

    def forbid(name: str) -> None:
        def scandir(path: "str | Path") -> "Iterator[os.DirEntry[str]]":
            if Path(path).name == name:
                raise PermissionError(13, "Permission denied")
            return real(path)

        monkeypatch.setattr(os, "scandir", scandir)

    return forbid


@pytest.mark.parametrize("folder", ["kept", "odd\nname"])
def test_what_lies_below_a_folder_that_cannot_be_listed_stays(
    memory: Memory, tree: Tree, unlistable: Callable[[str], None], folder: str
) -> None:
    tree({f"{folder}/deep/a.md": "# A\n\nText of A.\n", "b.md": "# B\n\nText of B.\n"})
    memory.index()
    unlistable(folder)
    report = memory.index()
    assert [row.error for row in report.errors] == ["cannot be listed: Permission denied"]
    assert report.removed == ()
    assert memory.store.counts()["episode"] == 2

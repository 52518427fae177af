"""A secret in a name: of a file, a folder, a commit, a session, a namespace."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.errors import InvalidInput
from quipu.memory import Memory

TOKEN, OTHER = "ghp_" + "a1B2" * 9, "ghp_" + "c3D4" * 9


def on_disk(memory: Memory, secret: str) -> list[str]:
    """The files of the store that hold `secret` anywhere."""
    assert memory.home.state is not None
    return [
        path.name
        for path in memory.home.state.rglob("*")
        if path.is_file() and secret.encode() in path.read_bytes()
    ]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / ".quipu" / "quipu.db", embedder=None, home=tmp_path) as opened:
        yield opened


def write(memory: Memory, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = memory.home.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_a_file_is_kept_under_a_name_without_its_secret(memory: Memory) -> None:
    write(
        memory,
        {f"{TOKEN}.md": "# A\n\nOne.\n", f"{OTHER}.md": "# B\n\nTwo.\n", f"{TOKEN}/c.md": "# C\n"},
    )
    report = memory.index()
    assert report.added == (
        "[redacted:github-token].md",
        "[redacted:github-token]/c.md",
        "[redacted:github-token~2].md",
    )
    assert {row.path for row in report.warnings} == set(report.added)
    assert all("rename the file" in row.error for row in report.warnings)
    assert on_disk(memory, TOKEN) == on_disk(memory, OTHER) == []
    assert memory.index().unchanged == 3
    (memory.home.folder / f"{OTHER}.md").unlink()
    assert memory.index().removed == ("[redacted:github-token~2].md",)


def test_paths_and_addresses_of_commits(memory: Memory) -> None:
    def git(*arguments: str) -> None:
        said = ["-c", f"user.name={TOKEN}", "-c", f"user.email={TOKEN}@example.org"]
        subprocess.run(
            ["git", "-C", str(memory.home.folder), *said, *arguments],
            check=True,
            capture_output=True,
        )

    git("init")
    write(memory, {f"{TOKEN}.md": "# A\n"})
    git("add", f"{TOKEN}.md")
    git("commit", "-m", f"Use {TOKEN}\n\nReviewed-by: {TOKEN}")
    memory.index_git(memory.home.folder)
    assert memory.store.counts()["episode"] > 0
    assert on_disk(memory, TOKEN) == []


def test_a_namespace_that_is_a_secret_is_refused_without_showing_it(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds a secret") as caught:
        Memory.open(tmp_path / "quipu.db", namespace=TOKEN, embedder=None)
    assert TOKEN not in str(caught.value)
    assert not (tmp_path / "quipu.db").exists()

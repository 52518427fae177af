"""Hostile folders: links into what is ignored, odd times, odd rules, files that change."""

import os
from pathlib import Path

import pytest
from tests.rows import rows

from quipu.errors import InvalidInput
from quipu.read import FileEntry, read_source, walk
from quipu.records.document import Problem
from quipu.when.instants import UNKNOWN_TIME


def put(root: Path, *paths: str, text: str = "x\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def found(root: Path) -> list[str]:
    return [e.path for e in walk(root) if isinstance(e, FileEntry)]


def problems(root: Path) -> list[Problem]:
    return [p for p in walk(root) if isinstance(p, Problem)]


@pytest.mark.parametrize(
    "target",
    rows(__file__, "a_link_brings_in_nothing_that_is_ignored"),
)
def test_a_link_brings_in_nothing_that_is_ignored(tmp_path: Path, target: str) -> None:
    put(
        tmp_path,
        "hidden/b.md",
        "hidden/deep/c.md",
        "secret.env",
        ".git/config",
        "env/pyvenv.cfg",
        "env/lib.py",
        "sub/inner.log",
        "sub/kept.md",
        "data.bin",
        "a.md",
    )
    put(tmp_path, ".gitignore", text="hidden/\n*.env\n")
    put(tmp_path, "sub/.quipuignore", text="*.log\n")
    plain = found(tmp_path)
    (tmp_path / "link.md").symlink_to(target)
    assert found(tmp_path) == plain
    assert problems(tmp_path) == []


@pytest.mark.parametrize("seconds", [10**13, -(10**12)])
def test_a_file_from_outside_of_all_years_has_no_known_time(tmp_path: Path, seconds: int) -> None:
    put(tmp_path, "a.md")
    try:
        os.utime(tmp_path / "a.md", (seconds, seconds))
    except (OSError, OverflowError):
        pytest.skip("this file system keeps no such times")
    (entry,) = walk(tmp_path)
    assert isinstance(entry, FileEntry)
    if abs(entry.mtime_ns) < 10**20:
        pytest.skip("this file system keeps no such times")
    source = read_source(entry)
    assert not isinstance(source, Problem)
    assert source.updated_at == UNKNOWN_TIME


@pytest.mark.parametrize("rule", ["!", "\\", "a\\"])
def test_a_rule_that_cannot_be_read_costs_only_itself(tmp_path: Path, rule: str) -> None:
    put(tmp_path, "a.md", "b.log")
    put(tmp_path, ".gitignore", text=f"{rule}\n*.log\n")
    assert found(tmp_path) == [".gitignore", "a.md"]


@pytest.mark.parametrize("include", ["!", "\\"])
def test_a_pattern_that_cannot_be_read_is_the_callers_mistake(tmp_path: Path, include: str) -> None:
    with pytest.raises(InvalidInput, match="include"):
        list(walk(tmp_path, include=[include]))


def test_a_file_that_became_a_pipe_is_a_problem_and_never_waited_for(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    (entry,) = walk(tmp_path)
    assert isinstance(entry, FileEntry)
    (tmp_path / "a.md").unlink()
    os.mkfifo(tmp_path / "a.md")
    problem = read_source(entry)
    assert isinstance(problem, Problem)
    assert "no regular file" in problem.error


@pytest.mark.parametrize(
    "name", ["\x01", "\x01odd.md", "\x0112", "new\nline.md", "tab\t.md", "\nfirst.md"]
)
def test_control_characters_in_committed_names(tmp_path: Path, name: str) -> None:
    import subprocess

    put(tmp_path, name, "z.md")
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True)
    entries = [e for e in walk(tmp_path) if isinstance(e, FileEntry)]
    assert [e.path for e in entries] == sorted([name, "z.md"])
    assert all(e.committed_at for e in entries)


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "root/a.md", "outside.md")
    (entry,) = walk(tmp_path / "root")
    assert isinstance(entry, FileEntry)
    (tmp_path / "root/a.md").unlink()
    (tmp_path / "root/a.md").symlink_to("../outside.md")
    assert isinstance(read_source(entry), Problem)

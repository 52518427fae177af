"""Which files are found, and what is known of each."""

import hashlib
import os
from pathlib import Path

import pytest
from tests.repositories import git

from quipu.read import FileEntry, read_source, walk
from quipu.records.document import Problem

DAY = "2020-02-03T04:05:06"
DATED = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{DAY}Z")


def put(root: Path, *paths: str, text: str = "x\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def found(root: Path, **options: object) -> list[str]:
    return [e.path for e in walk(root, **options) if isinstance(e, FileEntry)]  # type: ignore[arg-type]


def problems(root: Path) -> list[Problem]:
    return [p for p in walk(root) if isinstance(p, Problem)]


def test_naming_an_ignored_folder_means_wanting_it(tmp_path: Path) -> None:
    put(tmp_path, "vendor/lib/a.py")
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("/vendor/\n")
    assert found(tmp_path) == [".gitignore"]
    assert found(tmp_path / "vendor/lib") == ["a.py"]


def test_folders_with_a_dot_are_read_when_they_are_named(tmp_path: Path) -> None:
    put(
        tmp_path,
        ".trash/a.md",
        ".obsidian/b.json",
        ".stversions/c.md",
        "logseq/bak/d.md",
        "sub/.any/e.md",
        ".github/f.md",
        ".claude/g.md",
        "h.md",
    )
    assert found(tmp_path) == [".claude/g.md", ".github/f.md", "h.md"]
    assert found(tmp_path / ".trash") == ["a.md"]
    (tmp_path / ".quipuignore").write_text("!.any/\n")
    assert "sub/.any/e.md" in found(tmp_path)


def test_a_file_over_the_cap_is_a_problem(tmp_path: Path) -> None:
    put(tmp_path, "big.txt", text="x" * 101)
    (problem,) = [p for p in walk(tmp_path, max_bytes=100) if isinstance(p, Problem)]
    assert problem.path == "big.txt"
    assert "101 bytes" in problem.error


def test_links_out_of_the_root_are_problems_and_links_inside_bring_nothing_twice(
    tmp_path: Path,
) -> None:
    root = tmp_path / "root"
    put(root, "a.md", "hidden/b.md")
    put(tmp_path, "outside.md")
    (root / ".gitignore").write_text("hidden/\n")
    (root / "again.md").symlink_to("a.md")
    (root / "loop").symlink_to(".")
    (root / "shown").symlink_to("hidden")
    (root / "nothing").symlink_to("missing")
    (root / "out.md").symlink_to("../outside.md")
    assert found(root) == [".gitignore", "a.md"]
    assert [(p.path, p.error.split(";")[0]) for p in problems(root)] == [
        ("nothing", "is a link to nothing"),
        ("out.md", "is a link that leaves the folder"),
    ]


def test_a_name_that_is_not_utf8_is_a_problem(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("x")
    except OSError:
        pytest.skip("this file system refuses such names")
    (problem,) = problems(tmp_path)
    assert problem.path == "caf\\udce9.md"


def test_a_pipe_is_a_problem_and_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert [p.error for p in problems(tmp_path)] == ["is no regular file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_a_problem_when_read(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    (tmp_path / "a.md").chmod(0)
    (entry,) = walk(tmp_path)
    assert isinstance(entry, FileEntry)
    read = read_source(entry)
    assert isinstance(read, Problem)
    assert "Permission denied" in read.error


def test_outside_of_git_a_source_carries_its_hash_and_its_own_time(tmp_path: Path) -> None:
    put(tmp_path, "a.md", text="hello\n")
    os.utime(tmp_path / "a.md", (1_600_000_000, 1_600_000_000))
    (entry,) = walk(tmp_path)
    assert isinstance(entry, FileEntry)
    source = read_source(entry)
    assert not isinstance(source, Problem)
    assert source.content_hash == source.source_sha == hashlib.sha256(b"hello\n").hexdigest()
    assert source.updated_at == "2020-09-13T12:26:40.000Z"


def test_in_git_a_source_carries_its_blob_and_its_last_commit(tmp_path: Path) -> None:
    put(tmp_path, "same.md", "sub/changed.md", text="hello\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "x", **DATED)
    put(tmp_path, "sub/changed.md", "new.md", text="other\n")
    sources = {e.path: read_source(e) for e in walk(tmp_path) if isinstance(e, FileEntry)}
    same, changed, new = sources["same.md"], sources["sub/changed.md"], sources["new.md"]
    assert not isinstance(same, Problem)
    assert not isinstance(changed, Problem)
    assert not isinstance(new, Problem)
    assert same.source_sha == "ce013625030ba8dba906f756967f9e9ca394464a"  # git's for hello
    assert same.updated_at == f"{DAY}.000Z"
    assert changed.updated_at > same.updated_at
    assert new.updated_at > same.updated_at
    assert changed.source_sha == new.source_sha


def _work_trees(main: Path, *paths: str) -> None:
    put(main, "docs/a.md")
    git(main, "init", "-q")
    git(main, "add", ".")
    git(main, "commit", "-q", "-m", "One", **DATED)
    for path in paths:
        git(main, "worktree", "add", "-q", "--detach", path)


def test_a_further_work_tree_of_the_same_repository_is_not_read_again(tmp_path: Path) -> None:
    main = tmp_path / "main"
    _work_trees(main, ".claude/worktrees/one", "two", "../three")
    (main / "link").symlink_to("two/docs")
    assert found(main) == ["docs/a.md"]
    assert found(main / "docs") == ["a.md"]
    assert found(tmp_path / "three") == ["docs/a.md"]
    assert found(tmp_path) == ["main/docs/a.md"]
    assert found(main / "two") == ["docs/a.md"]  # named, it is wanted

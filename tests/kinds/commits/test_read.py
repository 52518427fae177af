"""Commits as git streams them: whatever they say, one commit never runs into the next."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.repositories import git

from quipu.errors import InvalidInput
from quipu.kinds.commits.model import CommitInput
from quipu.kinds.commits.repository import open_repository, reachable, read_commits

Make = Callable[..., list[str]]


def read(folder: Path) -> list[CommitInput]:
    repository = open_repository(folder)
    commits = list(read_commits(repository, reachable(repository), name="demo"))
    assert all(isinstance(each, CommitInput) for each in commits)
    return [each for each in commits if isinstance(each, CommitInput)]


def test_a_commit_brings_message_author_time_files_and_parents(
    tmp_path: Path, make_repository: Make, made: Any
) -> None:
    shas = make_repository(
        tmp_path,
        [
            made("First\n\nWith a body.\n", {"a.txt": "1", "lib/b c.c": "2"}, 1_000_000_000),
            made("Second\n", {"a.txt": "3"}, 1_000_000_100, "Bo <bo@example.org>"),
        ],
    )
    first, second = read(tmp_path)
    assert [first.sha, second.sha] == shas
    assert first.message == "First\n\nWith a body.\n"
    assert first.files == ("a.txt", "lib/b c.c")
    assert first.time == "2001-09-09T01:46:40.000Z"
    assert (first.author, first.email) == ("Ann Ash", "ann@example.org")
    assert first.parents == ()
    assert (second.author, second.files, second.parents) == ("Bo", ("a.txt",), (shas[0],))


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\n\n\n",
        b"%H%x00%n commit 1234\x01\x02\x1b[31m",
        b"latin \xe4\xf6 \xff\xfe",
        b"a line that is a path\n\nlib/fake.c\n",
        b"x" * 300_000,
        b"\xf0\x9f\x92\xa9 " * 40_000,
    ],
)
def test_no_message_runs_into_the_next_commit(
    tmp_path: Path, make_repository: Make, made: Any, message: bytes
) -> None:
    shas = make_repository(
        tmp_path,
        [made("before", {"a": "1"}), made(message, {"b": "1"}), made("after", {"c": "1"})],
    )
    found = read(tmp_path)
    assert [each.sha for each in found] == shas
    assert [each.files for each in found] == [("a",), ("b",), ("c",)]
    assert found[1].message.strip() == message.decode("utf-8", "replace").strip()
    assert found[2].message.strip() == "after"


def test_commits_without_files_and_merges_are_read(
    tmp_path: Path, make_repository: Make, made: Any
) -> None:
    make_repository(tmp_path, [made("one", {"a": "1"}), made("nothing"), made("two", {"b": "1"})])
    git(tmp_path, "checkout", "-q", "-b", "side", "HEAD~1")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "side")
    git(tmp_path, "merge", "-q", "-m", "merge", "main")
    found = {each.message.strip(): each for each in read(tmp_path)}
    assert found["nothing"].files == ()
    assert found["merge"].files == ()
    assert len(found["merge"].parents) == 2
    assert found["two"].files == ("b",)


def test_a_shallow_clone_does_not_say_that_its_oldest_commit_made_everything(
    tmp_path: Path, make_repository: Make, made: Any
) -> None:
    whole = tmp_path / "whole"
    make_repository(
        whole, [made("one", {"a": "1"}), made("two", {"b": "1"}), made("three", {"c": "1"})]
    )
    git(tmp_path, "clone", "-q", "--depth", "2", whole.as_uri(), "cut")
    repository = open_repository(tmp_path / "cut")
    assert len(repository.cut) == 1
    assert [each.files for each in read(tmp_path / "cut")] == [(), ("c",)]


def test_a_bare_repository_is_read(tmp_path: Path, make_repository: Make, made: Any) -> None:
    make_repository(tmp_path / "whole", [made("one", {"a": "1"})])
    git(tmp_path, "clone", "-q", "--bare", str(tmp_path / "whole"), "bare.git")
    assert open_repository(tmp_path / "bare.git").top is None
    assert [each.message for each in read(tmp_path / "bare.git")] == ["one"]


def test_what_is_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not a git repository"):
        open_repository(tmp_path)
    with pytest.raises(InvalidInput, match="no folder"):
        open_repository(tmp_path / "nowhere")


def test_a_damaged_repository_ends_with_a_clear_error(
    tmp_path: Path, make_repository: Make, made: Any
) -> None:
    shas = make_repository(tmp_path, [made("one", {"a": "1"}), made("two", {"b": "1"})])
    repository = open_repository(tmp_path)
    listed = [*reachable(repository), "0" * 40]
    with pytest.raises(InvalidInput, match="git cannot read the history"):
        list(read_commits(repository, listed, name="demo"))
    assert len(shas) == 2

"""Histories as arrays, and the features of commits."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.config import Config
from quipu.kinds.commits.history import (
    commit_hash,
    file_hash,
    histories,
    pack_commit,
    read_commits,
)
from quipu.kinds.commits.model import CommitInput
from quipu.memory import Memory
from quipu.when.instants import from_epoch

START, DAY = 1_500_000_000, 86_400


def commit(number: int, message: str, *files: str, repository: str = "demo") -> CommitInput:
    return CommitInput(
        sha=f"{number:08x}" + "f" * 32,
        message=message,
        time=from_epoch(START + number * DAY),
        files=files,
        repository=repository,
    )


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open("memory:", home=tmp_path, config=Config(), embedder=None) as opened:
        yield opened


def test_columns_come_back_as_they_were_packed() -> None:
    packed = [
        pack_commit(
            repository="demo",
            sha=f"{n}" * 40,
            time=START + n,
            words=n,
            path_words=2,
            files=[f"f{i}" for i in range(n)],
            touched=n + 5,
            cites=["b" * 40, "a" * 40][:n],
        )
        for n in range(3)
    ]
    heads, files, cites = read_commits([b"before" + each for each in packed])
    assert heads["files"].tolist() == [0, 1, 2]
    assert heads["touched"].tolist() == [5, 6, 7]
    assert files.tolist() == [file_hash("f0"), *sorted((file_hash("f0"), file_hash("f1")))]
    one, other = commit_hash("b" * 40), commit_hash("a" * 40)
    assert cites.tolist() == [one, *sorted((one, other))]


def test_only_citations_of_what_came_before_count(memory: Memory) -> None:
    later = commit(9, "later")
    memory.add_commits(
        [
            commit(1, "one"),
            later,
            commit(2, f"fix {commit(1, '').sha}"),
            commit(3, f"fix {later.sha}"),
        ]
    )
    (history,) = histories(memory.store)
    assert (history.citing.tolist(), history.cited.tolist()) == ([1], [0])

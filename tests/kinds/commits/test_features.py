"""Histories as arrays, and the features of commits."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.config import Config
from quipu.kinds.commits.features import asked_commit, measure_commits
from quipu.kinds.commits.history import (
    CommitHistory,
    commit_hash,
    file_hash,
    histories,
    pack_commit,
    read_commits,
)
from quipu.kinds.commits.model import CommitInput
from quipu.kinds.commits.weights import FEATURES
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


def measured(
    memory: Memory, message: str, *files: str, day: float = 1_000.0
) -> tuple[CommitHistory, dict[int, dict[str, float]]]:
    (history,) = histories(memory.store)
    found = measure_commits(
        asked_commit(message, files),
        memory.store,
        history,
        moment=START + day * DAY,
    )
    names: list[str] = list(FEATURES)
    rows = [dict(zip(names, row, strict=True)) for row in found.features.tolist()]
    return history, dict(zip(found.rows.tolist(), rows, strict=True))


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


def test_rows_are_in_the_order_of_time_whatever_the_order_of_writing(memory: Memory) -> None:
    memory.add_commits([commit(3, "three"), commit(1, "first"), commit(2, "second")])
    (history,) = histories(memory.store)
    assert history.times.tolist() == [START + n * DAY for n in (1, 2, 3)]
    _, found = measured(memory, "second", day=3)
    assert sorted(found) == [0, 1]
    assert found[1]["words"] > found[0]["words"] == 0


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

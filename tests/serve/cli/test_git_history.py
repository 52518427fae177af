"""Commits on the command line: indexed, searched before a moment and by files, measured."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., list[str]]


@pytest.fixture
def repository(quipu: Any, tmp_path: Path, make_repository: Make, made: Any) -> list[str]:
    shas = make_repository(
        tmp_path,
        [
            made("pool: keep idle connections", {"src/pool.c": "1"}, 1_000_000_000),
            made("tls: read certificates", {"src/tls.c": "1"}, 1_100_000_000),
        ],
    )
    assert quipu("init").code == 0
    return shas


def test_a_history_is_indexed_and_searched(quipu: Any, repository: list[str]) -> None:
    report = quipu("index", "--git", ".", "--json").document
    assert (report["added"], report["head"]) == (2, repository[-1])
    assert report["edges"] == {"AUTHORED_BY": 2, "MODIFIES": 2}
    found = quipu("search", "idle connections", "--json").document
    assert found["hits"][0]["source_ref"] == f"commit:{repository[0]}"
    assert "Relations: AUTHORED_BY" not in quipu("index", "--git", ".").out


def test_git_and_paths_are_two_runs(quipu: Any, repository: list[str]) -> None:
    assert len(repository) == 2
    outcome = quipu("index", "--git", ".", "src")
    assert outcome.code == 2
    assert "run of their own" in outcome.err

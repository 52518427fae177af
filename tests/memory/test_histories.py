"""Commits are written through Memory, follow the history, and are ranked by what was known."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.repositories import git

from quipu.kinds.commits.model import CommitInput
from quipu.memory import Memory
from quipu.memory.validation import validate
from quipu.records.document import Problem
from quipu.records.record import Entity, Episode
from quipu.records.scope import Scope
from quipu.when.instants import from_epoch

Make = Callable[..., list[str]]
COMMITS = Scope(source_types=frozenset({"commit"}))
START = 1_600_000_000
DAY = 86_400


def commit(number: int, message: str, *files: str, author: str = "Ann Ash") -> CommitInput:
    return CommitInput(
        sha=f"{number:07x}" + "e" * 33,
        message=message,
        time=from_epoch(START + number * DAY),
        author=author,
        files=files,
        repository="demo",
    )


def sha(number: int) -> str:
    return commit(number, "").sha


def paths(memory: Memory, question: str, scope: Scope = COMMITS, **options: Any) -> list[str]:
    return [hit.path for hit in memory.search(question, scope=scope, **options).hits]


def edges(memory: Memory) -> set[tuple[str, str, str]]:
    """Every relation as (source, type, target), by the names people know."""
    relations = memory.relations()
    ends = {end for r in relations for end in (r.source_entity_id, r.target_entity_id)}
    names = {
        each.entity_id: str(each.properties.get("file_path", each.name))
        for each in memory.store.get(sorted(ends)).values()
        if isinstance(each, Entity)
    }
    return {(names[r.source_entity_id], r.type, names[r.target_entity_id]) for r in relations}


HISTORY = (
    commit(1, "pool: add a pool of connections", "src/pool.c", "src/pool.h"),
    commit(2, "docs: describe the retry policy", "docs/retry.md", author="Bo"),
    commit(3, "pool: keep connections that are idle", "src/pool.c"),
    commit(4, "tls: read certificates of the system", "src/tls.c"),
    commit(
        5,
        f"pool: mend a leak\n\nA regression introduced in {sha(3)[:10]}.\n\nReviewed-by: Bo",
        "src/pool.c",
    ),
    commit(6, f"Revert: tls\n\nThis reverts commit {sha(4)}.", "src/tls.c"),
    commit(7, f"docs: more on retries\n\nFollow-up to {sha(2)[:9]}", "docs/retry.md", author="Bo"),
)


def test_a_commit_is_an_episode_with_its_edges(memory: Memory) -> None:
    report = memory.add_commits(HISTORY)
    assert (report.added, report.unchanged, report.errors) == (7, 0, ())
    assert report.edges == {
        "AUTHORED_BY": 7,
        "FIXES": 1,
        "FOLLOWS_UP": 1,
        "MODIFIES": 8,
        "REVERTS": 1,
    }
    found = edges(memory)
    assert (f"commit:{sha(5)}", "FIXES", f"commit:{sha(3)}") in found
    assert (f"commit:{sha(6)}", "REVERTS", f"commit:{sha(4)}") in found
    assert (f"commit:{sha(7)}", "FOLLOWS_UP", f"commit:{sha(2)}") in found
    assert (f"commit:{sha(1)}", "MODIFIES", "src/pool.h") in found
    assert (f"commit:{sha(2)}", "AUTHORED_BY", "Bo") in found
    source = next(s for s in memory.store.sources() if s.source_ref == f"commit:{sha(5)}")
    episode = memory.store.get([source.episode_id])[source.episode_id]
    assert isinstance(episode, Episode)
    assert episode.observed_at == from_epoch(START + 5 * DAY)
    assert episode.group == "demo"
    assert episode.properties["files"] == ["src/pool.c"]
    assert episode.properties["trailers"] == {"Reviewed-by": ["Bo"]}
    assert validate(memory.store).valid


@pytest.mark.parametrize(
    "bad",
    [
        CommitInput(sha="", message="x", time="2020-01-01"),
        CommitInput(sha="a b", message="x", time="2020-01-01"),
        CommitInput(sha="abc1234", message="x", time="yesterday"),
        Problem("commit:1", "cannot be read"),
    ],
)
def test_a_bad_commit_is_a_row_of_errors_and_the_rest_goes_in(
    memory: Memory, bad: CommitInput | Problem
) -> None:
    report = memory.add_commits([HISTORY[0], bad, HISTORY[1]])
    assert report.added == 2
    assert len(report.errors) == 1


def test_a_repository_is_indexed_and_followed(
    memory: Memory, make_repository: Make, made: Any
) -> None:
    home = memory.home.folder
    shas = make_repository(
        home, [made("pool: add", {"src/pool.c": "1"}), made("tls: add", {"src/tls.c": "1"})]
    )
    report = memory.index_git(home)
    assert (report.added, report.head, report.repository) == (2, shas[-1], home.name)
    git(home, "commit", "-q", "--allow-empty", "-m", "third")
    report = memory.index_git(home)
    assert (report.added, report.unchanged, report.removed) == (1, 2, 0)
    assert memory.index_git(home / "src").unchanged == 3


def test_commits_that_vanish_from_a_rewritten_history_are_retired(
    memory: Memory, make_repository: Make, made: Any
) -> None:
    home = memory.home.folder
    shas = make_repository(
        home,
        [
            made("one", {"a.c": "1"}),
            made("two", {"b.c": "1"}, author="Bo <b@x.org>"),
            made("three", {"a.c": "2"}, author="Bo <b@x.org>"),
        ],
    )
    memory.index_git(home)
    other = CommitInput(sha="f" * 40, message="elsewhere", time="2020-01-01", repository="other")
    memory.add_commits([other])
    git(home, "reset", "-q", "--hard", "HEAD~2")
    git(home, "commit", "-q", "--allow-empty", "-m", "two again", "--author", "Bo <b@x.org>")
    report = memory.index_git(home)
    assert (report.added, report.removed, report.unchanged) == (1, 2, 1)
    assert f"commit:{shas[1]}" not in paths(memory, "two")
    assert "commit:" + "f" * 40 in paths(memory, "elsewhere")
    assert {t for _, kind, t in edges(memory) if kind == "AUTHORED_BY"} == {"Ann Ash", "Bo"}
    assert validate(memory.store).valid


def test_secrets_are_redacted_in_message_author_and_title(memory: Memory) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    report = memory.add_commits([commit(1, f"use {secret}\n\nand {secret}", author=f"x {secret}")])
    assert sum(report.redacted.values()) >= 2
    stored = [
        str(record)
        for kind in ("episode", "chunk", "entity", "relation")
        for record in memory.store.scan(kind)  # type: ignore[arg-type]  # each is a Kind
    ]
    assert not [each for each in stored if secret in each]

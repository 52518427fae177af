"""Histories as arrays, the features of commits, and what is learned from citations."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from quipu.config import Config
from quipu.kinds.commits.columns import commit_hash, file_hash, pack_commit, read_commits
from quipu.kinds.commits.features import (
    CommitNearness,
    MeasuredCommits,
    asked_commit,
    measure_commits,
)
from quipu.kinds.commits.history import CommitHistory, histories
from quipu.kinds.commits.learning import Label, labels_of, learn, log_chances
from quipu.kinds.commits.model import CommitInput, repository_entity_id
from quipu.kinds.commits.weights import COMMITS, FEATURES, MESSAGE, MESSAGE_AND_FILES, read_learned
from quipu.memory import Memory
from quipu.records.record import Entity
from quipu.records.scope import Scope
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
        nearness=CommitNearness(),
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
            title_words=1,
            path_words=2,
            files=[f"f{i}" for i in range(n)],
            touched=n + 5,
            fixes=["a" * 40][:n],
            cites=["b" * 40, "a" * 40][:n],
            is_repair=bool(n),
        )
        for n in range(3)
    ]
    heads, files, cites = read_commits([b"before" + each for each in packed])
    assert heads["files"].tolist() == [0, 1, 2]
    assert heads["touched"].tolist() == [5, 6, 7]
    assert heads["fixes"].tolist() == [0, 1, 1]
    assert files.tolist() == [file_hash("f0"), *sorted((file_hash("f0"), file_hash("f1")))]
    both = [commit_hash("a" * 40), commit_hash("b" * 40)]
    assert cites.tolist() == [*both, *both]


def test_rows_are_in_the_order_of_time_whatever_the_order_of_writing(memory: Memory) -> None:
    memory.add_commits([commit(3, "three"), commit(1, "first"), commit(2, "second")])
    (history,) = histories(memory.store)
    assert history.times.tolist() == [START + n * DAY for n in (1, 2, 3)]
    assert not history.in_order
    _, found = measured(memory, "second", day=3)
    assert sorted(found) == [0, 1]
    assert found[1]["words"] > found[0]["words"] == 0


def test_two_repositories_have_a_history_each(memory: Memory) -> None:
    memory.add_commits([commit(1, "one"), commit(2, "one", repository="other")])
    assert [len(h.times) for h in histories(memory.store)] == [1, 1]


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
    assert history.fixes.tolist() == [True]


def test_each_feature_says_what_its_name_says(memory: Memory) -> None:
    memory.add_commits(
        [
            commit(1, "pool: add", "src/pool.c"),
            commit(2, "zebra", "docs/a.md", "docs/b.md", "docs/c.md"),
            commit(3, f"pool: more of it\n\nFollow-up to {commit(1, '').sha}", "src/pool.c"),
            commit(4, "fix a typo", "docs/a.md"),
            commit(5, "unlike all", "src/other.c"),
        ]
    )
    _, found = measured(memory, "pool: mend", "docs/a.md", day=6)
    assert found[0]["cited"] > 0 == found[1]["cited"]
    assert found[3]["repair"] == 1 > found[0]["repair"]
    assert found[4]["age"] > found[0]["age"]
    assert found[1]["breadth"] == pytest.approx(np.log(4))
    assert found[2]["path_words"] == 1.0 > found[4]["path_words"]
    assert found[3]["file_recency"] > found[1]["file_recency"] > 0 == found[4]["file_recency"]
    assert found[3]["file_words"] > 0
    assert found[2]["word_recency"] > found[0]["word_recency"] > 0 == found[4]["word_recency"]
    for row in found.values():
        shares = {k: v for k, v in row.items() if k not in {"age", "breadth"}}
        assert all(0 <= value <= 1 for value in shares.values())


def test_files_that_likely_commits_touch_are_predicted(memory: Memory) -> None:
    memory.add_commits(
        [
            commit(1, "parser: read numbers", "src/parse.c"),
            commit(2, "unrelated words here", "src/parse.c"),
            commit(3, "other things there", "src/else.c"),
        ]
    )
    _, found = measured(memory, "parser: numbers", day=4)
    assert found[1]["predicted_files"] > found[2]["predicted_files"] == 0
    assert found[1]["predicted_recency"] > 10 * found[2]["predicted_recency"]


def faulty_history(*, lag: int, count: int) -> list[CommitInput]:
    """Every change is mended `lag` changes later, by a commit of other words."""
    made: list[CommitInput] = []
    for n in range(count):
        made.append(commit(2 * n, f"change topic{n} word{n % 7}", f"src/f{n % 5}.c"))
        if n >= lag:
            fault = 2 * (n - lag)
            made.append(
                commit(
                    2 * n + 1,
                    f"mend topic{n - lag}\n\nBroken by {commit(fault, '').sha}",
                    f"src/f{(n - lag) % 5}.c",
                )
            )
    return made


@pytest.mark.parametrize("lag", [1, 40])
def test_age_counts_as_much_as_the_repository_teaches(memory: Memory, lag: int) -> None:
    memory.add_commits(faulty_history(lag=lag, count=80))
    (history,) = histories(memory.store)
    labels = labels_of(history)
    assert len(labels) == 80 - lag

    def measure(label: Label) -> MeasuredCommits:
        moment = float(history.times[label.row])
        asked = asked_commit("mend something")  # words that tell nothing
        return measure_commits(
            asked, memory.store, history, moment=moment, nearness=CommitNearness()
        )

    (rows,) = learn(labels, history, [MESSAGE], measure)
    age = rows[-1].weights[FEATURES.index("age")]
    assert age > MESSAGE.age if lag == 1 else age < MESSAGE.age
    assert [row.labels for row in rows] == [20, 40]
    assert rows[0].since > history.times[labels[19].row]


def test_what_was_learned_later_is_not_known_before(tmp_path: Path) -> None:
    """Once the citations have doubled the weights change, for later questions only."""
    made = faulty_history(lag=3, count=60)
    with Memory.open("memory:", home=tmp_path, config=Config(), embedder=None) as whole:
        whole.add_commits(made)
        entity_id = repository_entity_id(whole.store.namespace, file_hash("demo"))
        record = whole.store.get([entity_id])[entity_id]
        assert isinstance(record, Entity)
        learned = read_learned(record.properties["learned"])
        assert [row.labels for row in learned if not row.with_files] == [20, 40]
        for known in (30, 60, 100):
            scope = Scope(before=made[known].time)
            with Memory.open("memory:", home=tmp_path, config=Config(), embedder=None) as then:
                then.add_commits(made[:known])
                for touched in ((), ("src/f1.c",)):
                    found, past = (
                        memory.search("mend topic7 word3", scope=scope, touched=touched)
                        for memory in (whole, then)
                    )
                    assert [(h.path, h.score) for h in found.hits] == [
                        (h.path, h.score) for h in past.hits
                    ]
                    assert found.hits


def test_too_few_citations_teach_nothing(memory: Memory) -> None:
    memory.add_commits(faulty_history(lag=1, count=COMMITS.least_labels))
    (history,) = histories(memory.store)

    def never(label: Label) -> MeasuredCommits:
        raise AssertionError(label)

    assert learn(labels_of(history), history, [MESSAGE], never) == [[]]


def test_chances_add_up_to_one_and_follow_the_weights() -> None:
    features = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    logs = log_chances(features, np.array([2.0, 1.0]))
    assert np.exp(logs).sum() == pytest.approx(1.0)
    assert logs.argsort().tolist() == [1, 2, 0]


def test_the_weights_are_in_the_order_of_the_features() -> None:
    for weights in (MESSAGE, MESSAGE_AND_FILES):
        assert weights.row() == tuple(getattr(weights, name) for name in FEATURES)

"""`eval incidents`, through a real memory on a small set."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.errors import InvalidInput
from quipu.kinds.commits.evaluate import evaluate_incidents
from quipu.memory import Memory

DAY = 86_400
CORPUS = [
    {
        "id": "a" * 40,
        "time": DAY,
        "title": "pool: keep idle connections",
        "files": ["pool.c"],
        "text": "pool: keep idle connections",
    },
    {
        "id": "b" * 40,
        "time": 2 * DAY,
        "title": "tls: read certificates",
        "files": ["tls.c"],
        "text": "The system's own.",
    },
    {
        "id": "c" * 40,
        "time": 3 * DAY,
        "title": "pool: mend",
        "files": ["pool.c"],
        "text": f"pool: mend\n\nidle connections, broken by {'a' * 40}",
    },
]
QUERIES = [
    {
        "id": "q1",
        "kind": "cause",
        "as_of": 3 * DAY,
        "text": "idle connections leak",
        "touched_files": ["pool.c"],
    },
    {"id": "q2", "kind": "followup", "as_of": 2 * DAY, "text": "certificates"},
    {"id": "q3", "kind": "cause", "as_of": 3 * DAY, "text": "unjudged"},
]
# What q2 goes back to came at its very moment: it must not be found.
QRELS = f"query-id\tcorpus-id\tscore\nq1\t{'a' * 40}\t1\nq2\t{'b' * 40}\t1\n"


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    for name, rows in (("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "qrels.tsv").write_text(QRELS)
    return folder


def test_hits_are_counted_by_track_and_kind(
    labelled: Path, open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    figures = evaluate_incidents(labelled, lambda path: open_memory(path, tmp_path))
    assert figures.queries == {"cause": 1, "follow_up": 1}
    assert figures.commits == 3
    for track in "AB":
        assert figures.hit[track]["cause"] == {"1": 1.0, "10": 1.0}
        assert figures.hit[track]["follow_up"] == {"1": 0.0, "10": 0.0}
        assert figures.mrr[track] == {"cause": 1.0, "follow_up": 0.0}
    assert set(figures.latency_ms) == {"p50", "p95", "p99"}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"id": "d", "text": "no time"}, "no `time`"),
        ({"id": "d", "text": "x", "time": 1, "files": "a.c"}, "list of paths"),
    ],
)
def test_a_bad_row_is_named(
    labelled: Path,
    open_memory: Callable[..., Memory],
    tmp_path: Path,
    row: dict[str, object],
    problem: str,
) -> None:
    with (labelled / "corpus.jsonl").open("a") as corpus:
        corpus.write(json.dumps(row) + "\n")
    with pytest.raises(InvalidInput, match=problem):
        evaluate_incidents(labelled, lambda path: open_memory(path, tmp_path))

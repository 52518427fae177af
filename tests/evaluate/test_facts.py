"""`eval facts`, through a real memory on a small set."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.errors import InvalidInput
from quipu.evaluate.facts import evaluate_facts
from quipu.memory import Memory

CORPUS = [
    {"id": "a", "text": "Ada Brown is the chair of the Guild from Jan, 2001 to Jan, 2006."},
    {"id": "b", "text": "Bo Lind is the chair of the Guild from Jan, 2006 to Jan, 2015."},
    # Dated beside the text, not in it.
    {"id": "c", "text": "Cy Ott is the chair of the Guild.", "valid_from": "2015-01"},
]
QUERIES = [
    {"id": "q1", "text": "Who was the chair of the Guild in Mar, 2003?", "as_of": "2003-03"},
    {"id": "q2", "text": "Who was the chair of the Guild in Mar, 2016?", "as_of": "2016-03"},
    {"id": "q3", "text": "Who was the chair of the Guild after Ada Brown?"},
    {"id": "q4", "text": "Who was the chair of the Guild before Ada Brown?"},
    {"id": "q5", "text": "Who was it?"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tc\t1\nq3\tb\t1\nq4\tc\t1\n"


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    for name, rows in (("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "qrels.tsv").write_text(QRELS)
    return tmp_path


def test_the_first_fact_is_compared(
    labelled: Path, open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    figures = evaluate_facts(
        labelled, lambda path: open_memory(path, tmp_path, embedder=None), folder=tmp_path
    )
    assert (figures.queries, figures.as_of_queries, figures.before_after_queries) == (4, 2, 2)
    assert figures.as_of_hit1 == 1.0
    assert figures.before_after_hit1 == 0.5  # nobody came before Ada Brown
    assert set(figures.latency_ms) == {"p50", "p95", "p99"}


def test_a_folder_without_a_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="qrels"):
        evaluate_facts(tmp_path, Memory.open)

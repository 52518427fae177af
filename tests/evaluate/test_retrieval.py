"""A labelled set is written, searched and compared; bad rows are named by line."""

import json
from pathlib import Path

import pytest
from tests.rows import rows

from quipu.config import Config
from quipu.errors import InvalidInput
from quipu.evaluate.retrieval import Evaluation, evaluate_retrieval
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

ROWS = rows(__file__, "retrieval_rows")
QUERIES = [
    {"id": "q1", "text": "Who wrote the first program?", "conv": "x", "as_of": 150},
    {"id": "q2", "text": "Who found a moth?", "conv": "x", "as_of": 500},
    {"id": "q3", "text": "Nothing is gold here", "conv": "y", "as_of": 500},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\ta|1\t1\nq2\tb 2\t2\nq3\td\t0\nelse\td\t1\n"
KEYS = {
    "dataset",
    "queries",
    "recall",
    "all_gold",
    "ndcg",
    "mrr",
    "latency_ms",
    "index_s",
    "embed_s",
    "peak_rss_mb",
    "auroc",
}


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    write(folder, "corpus.jsonl", ROWS)
    write(folder, "queries.jsonl", QUERIES)
    (folder / "qrels.tsv").write_text(QRELS)
    return folder


def write(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def evaluate(folder: Path, **options: object) -> Evaluation:
    def opened(_: str) -> Memory:
        home = folder.parent / "home"
        return Memory.open("memory:", home=home, config=Config(), embedder=HashEmbedder())

    return evaluate_retrieval(folder, opened, **options)  # type: ignore[arg-type]


def test_figures_have_exactly_the_documented_keys(labelled: Path) -> None:
    figures = evaluate(labelled)
    plain = json.loads(json.dumps(figures.as_json()))
    assert set(plain) == KEYS
    assert plain["dataset"] == "tiny"
    assert (plain["queries"], figures.without_gold) == (2, 1)
    assert set(plain["recall"]) == set(plain["all_gold"]) == {"2", "5", "10"}
    assert plain["recall"]["5"] == plain["mrr"]["10"] == plain["ndcg"]["10"] == 1.0
    assert set(plain["latency_ms"]) == {"p50", "p95", "p99"}
    assert plain["peak_rss_mb"] > 1


def test_confidence_is_measured_where_it_is_asked_for(labelled: Path) -> None:
    assert evaluate(labelled).auroc is None
    with pytest.raises(InvalidInput, match="only one of the two"):
        evaluate(labelled, confidence=True)
    unanswerable: dict[str, object] = {"id": "q9", "text": "Where is Mars?", "answerable": False}
    write(labelled, "queries.jsonl", [*QUERIES, unanswerable])
    told = evaluate(labelled, confidence=True).auroc
    assert told is not None
    assert 0.0 <= told <= 1.0


def test_groups_bound_the_search(labelled: Path) -> None:
    for question in evaluate(labelled, group_by="conv").questions:
        assert set(question.ranking) <= {"a|1", "b 2"}


def test_before_ranks_only_earlier_rows(labelled: Path) -> None:
    ranked = {q.id: q.ranking for q in evaluate(labelled, before="as_of").questions}
    assert set(ranked["q1"]) == {"a|1"}
    assert "d" in ranked["q2"] or "b 2" in ranked["q2"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("corpus.jsonl", '{"id": "a", "text": "x"}\n{"id"', r"corpus\.jsonl:2: not a JSON object"),
        ("corpus.jsonl", '["a"]\n', r"corpus\.jsonl:1: not a JSON object"),
        ("corpus.jsonl", '{"id": "a", "text": "x"}\n' * 2, r"corpus\.jsonl:2: .* in line 1"),
        ("corpus.jsonl", '{"id": "", "text": "x"}\n', r"corpus\.jsonl:1: id is ''"),
        ("corpus.jsonl", '{"id": "a", "text": 3}\n', r"corpus\.jsonl:1: the row 'a' needs"),
        ("corpus.jsonl", "\n", "has no rows"),
        ("queries.jsonl", '{"text": "x"}\n', r"queries\.jsonl:1: id is None"),
        ("qrels.tsv", "q1\ta|1\n", r"qrels\.tsv:1: 2 columns|header"),
        ("qrels.tsv", "q1\ta|1\t1\nq1\ta|1\tmuch\n", r"qrels\.tsv:2: the grade 'much'"),
    ],
)
def test_bad_rows_are_named_by_line(labelled: Path, name: str, content: str, message: str) -> None:
    (labelled / name).write_text(content)
    if name == "qrels.tsv" and "1 columns" not in message and content.count("\n") == 1:
        content = QRELS.splitlines()[0] + "\n" + content
        (labelled / name).write_text(content)
        message = r"qrels\.tsv:2: 2 columns"
    with pytest.raises(InvalidInput, match=message):
        evaluate(labelled)

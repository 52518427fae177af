"""Conversations are written as transcripts, asked and compared."""

import json
from pathlib import Path

import pytest

from quipu.config import Config
from quipu.errors import InvalidInput
from quipu.kinds.conversations.evaluate import MemoryEvaluation, evaluate_memory
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

ROWS: list[dict[str, object]] = [
    {"id": "c|0", "conv": "c", "batch": 1, "role": "user", "text": "My API quota is 1000 calls."},
    {"id": "c|1", "conv": "c", "batch": 1, "role": "assistant", "text": "Understood."},
    {"id": "c|2", "conv": "c", "batch": 2, "role": "user", "text": "I have a cat called Tom."},
    {"id": "c|3", "conv": "c", "batch": 2, "role": "user", "text": "I never had any cat."},
    {
        "id": "d|0",
        "conv": "d",
        "session": 1,
        "speaker": "Ann",
        "text": "I adopted a greyhound.",
        "session_time": "1:56 pm on 8 May, 2023",
    },
]
QUERIES: list[dict[str, object]] = [
    {
        "id": "1",
        "conv": "c",
        "ability": "knowledge_update",
        "text": "What is my API quota?",
    },
    {"id": "2", "conv": "c", "ability": "contradiction_resolution", "text": "Do I have a cat?"},
    {"id": "3", "conv": "c", "ability": "abstention", "text": "Where was Napoleon born?"},
    {"id": "4", "conv": "d", "category": 4, "text": "What did Ann adopt?"},
]
QRELS = "query-id\tcorpus-id\tscore\n1\tc|0\t1\n2\tc|2\t1\n2\tc|3\t1\n4\td|0\t1\n"


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    folder = tmp_path / "talks"
    folder.mkdir()
    for name, rows in (("corpus.jsonl", ROWS), ("queries.jsonl", QUERIES)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "qrels.tsv").write_text(QRELS)
    return folder


def evaluate(folder: Path) -> MemoryEvaluation:
    def opened(url: str) -> Memory:
        return Memory.open(url, config=Config(), embedder=HashEmbedder(256))

    return evaluate_memory(folder, opened)


def test_figures_are_told_by_group(labelled: Path) -> None:
    figures = evaluate(labelled)
    assert figures.dataset == "talks"
    assert figures.queries == 3
    assert figures.recall["10"] == 1.0
    assert figures.groups == {"4": 1.0, "contradiction_resolution": 1.0, "knowledge_update": 1.0}
    assert figures.auroc is not None
    assert 0.0 <= figures.auroc <= 1.0


def test_a_row_without_conversation_is_named_by_line(labelled: Path) -> None:
    (labelled / "corpus.jsonl").write_text('{"id": "x", "text": "lost"}\n')
    with pytest.raises(InvalidInput, match=r"corpus\.jsonl:1.*conv"):
        evaluate(labelled)

"""The usage log: off, local, bounded, redacted, private, and gone with what is forgotten."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.config import Config, UsageConfig
from quipu.memory import Memory
from quipu.records.scope import Scope

Open = Callable[..., Memory]
NAME = ".quipu/usage.jsonl"


def logged(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / NAME).read_text().splitlines()]


@pytest.fixture
def asked(open_memory: Open, tmp_path: Path) -> Memory:
    """A memory of one text that writes down what is asked."""
    (tmp_path / ".quipu").mkdir()
    config = Config(usage=UsageConfig(log=True, max_bytes=10_000))
    memory = open_memory(f"sqlite:///{tmp_path}/.quipu/quipu.db", tmp_path, config=config)
    memory.add("Team Blue owns the ledger.", source_ref="note")
    return memory


def test_by_default_nothing_is_written(open_memory: Open, tmp_path: Path) -> None:
    with open_memory(f"sqlite:///{tmp_path}/.quipu/quipu.db", tmp_path) as memory:
        memory.add("Team Blue owns the ledger.")
        memory.ask("Who owns the ledger?")
    assert not (tmp_path / NAME).exists()


def test_a_search_is_a_line_that_only_its_owner_reads(asked: Memory, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    scope = Scope(groups=frozenset({"b", "a"}), before="2027-01-01T00:00:00.000Z")
    asked.search(f"what is {secret}", limit=3, scope=scope, use_graph=False)
    asked.ask("Who owns the ledger?")
    first, second = logged(tmp_path)
    assert list(first) == ["ts", "query", "top_k", "filters", "use_graph"]
    assert secret not in first["query"]
    assert first["filters"] == {"groups": ["a", "b"], "before": "2027-01-01T00:00:00.000Z"}
    assert (first["top_k"], first["use_graph"]) == (3, False)
    assert (second["query"], second["top_k"], second["filters"]) == ("Who owns the ledger?", 10, {})
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_it_is_bounded(asked: Memory, tmp_path: Path) -> None:
    for n in range(60):
        asked.search(f"question {n} " + "x" * 300)
    sizes = [file.stat().st_size for file in (tmp_path / ".quipu").glob("usage.jsonl*")]
    assert len(sizes) == 2
    assert sum(sizes) <= 10_000
    assert logged(tmp_path)[-1]["query"].startswith("question 59 ")


def test_forgetting_erases_it(asked: Memory, tmp_path: Path) -> None:
    for n in range(60):
        asked.search(f"question {n} " + "x" * 300)
    asked.forget("note")
    assert list((tmp_path / ".quipu").glob("usage.jsonl*")) == []

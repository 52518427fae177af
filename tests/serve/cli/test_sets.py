"""Labelled sets of facts, turns and commits, measured through a real memory."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

DAY = 86_400
FIRST, SECOND = "a" * 40, "b" * 40


@pytest.fixture
def made(tmp_path: Path) -> Any:
    def make(corpus: Sequence[Any], queries: Sequence[Any], *gold: tuple[str, str]) -> Path:
        for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
            (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        (tmp_path / "qrels.tsv").write_text("".join(f"{q}\t{row}\t1\n" for q, row in gold))
        return tmp_path

    return make


def test_the_first_fact_is_compared(quipu: Any, made: Any) -> None:
    corpus = [
        {"id": "a", "text": "Ada Brown is the chair of the Guild from Jan, 2001 to Jan, 2006."},
        {"id": "b", "text": "Bo Lind is the chair of the Guild from Jan, 2006 to Jan, 2015."},
    ]
    queries = [
        {"id": "q1", "text": "Who was the chair of the Guild in Mar, 2003?", "as_of": "2003-03"},
        {"id": "q2", "text": "Who was the chair of the Guild after Ada Brown?"},
        {"id": "q3", "text": "Who was it?"},
    ]
    directory = made(corpus, queries, ("q1", "a"), ("q2", "b"))
    figures = quipu("eval", "facts", str(directory), "--json").document
    assert (figures["as_of_hit1"], figures["before_after_hit1"]) == (1.0, 1.0)
    assert [figures[key] for key in ("queries", "as_of_queries", "before_after_queries")] == [
        2,
        1,
        1,
    ]


def test_turns_are_found_inside_their_conversation(quipu: Any, made: Any) -> None:
    corpus: list[dict[str, object]] = [
        {"id": "c|0", "conv": "c", "batch": 1, "role": "user", "text": "My quota is 1000 calls."},
        {"id": "d|0", "conv": "d", "session": 1, "speaker": "Ann", "text": "I have a greyhound."},
    ]
    queries: list[dict[str, object]] = [
        {"id": "1", "conv": "c", "ability": "knowledge_update", "text": "What is my quota?"},
        {"id": "2", "conv": "c", "ability": "abstention", "text": "Where was Napoleon born?"},
        {"id": "3", "conv": "d", "category": 4, "text": "What does Ann have?"},
    ]
    directory = made(corpus, queries, ("1", "c|0"), ("3", "d|0"))
    figures = quipu("eval", "memory", str(directory), "--json").document
    assert (figures["queries"], figures["recall"]["10"]) == (2, 1.0)
    assert figures["groups"] == {"4": 1.0, "knowledge_update": 1.0}
    assert 0.0 <= figures["auroc"] <= 1.0
    lost = quipu("eval", "memory", str(made([{"id": "x", "text": "lost"}], queries)))
    assert lost.code == 2
    assert "corpus.jsonl:1: the row has no `conv`" in lost.err


def test_commits_are_ranked_by_what_came_before(quipu: Any, made: Any) -> None:
    corpus = [
        {"id": FIRST, "time": DAY, "files": ["pool.c"], "text": "pool: keep idle connections"},
        {"id": SECOND, "time": 2 * DAY, "files": ["tls.c"], "text": "tls: read certificates"},
    ]
    queries = [
        {"id": "q1", "as_of": 3 * DAY, "text": "idle connections", "touched_files": ["pool.c"]},
        {"id": "q2", "kind": "followup", "as_of": 2 * DAY, "text": "certificates"},
    ]
    # What q2 goes back to came at its very moment: it must not be found.
    directory = made(corpus, queries, ("q1", FIRST), ("q2", SECOND))
    figures = quipu("eval", "incidents", str(directory), "--json").document
    assert figures["queries"] == {"cause": 1, "followup": 1}
    for track in "AB":
        assert figures["hit"][track]["cause"] == {"1": 1.0, "10": 1.0}
        assert figures["mrr"][track] == {"cause": 1.0, "followup": 0.0}

"""The same corpus on every database gives the same plans, hits and answers."""

from collections.abc import Callable
from math import isclose
from pathlib import Path

import pytest
from msgspec.structs import replace

from quipu.memory import Memory
from quipu.records.schema import EntityType

DOCS = Path(__file__).parents[2] / "docs"
QUESTIONS = (
    "how is a memory backed up",
    "what does a backend write itself",
    "who wins when two sources disagree",
    "Where is open_store defined?",
    "what may a namespace see of another",
    "how are secrets redacted",
    "what is a quipu",
    "which command restores a memory",
    "what happened on the moon in 1969",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "other", ["postgres", pytest.param("neo4j", marks=pytest.mark.enable_socket)]
)
def test_two_databases_answer_alike(
    other: str,
    address_of: Callable[[str, str], str],
    open_memory: Callable[..., Memory],
    tmp_path: Path,
) -> None:
    with (
        open_memory(address_of("sqlite", "one"), tmp_path / "one") as one,
        open_memory(address_of(other, "two"), tmp_path / "two") as two,
    ):
        for memory in (one, two):
            memory.index(DOCS)
        assert one.stats().counts == two.stats().counts
        assert one.stats().counts["chunk"] > 300
        for question in (*QUESTIONS, *titles(one)):
            assert_alike(question, one, two)


def titles(memory: Memory) -> list[str]:
    """What the documents are called, some thirty of them."""
    things = memory.store.scan("entity", limit=100_000)
    return sorted({e.name for e in things if e.type == EntityType.DOCUMENT})[:30]


def assert_alike(question: str, one: Memory, two: Memory) -> None:
    assert one.plan(question) == two.plan(question), question
    ours, theirs = (memory.search(question, limit=10).hits for memory in (one, two))
    assert [hit.id for hit in ours] == [hit.id for hit in theirs], question
    for hit, other in zip(ours, theirs, strict=True):
        assert isclose(hit.score, other.score, abs_tol=1e-3), question
    said, same = one.ask(question), two.ask(question)
    contracts = [replace(reply.contract, timestamp="") for reply in (said, same)]
    assert contracts[0] == contracts[1], question
    assert isclose(said.confidence.value, same.confidence.value, abs_tol=1e-3), question
    assert said.citations == same.citations, question

"""Context packs and reading back by lines."""

import re
from collections.abc import Callable

import pytest

from quipu.agents.packs import context_pack
from quipu.errors import UnknownRecord
from quipu.memory import Memory
from quipu.memory.excerpts import read_lines
from quipu.records.stated import StatementInput

Tree = Callable[[dict[str, str | bytes]], None]

PAYMENTS = "# Payments\n\nThe payment service retries failed charges three times.\n"


@pytest.fixture
def indexed(memory: Memory, tree: Tree) -> Memory:
    files: dict[str, str | bytes] = {
        f"docs/p{n}.md": f"# Payments {n}\n\n" + f"The payment service retries charge {n}. " * 30
        for n in range(6)
    }
    tree({**files, "docs/payments.md": PAYMENTS})
    memory.index()
    return memory


def test_a_pack_holds_numbered_sources_by_confidence(indexed: Memory) -> None:
    made = context_pack(indexed, "how often does the payment service retry?")
    assert made.pack.startswith("Context:\n[1] ")
    assert len(made.pack) <= 2000
    numbers = [int(n) for n in re.findall(r"^\[(\d+)\] ", made.pack, re.MULTILINE)]
    assert numbers == [source.n for source in made.sources] == list(range(1, len(numbers) + 1))
    confidences = [source.confidence for source in made.sources]
    assert confidences == sorted(confidences, reverse=True)
    assert made.bounded_by == "max_chars"


@pytest.mark.parametrize("limit", [400, 600, 1500, 5000, 50_000])
def test_a_pack_is_never_longer_than_its_budget(indexed: Memory, limit: int) -> None:
    assert len(context_pack(indexed, "payment retries", max_chars=limit).pack) <= limit


def test_sessions_are_read_a_line_a_turn(memory: Memory) -> None:
    messages: list[dict[str, object]] = [
        {"role": "user", "content": "Where do we deploy?"},
        {"role": "assistant", "content": "On the blue cluster.\nIt has two zones."},
    ]
    memory.add(messages, session_id="s1")
    whole = read_lines(memory, "session:s1")
    assert whole.text.splitlines() == [
        "user: Where do we deploy?",
        "assistant: On the blue cluster. It has two zones.",
    ]
    turn = read_lines(memory, "session:s1#2", first=2, count=1)
    assert turn.text == "It has two zones."
    assert read_lines(memory, "session:s1#1-2").text == whole.text
    with pytest.raises(UnknownRecord):
        read_lines(memory, "session:s9")


def test_the_source_of_the_fact_that_held_comes_first(memory: Memory) -> None:
    memory.add("# Ledger\n\nThe ledger keeps every booking of 2023.", source_ref="page.md")
    old, _ = memory.facts.state(
        [
            StatementInput(subject="ledger", attribute="runs on", value="MySQL", since="2021"),
            StatementInput(
                subject="ledger", attribute="runs on", value="Postgres", since="2025-05"
            ),
        ]
    )
    question = "What did the ledger run on in 2023?"
    assert memory.search(question).hits[0].score < 1.0
    made = context_pack(memory, question)
    (first, *others) = made.sources
    assert old.fact.fact_id in first.graph_ids
    assert first.path.startswith("stated:ledger/")
    assert first.confidence == old.fact.confidence == 1.0
    assert "true 2021 → 2025-05; superseded" in made.pack
    assert [each.path for each in others] == ["page.md"]
    assert all(each.confidence < 1.0 for each in others)


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/etc/passwd", "docs/../docs/none.md", "docs", "~/.ssh/id_rsa"]
)
def test_no_path_leads_out_of_what_is_remembered(indexed: Memory, path: str) -> None:
    with pytest.raises(UnknownRecord):
        read_lines(indexed, path)


def test_the_tightest_budget_wins_and_is_named(indexed: Memory) -> None:
    made = context_pack(indexed, "payment retries", max_chars=4000, token_budget=200)
    assert made.bounded_by == "token_budget"
    assert made.token_count <= 200
    few = context_pack(indexed, "payment retries", max_chars=50_000, max_sources=2)
    assert (few.bounded_by, len(few.sources)) == ("max_sources", 2)
    assert few.left_out > 0

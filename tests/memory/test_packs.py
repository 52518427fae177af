"""Context packs and reading back by lines."""

import re
from collections.abc import Callable

import pytest

from quipu.agents.entries import Entries
from quipu.agents.packs import context_pack
from quipu.agents.recall import recall
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
    day = first.note.partition(";")[0]
    assert first.note == (
        f"{day}; since 2021; until 2025-05; replaced by: Ledger runs on Postgres, 2025-05"
    )
    assert f"%)\n{first.note}\n" in made.pack
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


def test_what_was_replaced_stands_below_what_took_its_place_and_says_by_what(
    memory: Memory,
) -> None:
    said = (
        ("2025-11-01", "Dagny owns billing, ask her about invoices.", "Dagny"),
        ("2026-02-01", "On the org side billing went over to Erik last night.", "Erik"),
    )
    for day, words, owner in said:
        turn: dict[str, object] = {"role": "user", "content": words, "timestamp": f"{day}T10:00Z"}
        memory.add([turn], session_id=day)
        Entries(memory).store(words, category="fact", observed_at=day)
        memory.facts.state(
            StatementInput(subject="billing", attribute="owner", value=owner, said_at=day)
        )
    made = context_pack(memory, "Who owns billing?", max_chars=4000)
    assert all(
        re.match(r"said 202[56]-(?:11|02)-01(?:;|$)", source.note) for source in made.sources
    )
    replaced = [source for source in made.sources if "replaced by" in source.note]
    assert len(replaced) == 3  # the statement, the turn and the entry
    assert made.sources[0].note == "said 2026-02-01"
    assert {source.note for source in replaced} == {
        "said 2025-11-01; until 2026-02-01; replaced by: Owner of billing: Erik, 2026-02-01"
    }
    hits = memory.search("Who owns billing?").hits
    assert "Erik" in hits[0].text
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)

    newer, older = recall(memory, Entries(memory), "Who owns billing?").entries
    assert ("Erik" in newer.content, newer.observed_at[:10]) == (True, "2026-02-01")
    assert older.note.endswith("replaced by: Owner of billing: Erik, 2026-02-01")

"""What people say of themselves, asked as they would ask it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu import Memory
from quipu.config import Config
from quipu.testing.fakes import HashEmbedder

NOW = "2026-07-01T12:00:00.000Z"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(
        "memory:", home=tmp_path, config=Config(), embedder=HashEmbedder(64), clock=lambda: NOW
    ) as opened:
        opened.add("We switched from Postgres to SQLite on 3 May 2026.")
        yield opened


@pytest.mark.parametrize("question", ["What do we use?", "What do we use now?"])
def test_what_we_do_is_known_without_a_name_or_a_time(memory: Memory, question: str) -> None:
    assert memory.ask(question).contract.answer == "We use SQLite (since 3 May 2026) [1]."


def test_what_we_never_said_is_unknown(memory: Memory) -> None:
    for question in ("What do we sell?", "What do we use for lunch?"):
        assert memory.ask(question).contract.answer == "unknown"


@pytest.mark.parametrize(
    "question", ["What does the ledger service use?", "What does the ledger service use now?"]
)
def test_a_thing_without_capitals_is_told_of_as_it_stands(memory: Memory, question: str) -> None:
    memory.add("The ledger service uses MySQL since March 2021.", source_ref="a.md")
    memory.add("The ledger service switched from MySQL to Postgres in May 2025.", source_ref="b.md")
    reply = memory.ask(question)
    assert reply.contract.answer.startswith(
        "The ledger service uses Postgres (since May 2025) [1]."
    )

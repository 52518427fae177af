"""Questions that a table answers."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.talk import transcript

from quipu.memory import Memory

pytestmark = pytest.mark.model
NOW = "2026-07-01T12:00:00.000Z"
SERVICES = """service,owner,language,port
ledger,Ann,Go,8080
mailer,Bo,Kotlin,8081
nightly,Cy,Python,
"""


@contextmanager
def _written(home: Path, day: datetime) -> Iterator[Memory]:
    """A memory that holds the table, written on a day."""
    table = home / "services.csv"
    table.write_text(SERVICES, "utf-8")
    os.utime(table, (day.timestamp(), day.timestamp()))
    with Memory.open(home / ".quipu" / "quipu.db", home=home, clock=lambda: NOW) as opened:
        opened.index()
        yield opened


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with _written(tmp_path, datetime(2026, 1, 5, tzinfo=UTC)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who owns the ledger?", "ledger's owner is Ann [1]."),
        ("Which port does mailer listen on?", "mailer's port is 8081 [1]."),
        ("What language is nightly written in?", "nightly's language is Python [1]."),
    ],
)
def test_a_cell_answers_who_asks_for_it(memory: Memory, question: str, told: str) -> None:
    reply = memory.ask(question)
    assert reply.contract.answer == told
    assert reply.contract.evidence[0].file_paths == ("services.csv",)
    assert reply.confidence.value > 0.9


@pytest.mark.parametrize("question", ["Which port does nightly listen on?", "Who owns the cache?"])
def test_an_empty_cell_and_a_missing_row_answer_nothing(memory: Memory, question: str) -> None:
    assert not memory.facts.find(question).known


def _say(memory: Memory, text: str) -> None:
    memory.ingest_sessions([transcript("s", [("Ann", text)], time="2026-06-30T10:00:00.000Z")])


def test_what_is_said_later_takes_the_place_of_a_cell(memory: Memory) -> None:
    memory.add("Dana owns the ledger now.", observed_at="2026-06-30")
    assert "Ann" not in [f.object for f in memory.facts(live=True) if f.subject == "ledger"]
    assert "Dana" in memory.ask("Who owns the ledger?").contract.answer


def test_what_is_said_later_of_a_row_and_answers_nothing_leaves_it_told(memory: Memory) -> None:
    _say(memory, "The mailer was slow again this morning.")
    reply = memory.ask("Who owns mailer?")
    assert reply.contract.answer == "mailer's owner is Bo [1]."
    assert reply.confidence.value > 0.9

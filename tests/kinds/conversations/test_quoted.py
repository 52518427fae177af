"""How turns are quoted: who said them when, the newest first, a question with its reply."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.talk import transcript

from quipu.answer.gate import Evidence
from quipu.answer.kinds import Quotation
from quipu.answer.worth import Candidate
from quipu.config import AnswerConfig, Config
from quipu.kinds.conversations.answer import in_order
from quipu.memory import Memory
from quipu.question import read_question
from quipu.testing.fakes import HashEmbedder

NOW = "2026-07-01T12:00:00.000Z"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    config = Config(answer=AnswerConfig(floor=0.0))
    embedder = HashEmbedder(64)
    with Memory.open(
        "memory:", home=tmp_path, config=config, embedder=embedder, clock=lambda: NOW
    ) as opened:
        yield opened


def _say(memory: Memory, day: str, said: Sequence[tuple[str, str]]) -> None:
    time = f"{day}T10:{{n:02}}:00.000Z"
    memory.ingest_sessions([transcript(day, said, group="team", time=time)])


def _asked(memory: Memory, question: str) -> str:
    return memory.ask(question).contract.answer


def test_a_turn_is_quoted_with_who_said_it_and_when(memory: Memory) -> None:
    _say(memory, "2025-01-14", [("Ann", "Alas, the gravel came to 340 with delivery. So it goes.")])
    assert _asked(memory, "How much did the gravel come to?").startswith(
        "Ann, 2025-01-14: Alas, the gravel came to 340 with delivery. So it goes [1]."
    )


def test_of_turns_that_tell_of_the_same_the_newest_comes_first(memory: Memory) -> None:
    _say(memory, "2025-01-14", [("Ann", "Alas, the gravel came to 340 with delivery.")])
    _say(memory, "2025-03-02", [("Bo", "Alas, the gravel came to 410 with delivery.")])
    told = _asked(memory, "What does the gravel come to?")
    assert 0 <= told.find("Bo, 2025-03-02") < told.find("Ann, 2025-01-14")


@pytest.mark.parametrize(
    "question",
    ["What did the gravel come to in February 2025?", "What did the gravel come to at first?"],
)
def test_what_was_said_by_then_comes_first(memory: Memory, question: str) -> None:
    _say(memory, "2025-01-14", [("Ann", "Alas, the gravel came to 340 with delivery.")])
    _say(memory, "2025-03-02", [("Bo", "Alas, the gravel came to 410 with delivery.")])
    assert _asked(memory, question).startswith("Ann, 2025-01-14")


def _told(day: str, worth: float) -> Quotation:
    turn = Evidence(
        id=f"ch_{day}",
        document_id="en_1",
        path="session:s#1",
        start_line=1,
        end_line=1,
        title="Ann",
        text=day,
        is_code=False,
        graph_ids=(),
        updated_at=f"{day}T10:00:00.000Z",
        source_sha="0",
        spoken=True,
    )
    by = Candidate(day, (0, 0), turn, frozenset(), frozenset(), worth=worth)
    return Quotation(day, (turn,), by)


@pytest.mark.parametrize(
    ("told", "order"),
    [
        ([("2026-01-05", 0.8), ("2026-03-01", 0.4)], ["2026-03-01", "2026-01-05"]),
        ([("2026-01-05", 0.8), ("2026-03-01", 0.3)], ["2026-01-05", "2026-03-01"]),
        (
            [("2026-02-01", 0.8), ("2026-01-05", 0.7), ("2026-03-01", 0.5)],
            ["2026-03-01", "2026-02-01", "2026-01-05"],
        ),
    ],
)
def test_of_turns_about_as_likely_the_newest_is_told_first(
    told: list[tuple[str, float]], order: list[str]
) -> None:
    found = in_order([_told(*each) for each in told], read_question("what is it?"))
    assert [each.text for each in found] == order


def test_a_question_is_quoted_with_its_reply(memory: Memory) -> None:
    _say(
        memory,
        "2025-01-14",
        [("Ann", "ta. and which shelf do the paint tins go to?"), ("Bo", "top, as ever")],
    )
    reply = memory.ask("Which shelf do the paint tins go to?")
    told = "ta. and which shelf do the paint tins go to? Bo: top, as ever [1,2]."
    assert reply.contract.answer.startswith(f"Ann, 2025-01-14: {told}")
    assert [c.path for c in reply.citations][:2] == ["session:2025-01-14#1", "session:2025-01-14#2"]


def test_a_short_reply_is_quoted_with_its_question(memory: Memory) -> None:
    _say(
        memory, "2025-01-14", [("Ann", "Who feeds the hens?"), ("Bo", "Kit feeds them, the hens.")]
    )
    assert "Who feeds the hens? Bo: Kit feeds them, the hens [1,2]" in _asked(
        memory, "Who feeds the hens?"
    )


def test_what_an_assistant_supposes_of_who_asks_is_never_told_for_sure(tmp_path: Path) -> None:
    said = [
        ("user", "What does everyone else charge for a loaf, do you know?"),
        ("assistant", "Between 3 and 4 pounds a loaf is common in small towns."),
    ]
    with Memory.open("memory:", home=tmp_path, embedder=HashEmbedder(64)) as memory:
        memory.ingest_sessions([transcript("s", said, time=NOW)])
        reply = memory.ask("What do I charge for a loaf?")
    assert reply.confidence.inputs["unvouched"] == 1.0
    assert reply.confidence.value < 0.7

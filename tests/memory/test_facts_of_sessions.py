"""What is said in a conversation asserts nothing but what is asked for from now on."""

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory

SAID = [
    ("Kit", "user", "I live in Bergen and my favorite color is red.", "2024-01-05T10:00:00.000Z"),
    ("helper", "assistant", "I live in Oslo, noted.", "2024-01-05T10:00:01.000Z"),
    ("Kit", "user", "I moved to Tromsø last month.", "2025-03-10T09:00:00.000Z"),
    ("Kit", "user", "From now on answer in bullets.", "2025-03-10T09:01:00.000Z"),
]


def _write(memory: Memory) -> None:
    turns = tuple(
        Turn(session_id="s", offset=n, speaker=who, role=role, text=text, time=time)  # type: ignore[arg-type]
        for n, (who, role, text, time) in enumerate(SAID, 1)
    )
    memory.ingest_sessions([Transcript(session_id="s", group="kit", turns=turns)])


def test_only_an_instruction_is_a_fact(memory: Memory) -> None:
    _write(memory)
    (fact,) = memory.facts()
    assert (fact.subject, fact.predicate, fact.object, fact.valid_from) == (
        "Kit",
        "instructs",
        "answer in bullets",
        "2025-03-10",
    )


def test_the_rest_is_found(memory: Memory) -> None:
    _write(memory)
    assert "Tromsø" in memory.search("Kit moved last month").hits[0].text

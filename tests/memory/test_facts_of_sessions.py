"""What people say of themselves in a conversation is a fact, and a later turn takes its place."""

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory

SAID = [
    ("Kit", "user", "I live in Bergen and my favorite color is red.", "2024-01-05T10:00:00.000Z"),
    ("helper", "assistant", "I live in Oslo, noted.", "2024-01-05T10:00:01.000Z"),
    ("Kit", "user", "I moved to Tromsø last month.", "2025-03-10T09:00:00.000Z"),
]


def _write(memory: Memory) -> None:
    turns = tuple(
        Turn(session_id="s", offset=n, speaker=who, role=role, text=text, time=time)  # type: ignore[arg-type]
        for n, (who, role, text, time) in enumerate(SAID, 1)
    )
    memory.add_sessions([Transcript(session_id="s", group="kit", turns=turns)])


def test_the_later_turn_takes_the_place_of_the_earlier(memory: Memory) -> None:
    _write(memory)
    said = memory.history("Kit").entries
    assert {e.fact.predicate for e in said} == {"lives in", "favorite color"}
    entries = [e for e in said if e.fact.predicate == "lives in"]
    assert [(e.fact.object, e.source_ref, e.valid_from, e.valid_to) for e in entries] == [
        ("Bergen", "session:s#1", "2024-01-05", "2025-02"),
        ("Tromsø", "session:s#3", "2025-02", None),
    ]
    assert [e.speaker for e in entries] == ["Kit", "Kit"]


def test_a_question_gets_what_holds_now_or_held_then(memory: Memory) -> None:
    _write(memory)
    assert memory.find_facts("Where does Kit live?").matches[0].standing.fact.object == "Tromsø"
    then = memory.find_facts("Where did Kit live in May 2024?").matches[0].standing.fact.object
    assert then == "Bergen"

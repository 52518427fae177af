"""Of what an assistant says, what it changed itself is read, and what it asks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory

pytestmark = pytest.mark.model
SAID = "2025-03-10T09:00:00.000Z"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", clock=lambda: SAID) as opened:
        yield opened


def test_what_an_assistant_says_it_changed_is_a_fact_and_no_more(memory: Memory) -> None:
    said = [
        ("Kit", "user", "Please raise the chunk size."),
        (
            "helper",
            "assistant",
            "Postgres listens on port 5432. I like Oslo. I raised the chunk size to 64 KB.",
        ),
        (
            "helper",
            "assistant",
            "I could raise the limit to 9. And which port shall the reader use?",
        ),
        ("Kit", "user", "7171."),
    ]
    turns = tuple(
        Turn(session_id="s", offset=n, speaker=who, role=role, text=text, time=SAID)  # type: ignore[arg-type]
        for n, (who, role, text) in enumerate(said, 1)
    )
    memory.add_sessions([Transcript(session_id="s", group="kit", turns=turns)])
    facts = memory.facts()
    assert {(f.subject, f.object, f.provenance["path"]) for f in facts} == {
        ("chunk size", "64 KB", "session:s#2"),
        ("reader", "port 7171", "session:s#4"),
    }


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("I ran it three times. The import takes 4.1 s.", {("import", "4.1 s")}),
        ("The import takes 4.1 s.", set[tuple[str, str]]()),
        ("You said that the import takes 4.1 s. I can change that.", set[tuple[str, str]]()),
    ],
)
def test_what_it_measured_counts_where_it_tells_what_it_did(
    memory: Memory, text: str, read: set[tuple[str, str]]
) -> None:
    turn = Turn(session_id="s", offset=1, speaker="helper", role="assistant", text=text, time=SAID)
    memory.add_sessions([Transcript(session_id="s", group="kit", turns=(turn,))])
    assert {(f.subject, f.object) for f in memory.facts()} == read

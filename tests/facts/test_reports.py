"""What an assistant says states nothing; what people say does."""

from pathlib import Path

import pytest

from quipu.kinds.conversations.model import Transcript, Turn
from quipu.memory import Memory

pytestmark = pytest.mark.model
SAID = "2025-03-10T09:00:00.000Z"


def test_what_people_say_is_read_and_what_an_assistant_says_is_not(tmp_path: Path) -> None:
    said = (
        ("Kit", "user", "The chunk size is 32 KB."),
        ("helper", "assistant", "Postgres listens on port 5432. I raised the chunk size to 64 KB."),
    )
    turns = tuple(
        Turn(session_id="s", offset=n, speaker=who, role=role, text=text, time=SAID)  # type: ignore[arg-type]
        for n, (who, role, text) in enumerate(said, 1)
    )
    with Memory.open(tmp_path / "memory.db", clock=lambda: SAID) as memory:
        memory.add_sessions([Transcript(session_id="s", group="kit", turns=turns)])
        facts = memory.facts()
    assert [(f.subject, f.object, f.provenance["path"]) for f in facts] == [
        ("chunk size", "32 KB", "session:s#1")
    ]

"""What nobody said to be remembered is refused, counted, and never more than that."""

from pathlib import Path
from typing import Any

import pytest
from tests.rows import rows

from quipu.config import Config, IngestConfig
from quipu.kinds.conversations.model import Role, Transcript, Turn
from quipu.kinds.conversations.write import noise
from quipu.memory import Memory

LONG = "The quarterly plan has these parts, in this order, and each has an owner. " * 4
PACK = (
    "Context:\n\n[1] docs/a.md (confidence: 87%)\n```\nText of A.\n```\n\n---\n"
    "When you answer, cite specific sources using [n].\n"
)


def turn(text: str, offset: int = 1, *, session: str = "s", role: Role = "user") -> Turn:
    return Turn(session_id=session, offset=offset, speaker=role, role=role, text=text)


def told(memory: Memory, *turns: Turn) -> dict[str, int]:
    session = turns[0].session_id
    given = Transcript(session_id=session, group=session, turns=turns)
    return memory.ingest_sessions([given], embed=False).refused


@pytest.mark.parametrize(("text", "kind"), rows(__file__, "junk_is_told_from_speech"))
def test_junk_is_told_from_speech(text: str, kind: str | None) -> None:
    assert noise(turn(text)) == kind


def test_long_repetitions_of_one_speaker_are_refused(memory: Memory) -> None:
    refused = told(memory, turn(LONG), turn("Thanks!", 2), turn("Thanks!", 3), turn(LONG, 4))
    assert refused == {"repetition": 1}
    other = turn(LONG, 5, role="assistant")
    assert told(memory, other) == {}
    assert told(memory, turn(LONG, session="t")) == {}
    assert memory.store.counts()["chunk"] == 5


def test_junk_can_be_kept(tmp_path: Path, open_memory: Any) -> None:
    config = Config(ingest=IngestConfig(junk="keep"))
    with open_memory("memory:", tmp_path, config=config) as memory:
        assert told(memory, turn(LONG), turn(LONG, 2), turn(PACK, 3)) == {}
        assert memory.store.counts()["chunk"] == 3

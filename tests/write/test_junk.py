"""What nobody said to be remembered is refused, counted, and never more than that."""

from pathlib import Path
from typing import Any

import pytest

from quipu.config import Config, IngestConfig
from quipu.kinds.conversations.junk import noise
from quipu.kinds.conversations.model import Role, Transcript, Turn
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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<system-reminder>\nBe brief.\n</system-reminder>", "tool noise"),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", "tool noise"),
        ("[Request interrupted by user]", "tool noise"),
        (PACK, "echo"),
        ('{"results": [], "provider": "minilm", "citations": "auto"}', "echo"),
        ("<system-reminder>Be brief.</system-reminder>\nWhat is our deadline?", None),
        ("<system-reminder>never closed", None),
        ("I read about <system-reminder> tags today.", None),
        (PACK + "\nWho owns A?", None),
        ("Context: we met on Tuesday.", None),
        ("Thanks!", None),
    ],
)
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

"""Conversations are written through Memory, grow, and are found turn by turn."""

from pathlib import Path

import pytest
from tests.talk import transcript

from quipu.config import Config, SessionsConfig
from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Transcript
from quipu.memory import Memory, Passage
from quipu.records.record import Chunk, Episode
from quipu.records.scope import Scope
from quipu.testing.fakes import HashEmbedder

SAID = (
    ("Ann", "Do you still live in that flat in Basel?"),
    ("Bo", "No, we moved to Bern last spring."),
    ("Ann", "How many children do you have now?"),
    ("Bo", "Two. Both boys."),
    ("Ann", "I adopted a greyhound called Pepper."),
    ("Bo", "That is a lovely breed."),
)


def talk(session: str = "ann-bo/1", group: str = "ann-bo", count: int = len(SAID)) -> Transcript:
    time = "2024-05-08T10:00:00.000Z"
    return transcript(session, SAID[:count], group=group, role="other", time=time)


@pytest.fixture(params=["memory:", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Memory:
    url = request.param if request.param == "memory:" else str(tmp_path / "quipu.db")
    return Memory.open(url, home=tmp_path, config=Config(), embedder=HashEmbedder(512))


def found(memory: Memory, question: str, group: str = "ann-bo", limit: int = 1) -> list[str]:
    scope = Scope(groups=frozenset({group}))
    return [hit.source_ref for hit in memory.search(question, scope=scope, limit=limit).hits]


def test_an_answer_is_found_by_the_question_before_it(memory: Memory) -> None:
    memory.ingest_sessions([talk()])
    assert "session:ann-bo/1#4" in found(memory, "How many children does Bo have?", limit=2)


def test_a_growing_transcript_writes_only_what_is_new(memory: Memory) -> None:
    first = memory.ingest_sessions([talk(count=3)])
    assert first.added == 3
    second = memory.ingest_sessions([talk()])
    assert (second.added, second.unchanged) == (3, 3)
    sequence = memory.store.sequence()
    third = memory.ingest_sessions([talk()])
    assert (third.added, third.unchanged) == (0, 6)
    assert memory.store.sequence() == sequence


def test_messages_of_an_agent_are_a_session(memory: Memory) -> None:
    messages: list[dict[str, object]] = [
        {"role": "user", "content": "Please deploy the payments service on Fridays only."},
        {"role": "assistant", "content": "I will deploy payments on Fridays."},
        {"role": "user", "content": 5},
    ]
    job = memory.add(messages, session_id="s1")
    assert (job.added, len(job.errors)) == (2, 1)
    assert "session:s1#1" in found(memory, "When did I say to deploy payments?", "s1", limit=2)
    with pytest.raises(InvalidInput):
        memory.add(messages, session_id=" ")


def test_transcript_files_are_read_from_folders(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    line = '{"speaker": "Ann", "text": "The key is under the mat.", "session": "s"}\n'
    (folder / "a.jsonl").write_text(line + "{cut")
    (folder / "b.json").write_text('{"name": "no transcript"}')
    job = memory.ingest(folder)
    assert job.added == 1
    assert isinstance(memory.get("session:s#1"), Passage)
    assert [row.path for row in job.errors] == ["a.jsonl:2"]
    assert any(note.startswith("b.json") for note in job.notes)
    with pytest.raises(InvalidInput, match="no-such"):
        memory.ingest(tmp_path / "no-such")


def test_secrets_are_redacted_and_previews_bounded(tmp_path: Path) -> None:
    config = Config(sessions=SessionsConfig(store="preview", preview_characters=500))
    memory = Memory.open("memory:", home=tmp_path, config=config, embedder=HashEmbedder())
    text = "My token is ghp_" + "a1B2" * 9 + ". " + "word " * 1000
    memory.ingest_sessions([transcript("s", [("user", text)])])
    (chunk,) = memory.store.scan("chunk")
    (episode,) = memory.store.scan("episode")
    assert isinstance(chunk, Chunk)
    assert isinstance(episode, Episode)
    assert len(chunk.text) <= 500
    assert "ghp_" not in chunk.text + episode.preview_text

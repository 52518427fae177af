"""A job that the file system stops is left for later and holds up no other."""

from pathlib import Path

import pytest

from quipu.kinds.conversations.read import files
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder


def test_what_cannot_be_looked_at_now_holds_up_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / "talk.jsonl").write_text('{"speaker": "Zoe", "text": "I play the cello."}\n')

    def closed(*_: object) -> object:
        raise PermissionError(13, "Permission denied", "talks")

    store = tmp_path / "memory.db"
    with monkeypatch.context() as patched:
        patched.setattr(files, "files_in", closed)
        memory = Memory.open(store, embedder=HashEmbedder(64))
        with memory, pytest.raises(PermissionError):
            memory.ingest([folder])
        with Memory.open(store, embedder=HashEmbedder(64)) as memory:
            memory.add("My name is Hugo.")
            assert memory.search("Hugo").hits
    with Memory.open(store, embedder=HashEmbedder(64)) as memory:
        memory.add("Hugo lives in Oslo.")
        assert "cello" in memory.search("What does Zoe play?").hits[0].text

"""What left the index can still be erased; a blank namespace opens nothing."""

from pathlib import Path

import pytest

from quipu import Memory
from quipu.errors import UnknownRecord


def test_a_removed_file_is_erased_for_good(tmp_path: Path) -> None:
    (tmp_path / "kept.md").write_text("# Kept\n\nThis stays.\n", encoding="utf-8")
    gone = tmp_path / "gone.md"
    gone.write_text("# Gone\n\nA marker word: xylograph.\n", encoding="utf-8")
    store = tmp_path / ".quipu" / "quipu.db"
    store.parent.mkdir()
    with Memory.open(store, embedder=None) as memory:
        memory.index(tmp_path)
        gone.unlink()
        memory.index(tmp_path)
        assert memory.forget("gone.md") == 1
        with pytest.raises(UnknownRecord, match=r"gone\.md"):
            memory.forget("gone.md")
        assert memory.get("kept.md")
    held = b"".join(p.read_bytes() for p in store.parent.glob("quipu.db*") if p.is_file())
    assert b"xylograph" not in held

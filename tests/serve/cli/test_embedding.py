"""Vectors that `quipu embed` makes."""

from pathlib import Path
from typing import Any

import pytest


def fill(folder: Path, count: int) -> None:
    for n in range(count):
        (folder / f"page{n}.md").write_text(f"# Page {n}\n\nShelf {n} holds {n} red cords.\n")


@pytest.fixture
def made(quipu: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUIPU_EMBED_MODEL", "minilm")
    assert quipu("init").code == 0
    return tmp_path


def test_embed_makes_what_is_lacking(quipu: Any, made: Path) -> None:
    fill(made, 5)
    assert quipu("index", "--no-embed", "--json").document["unembedded"] == 5
    assert "Embedded: 5 passages" in quipu("embed").out
    assert quipu("embed", "--json").document["embedded"] == 0
    assert quipu("status", "--json").document["unembedded"] == 0

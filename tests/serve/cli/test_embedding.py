"""Vectors that `quipu embed` makes."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.write.embedding_progress import embedding_progress, reporting
from quipu.write.lock import WriteLock

PATIENCE_S = 120
TELLING = """
import sys, time
from pathlib import Path
from quipu.write.embedding_progress import reporting
with reporting(Path(sys.argv[1]), None) as tell:
    tell("embed", 1, 9)
    time.sleep(600)
"""


def fill(folder: Path, count: int) -> None:
    for n in range(count):
        (folder / f"page{n}.md").write_text(f"# Page {n}\n\nShelf {n} holds {n} red cords.\n")


@pytest.fixture
def made(quipu: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUIPU_EMBED_MODEL", "minilm")
    assert quipu("init").code == 0
    return tmp_path


def ended(wanted: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not wanted():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_embed_makes_what_is_lacking(quipu: Any, made: Path) -> None:
    fill(made, 5)
    assert quipu("index", "--no-embed", "--json").document["unembedded"] == 5
    assert "Embedded: 5 passages" in quipu("embed").out
    assert quipu("embed", "--json").document["embedded"] == 0
    assert quipu("status", "--json").document["unembedded"] == 0


def test_one_process_makes_them(quipu: Any, made: Path) -> None:
    fill(made, 80)
    quipu("index", "--no-embed")
    with reporting(made / ".quipu", None) as tell:
        assert tell is not None
        tell("embed", 20, 80)
        status = quipu("status")
        assert "Being embedded now: 20 of 80" in status.out
        embedding = quipu("status", "--json").document["embedding"]
        assert (embedding["done"], embedding["total"]) == (20, 80)
        outcome = quipu("embed")
        assert outcome.code == 0
        assert "another process makes them already" in outcome.err
        assert "Without a vector yet: 80" in outcome.out
    assert quipu("status", "--json").document["embedding"] is None


def test_what_a_killed_process_told_counts_for_nothing(made: Path) -> None:
    state = made / ".quipu"
    child = subprocess.Popen([sys.executable, "-c", TELLING, str(state)])
    try:
        assert ended(lambda: (now := embedding_progress(state)) is not None and now.done == 1)
    finally:
        child.kill()
        child.wait()
    assert (state / "embedding.json").exists()
    assert embedding_progress(state) is None
    with reporting(state, None) as tell, WriteLock(state, "embedding.lock").at_once() as free:
        assert tell is not None
        assert not free

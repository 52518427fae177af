"""Vectors that are made behind the back of `quipu index`, and by `quipu embed`."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from quipu.serve.cli.embedding import LOG
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


def test_index_leaves_the_vectors_to_the_background(quipu: Any, made: Path) -> None:
    fill(made, 80)
    outcome = quipu("index", "--no-wait")
    assert outcome.code == 0, outcome.err
    assert "Without a vector yet: 80 passages" in outcome.out
    assert "made in the background now" in outcome.err
    assert quipu("search", "red cords on shelf 7").code == 0
    assert ended(lambda: quipu("status", "--json").document["unembedded"] == 0)
    assert ended(lambda: embedding_progress(made / ".quipu") is None)
    assert "Embedded: 80 passages" in (made / ".quipu" / LOG).read_text()
    again = quipu("index", "--no-wait")
    assert "background" not in again.err


@pytest.mark.parametrize(("parent", "waits"), [(1, True), (4711, False)])
def test_at_a_terminal_index_waits_only_where_all_ends_with_it(
    quipu: Any, made: Path, monkeypatch: pytest.MonkeyPatch, parent: int, waits: bool
) -> None:
    place = "quipu.serve.cli.embedding"
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(f"{place}.sys", SimpleNamespace(stdout=terminal, executable=sys.executable))
    process = SimpleNamespace(getpid=lambda: 4712, getppid=lambda: parent)
    monkeypatch.setattr(f"{place}.os", process)
    fill(made, 80)
    assert ("background" in quipu("index").err) is not waits
    assert ended(lambda: quipu("status", "--json").document["unembedded"] == 0)
    assert ended(lambda: embedding_progress(made / ".quipu") is None)


def test_without_a_model_nothing_is_left_behind(
    quipu: Any, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIPU_EMBED_MODEL", "none")
    fill(made, 80)
    outcome = quipu("index", "--no-wait")
    assert "background" not in outcome.err
    assert not (made / ".quipu" / LOG).exists()


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
        assert "made in the background now" in quipu("index", "--no-wait").err
        assert not (made / ".quipu" / LOG).exists()
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

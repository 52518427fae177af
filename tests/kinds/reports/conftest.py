"""Memories over a small town of documents."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.rows import rows

from quipu import Memory
from quipu.config import Config
from quipu.testing.fakes import HashEmbedder

NOW = "2026-03-01T10:00:00.000Z"
PAYMENTS = dict(rows(__file__, "conftest_payments"))
GARDENS = dict(rows(__file__, "conftest_gardens"))
MUSIC = dict(rows(__file__, "conftest_music"))


class Town(NamedTuple):
    """Three subjects that have nothing to do with each other, as files by name."""

    payments: dict[str, str] = PAYMENTS
    gardens: dict[str, str] = GARDENS
    music: dict[str, str] = MUSIC


@pytest.fixture
def town() -> Town:
    """What there is to be remembered."""
    return Town()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    url = tmp_path / ".quipu" / "quipu.db"
    url.parent.mkdir()
    with Memory.open(
        url, home=tmp_path, config=Config(), embedder=HashEmbedder(), clock=lambda: NOW
    ) as opened:
        yield opened


@pytest.fixture
def remember(tmp_path: Path, write_files: Callable[[Path, dict[str, str]], None]):
    """Write files and index them."""

    def made(memory: Memory, *files: dict[str, str]) -> None:
        for each in files:
            write_files(tmp_path, each)
        memory.index(tmp_path)

    return made

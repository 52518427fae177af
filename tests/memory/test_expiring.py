"""What has expired is not recalled, is counted, and goes when it is told to."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.talk import Clock

from quipu.memory import Memory


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
def memory(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    open_memory: Callable[..., Memory],
    clock: Clock,
) -> Iterator[Memory]:
    url = "memory:" if request.param == "memory" else tmp_path / "quipu.db"
    with open_memory(url, tmp_path, clock=clock) as opened:
        yield opened


def refs(memory: Memory, limit: int = 10) -> list[str]:
    return [hit.path for hit in memory.search("the wifi code of the office", limit=limit).hits]


def test_it_is_recalled_until_then_and_no_longer(memory: Memory, clock: Clock) -> None:
    memory.add("The wifi code of the office is blue.", source_ref="old.txt", expires="2026-04")
    memory.add("The wifi code of the office is green.", source_ref="new.txt")
    assert set(refs(memory)) == {"old.txt", "new.txt"}
    assert memory.stats().expired == 0
    clock.now = "2026-04-01T00:00:00.000Z"
    assert refs(memory) == ["new.txt"]
    assert any("expired" in note for note in memory.search("wifi code").notes)
    assert memory.stats().expired == 1


def test_purging_erases_it_and_nothing_else(memory: Memory, clock: Clock) -> None:
    memory.add("The wifi code of the office is blue.", source_ref="old.txt", expires="2026-04-01")
    memory.add("The wifi code of the office is green.", source_ref="new.txt", expires="2027")
    assert memory.purge_expired() == 0
    clock.now = "2026-04-02T00:00:00.000Z"
    assert memory.purge_expired() == 1
    assert memory.stats().expired == 0
    assert memory.store.counts()["episode"] == 1
    assert memory.purge_expired() == 0

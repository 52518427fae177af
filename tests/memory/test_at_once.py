"""Two that write at once: what stands afterwards does not depend on who came first."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from quipu.memory import Memory

Open = Callable[..., Memory]
Said = tuple[str, str, str]

MOVES: tuple[Said, ...] = (
    ("one", "2026-02-01T10:00:00Z", "We moved from MySQL to Postgres in January 2026."),
    ("two", "2026-02-02T10:00:00Z", "We moved from Postgres to SQLite in February 2026."),
    ("three", "2026-02-03T10:00:00Z", "I prefer tabs."),
    ("four", "2026-02-04T10:00:00Z", "I no longer prefer tabs. I prefer spaces over tabs."),
)


def tell(memory: Memory, said: Said) -> None:
    ref, at, text = said
    memory.add(text, source_ref=ref, observed_at=at, properties={"speaker": "Ann"})


def standing(memory: Memory) -> list[object]:
    """Every fact, and how each subject's facts stand to each other."""
    facts = memory.facts()
    subjects = sorted({fact.subject for fact in facts})
    return [facts, *(memory.history(subject) for subject in subjects)]


def open_at(open_memory: Open, folder: Path) -> Memory:
    return open_memory(str(folder / ".quipu" / "quipu.db"), folder)


def told_in(open_memory: Open, folder: Path, order: Sequence[Said]) -> list[object]:
    with open_at(open_memory, folder) as memory:
        for said in order:
            tell(memory, said)
        return standing(memory)


def test_facts_stand_the_same_whoever_came_first(tmp_path: Path, open_memory: Open) -> None:
    forward = told_in(open_memory, tmp_path / "forward", MOVES)
    assert len(forward[0]) >= len(MOVES)  # type: ignore[arg-type]
    assert told_in(open_memory, tmp_path / "back", MOVES[::-1]) == forward


@pytest.mark.parametrize("seed", range(3))
def test_facts_stand_the_same_when_all_write_at_once(
    tmp_path: Path, open_memory: Open, seed: int
) -> None:
    expected = told_in(open_memory, tmp_path / "one", MOVES)
    folder = tmp_path / "many"
    with open_at(open_memory, folder):
        pass
    together = threading.Barrier(len(MOVES))

    def write(said: Said) -> None:
        with open_at(open_memory, folder) as memory:
            together.wait()
            tell(memory, said)

    order = MOVES[seed:] + MOVES[:seed]
    threads = [threading.Thread(target=write, args=(said,)) for said in order]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_at(open_memory, folder) as memory:
        assert standing(memory) == expected

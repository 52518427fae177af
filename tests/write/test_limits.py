"""What stalls, exhausts or kills the process that reads it costs itself and nothing else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.write.limits import Limits
from quipu.write.workers import Workers

HARD = """
import os, time
def work(task):
    if task == "die":
        os._exit(3)
    if task == "stall":
        while True:
            try:
                time.sleep(60)
            except Exception:
                pass
    if task == "hold on":
        sum(range(10**12))  # does not come back to Python for its signals
    if task == "hog":
        return [bytes(10_000_000) for _ in range(10**6)]
    if task == "swell":
        return bytes(500_000_000)
    print("stray")
    return task.upper()
"""
HOLDS_MEMORY = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="memory is bounded otherwise here"
)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Work that does what its task says."""
    (tmp_path / "hard_work.py").write_text(HARD)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "hard_work", raising=False)
    import hard_work  # pyright: ignore[reportMissingImports]

    return hard_work.work


def results(workers: "Workers[str, str]", *jobs: list[str]) -> dict[str, str]:
    with workers:
        made = list(workers.map(jobs))
    assert [task for task, _ in made] == [task for job in jobs for task in job]
    return {task: str(result) for task, result in made}


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_process_that_dies_costs_only_its_own_task(work: Any, count: int) -> None:
    workers = Workers[str, str](work, count, here=lambda _: False)
    made = results(workers, ["a", "die", "b"], ["c"], ["die"], ["d"])
    assert made.pop("die") == "the reading process ended with 3; leave it out"
    assert made == {"a": "A", "b": "B", "c": "C", "d": "D"}


@pytest.mark.parametrize("what", ["stall", "hold on"])
def test_what_takes_too_long_is_ended_wherever_it_is(work: Any, what: str) -> None:
    workers = Workers[str, str](work, 1, limits=Limits(seconds=0.2))
    made = results(workers, ["a", what, "b"], ["c"])
    assert made.pop(what) == "took longer than 0.2 s; raise max_seconds, or leave it out"
    assert made == {"a": "A", "b": "B", "c": "C"}


@HOLDS_MEMORY
@pytest.mark.parametrize("what", ["hog", "swell"])
def test_what_takes_too_much_memory_is_ended(work: Any, what: str) -> None:
    workers = Workers[str, str](work, 1, limits=Limits(memory_bytes=100_000_000))
    made = results(workers, ["a", what, "b"], ["c"])
    said = "needed more than 100 MB of memory; raise max_memory_mb, or leave it out"
    assert made.pop(what) == said
    assert made == {"a": "A", "b": "B", "c": "C"}


def test_only_what_is_not_for_here_goes_to_a_process(work: Any) -> None:
    here: list[str] = []

    def is_cheap(task: str) -> bool:
        here.append(task)
        return True

    assert results(Workers[str, str](work, 0, here=is_cheap), ["a"], ["b"]) == {"a": "A", "b": "B"}
    assert here == ["a", "b"]


def test_a_module_of_the_folder_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sprung = tmp_path / "sprung"
    for name in ("importlib", "json", "pickle", "msgspec", "numpy", "quipu"):
        text = f"open({str(sprung)!r}, 'w').close()\nraise SystemExit(3)\n"
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ":.")
    with Workers(len, 1) as workers:
        assert [result for _, result in workers.map([["a"], ["bcd"]])] == [1, 3]
    assert not sprung.exists()

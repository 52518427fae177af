"""A run that is killed anywhere loses nothing that the next run does not bring."""

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.memory import Memory

RUN = """
import sys
from pathlib import Path
from quipu.config import Config, IndexConfig
from quipu.write import batches, run
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

batches.BatchWriter.most_sources, run._WORTH_WORKERS_BYTES = 10, int(sys.argv[3])
home = Path(sys.argv[1])
clock = lambda: "2026-03-01T10:00:00.000Z"
config = Config(index=IndexConfig(workers=2))
with Memory.open(sys.argv[2], home=home, config=config, embedder=HashEmbedder(), clock=clock) as m:
    print("go", flush=True)
    m.index(home)
"""


def start(home: Path, url: str, *, worth: int = 10**9) -> "subprocess.Popen[bytes]":
    """A process that indexes `home`, past its imports; batches of 10 sources."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(home), url, str(worth)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"go\n"
    return process


def files(count: int, seed: int) -> dict[str, str]:
    """Modules that call each other and pages that link to each other."""
    chosen = random.Random(seed)
    made: dict[str, str] = {}
    for n in range(count):
        other = chosen.randrange(count)
        made[f"m{n}.py"] = (
            f"from m{other} import run_{other}\n\ndef run_{n}():\n    '''Runs {n} {seed}.'''\n"
            f"    return run_{other}()\n\nclass C{n}:\n    def go_{n}(self):\n        return {n}\n"
        )
        made[f"p{n}.md"] = f"# Page {n} {seed}\n\nSee [it](p{other}.md) and `run_{other}`.\n"
    return made


def measure(home: Path, url: str) -> float:
    """How long an undisturbed run takes."""
    began = time.monotonic()
    process = start(home, url)
    ready = time.monotonic()
    assert process.wait() == 0
    assert process.stdout is not None
    process.stdout.close()
    assert ready > began
    return time.monotonic() - ready


def kill_at(home: Path, url: str, after_s: float) -> None:
    process = start(home, url)
    time.sleep(after_s)
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


@pytest.mark.parametrize("kills", [3, pytest.param(25, marks=pytest.mark.large)])
def test_killed_at_random_moments_then_run_once_more(
    kills: int,
    tmp_path: Path,
    open_memory: Callable[..., Memory],
    write_files: Callable[..., None],
    snapshot: Callable[..., dict[str, Any]],
    from_scratch: Callable[[Path], dict[str, Any]],
) -> None:
    home = tmp_path / "home"
    write_files(home, files(40, 0))
    seconds = measure(home, str(tmp_path / "other" / "quipu.db"))
    chosen = random.Random(kills)
    url = str(home / ".quipu" / "quipu.db")
    (home / ".quipu").mkdir(exist_ok=True)
    for kill in range(kills):
        if kill % 3 == 2:  # files change, come and go between the runs
            write_files(home, dict(chosen.sample(sorted(files(40, kill).items()), 10)))
            (home / chosen.choice(sorted(files(40, 0)))).unlink(missing_ok=True)
        kill_at(home, url, chosen.uniform(0, seconds))
    with open_memory(url, home) as memory:
        memory.index(home)
        assert snapshot(memory.store) == from_scratch(home)


@pytest.mark.parametrize("ways", [({}, {}), ({"worth": 0},)], ids=["two at once", "by workers"])
def test_other_processes_give_the_same(
    tmp_path: Path,
    open_memory: Callable[..., Memory],
    write_files: Callable[..., None],
    snapshot: Callable[..., dict[str, Any]],
    from_scratch: Callable[[Path], dict[str, Any]],
    ways: tuple[dict[str, int], ...],
) -> None:
    home, url = tmp_path / "home", str(tmp_path / "home" / ".quipu" / "quipu.db")
    (home / ".quipu").mkdir(parents=True)
    write_files(home, files(40, 0))
    processes = [start(home, url, **way) for way in ways]
    for process in processes:
        assert process.wait() == 0
        assert process.stdout is not None
        process.stdout.close()
    with open_memory(url, home) as memory:
        assert snapshot(memory.store) == from_scratch(home)
        before = memory.store.sequence()
        memory.index(home)
        assert memory.store.sequence() == before

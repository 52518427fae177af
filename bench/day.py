"""A scripted day: four processes write 5,000 turns into one store while four others recall.

First undisturbed, at a pace: how long a recall takes, how long a write, what was lost. Then the
same day with every writer killed twice at seeded moments, each going on where it had heard of no
success: the records must be the same, apart from the instants at which they were written.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from bench.day_script import steps
from bench.measure import percentile
from quipu import Memory

TURNS, WRITERS, READERS, KILLS = 5_000, 4, 4, 2
WRITE_PACE_S, RECALL_PACE_S = 0.5, 0.25
_KILLED_PACE_S = 0.2
_SEED = 4
_LAST_WORDS = 4_000
_WRITTEN_AT = re.compile(r'"(?:ingested_at|recorded_at|known_until|exported_at)":"[^"]*"')


class Day(NamedTuple):
    """How big a day is; `fake` embeds by hashing words instead of the model."""

    turns: int = TURNS
    writers: int = WRITERS
    readers: int = READERS
    write_pace_s: float = WRITE_PACE_S
    recall_pace_s: float = RECALL_PACE_S
    fake: bool = False


def measure(out: Path, passages: int) -> dict[str, Any]:
    """Both days, and whether they ended with the same records."""
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        return both_days(Path(scratch), Day(turns=min(TURNS, passages)))


def both_days(folder: Path, day: Day) -> dict[str, Any]:
    """The undisturbed day's figures, and under `killed` how the other one ended."""
    one, two = folder / "one" / "quipu.db", folder / "two" / "quipu.db"
    figures = run_day(one, day)
    pace_s = min(day.write_pace_s, _KILLED_PACE_S)
    again = run_day(two, day._replace(readers=0, write_pace_s=pace_s), kills=KILLS)
    expected, found = records(one), records(two)
    return figures | {
        "killed": {
            **{key: again[key] for key in ("kills", "failures", "said", "written_s", "found")},
            "records": len(expected),
            "same": expected == found,
            "different": len(set(expected) ^ set(found)),
        }
    }


def run_day(store: Path, day: Day, *, kills: int = 0) -> dict[str, Any]:
    """Write the day into a new store; each writer is killed `kills` times."""
    store.parent.mkdir(parents=True, exist_ok=True)
    Memory.open(store).close()
    plan = steps(_SEED, day.turns, day.writers)
    dice = random.Random(_SEED)
    began = time.monotonic()
    with _readers(store, day) as recalled:
        writers = [
            _Writer(store, day, number, sorted(dice.randrange(len(mine)) for _ in range(kills)))
            for number, mine in enumerate(plan)
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        written_s = time.monotonic() - began
        embedded_s = _wait_for_vectors(store)
    took = [ms for writer in writers for ms in writer.took_ms]
    return {
        "turns": sum(2 for mine in plan for step in mine if not step.category),
        "entries": sum(1 for mine in plan for step in mine if step.category),
        "found": _count_found(store, plan),
        "writers": day.writers,
        "write_pace_s": day.write_pace_s,
        "written_s": round(written_s, 1),
        "searchable_after_s": round(embedded_s, 1),
        "write_ms": _percentiles(took),
        "kills": sum(writer.killed for writer in writers),
        "failures": sum(writer.failure != 0 for writer in writers),
        "said": [writer.said for writer in writers if writer.failure],
        "recall": _recall_figures(recalled, day),
    }


class _Writer(threading.Thread):
    """Watches one writing process, kills it at given steps, and starts it again behind what it
    said was done: as a client sends again what was never confirmed."""

    def __init__(self, store: Path, day: Day, number: int, kill_at: list[int]) -> None:
        super().__init__()
        self._store, self._day, self._number = store, day, number
        self._kill_at = kill_at
        self._dice = random.Random(number)
        self.took_ms: list[float] = []
        self.killed = 0
        self.failure = 0
        self.said = ""

    def run(self) -> None:
        first = 0
        while True:
            with tempfile.TemporaryFile() as said:
                process = _agent(self._store, "write", self._given(first), said=said)
                first = self._follow(process, first)
                if process.wait() >= 0:
                    self.failure = process.returncode
                    said.seek(0)
                    self.said = said.read().decode(errors="replace")[-_LAST_WORDS:]
                    return

    def _follow(self, process: subprocess.Popen[str], first: int) -> int:
        """Hear what is done until the process ends; the number of the first step that is not."""
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                number, took = json.loads(line)
                self.took_ms.append(1000 * took)
                first = number + 1
                if self._kill_at and first > self._kill_at[0]:
                    self._kill_at.pop(0)
                    time.sleep(self._dice.uniform(0.0, 2 * self._day.write_pace_s))
                    self.killed += process.poll() is None
                    process.kill()
        return first

    def _given(self, first: int) -> dict[str, Any]:
        return {
            "seed": _SEED,
            "turns": self._day.turns,
            "writers": self._day.writers,
            "writer": self._number,
            "first": first,
            "pace_s": self._day.write_pace_s,
            "fake": self._day.fake,
        }


@contextmanager
def _readers(store: Path, day: Day) -> Iterator[list[dict[str, Any]]]:
    """Processes that recall while the block runs; their figures are there after it."""
    found: list[dict[str, Any]] = []
    given = {"pace_s": day.recall_pace_s, "fake": day.fake}
    processes = [_agent(store, "recall", given | {"seed": number}) for number in range(day.readers)]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield found
        found += [json.loads(process.communicate()[0]) for process in processes]
    finally:
        for process in processes:
            process.kill()


def _agent(
    store: Path, role: str, given: dict[str, Any], said: IO[bytes] | None = None
) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.day_agent", role, str(store), json.dumps(given)]
    # As the command and its servers set it.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        text=True,
        env=environment,
        cwd=Path(__file__).parents[1],
    )


def _wait_for_vectors(store: Path) -> float:
    """How long after the last write until nothing waits for its vector any more."""
    began = time.monotonic()
    with Memory.open(store, read_only=True, embedder=None) as memory:
        while memory.store.counts(["chunk"])["chunk"] > max(memory.store.spaces().values()):
            time.sleep(0.05)
    return time.monotonic() - began


def _count_found(store: Path, plan: list[list[Any]]) -> dict[str, int]:
    """Turns and entries that are there, by what was said."""
    with Memory.open(store, embedder=None, read_only=True) as memory:
        held: set[str] = set()
        after = ""
        while page := memory.store.scan("chunk", after=after):
            after = page[-1].chunk_id  # type: ignore[union-attr]
            held |= {chunk.text for chunk in page}  # type: ignore[union-attr]
    every = [step for mine in plan for step in mine]
    return {
        "turns": sum(said in held for s in every if not s.category for said in s.said),
        "entries": sum(said in held for s in every if s.category for said in s.said),
        "passages": len(held),
    }


def records(store: Path) -> list[str]:
    """All that an export of the store writes, without the instants of writing, in order."""
    with tempfile.TemporaryDirectory() as scratch:
        exported = Path(scratch) / "records.jsonl"
        with Memory.open(store, embedder=None, read_only=True) as memory:
            memory.export(exported)
        lines = exported.read_text(encoding="utf-8").splitlines()[1:]
    return sorted(
        _WRITTEN_AT.sub("", json.dumps(json.loads(line), separators=(",", ":"), sort_keys=True))
        for line in lines
    )


def _recall_figures(recalled: list[dict[str, Any]], day: Day) -> dict[str, Any]:
    wall = [ms for each in recalled for ms in each["wall_ms"]]
    if not wall:
        return {}
    last = [ms for each in recalled for ms in each["wall_ms"][-len(each["wall_ms"]) // 5 :]]
    return {
        "readers": day.readers,
        "pace_s": day.recall_pace_s,
        "recalls": len(wall),
        "late": sum(each["late"] for each in recalled),
        "wall_ms": _percentiles(wall),
        "wall_ms_last_fifth": _percentiles(last),
        "processor_ms": _percentiles([ms for each in recalled for ms in each["work_ms"]]),
    }


def _percentiles(values: list[float]) -> dict[str, float]:
    return {f"p{round(100 * s)}": round(percentile(values, s), 1) for s in (0.5, 0.95, 0.99)}

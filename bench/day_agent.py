"""One process of the scripted day: an agent that writes its share, or one that recalls.

`python -m bench.day_agent write STORE CONFIG` reads nothing but its arguments, writes step after
step and says each number that is done; `recall` asks at its pace until its input ends and then
prints how long each recall took. Both use what the tools over MCP use.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.day_script import Step, questions, steps
from quipu import Memory
from quipu.agents.entries import Entries
from quipu.agents.recall import recall
from quipu.memory.ingestion import IngestItem, ingest_items
from quipu.testing.fakes import HashEmbedder


class _Clock:
    """Stands at the moment of the step that is being done, so that two days can be compared."""

    def __init__(self) -> None:
        self.now = "2026-03-02T07:00:00.000Z"

    def __call__(self) -> str:
        return self.now


def _moments(pace_s: float, seed: int) -> Iterator[float]:
    """When to act: half to one and a half paces apart. People and agents do not beat time, and
    processes that were started together would all do so at once."""
    due, dice = time.monotonic(), random.Random(seed)
    while True:
        yield due
        due += pace_s * dice.uniform(0.5, 1.5)


def write(store: Path, given: dict[str, Any]) -> None:
    """Do the steps of one writer from `first` on, one every `pace_s` seconds in the mean."""
    clock = _Clock()
    mine = steps(given["seed"], given["turns"], given["writers"])[given["writer"]]
    with _open(store, given, clock) as memory:
        entries = Entries(memory)
        memory.jobs.resume()
        moments = _moments(given["pace_s"], given["writer"])
        for step, due in zip(mine[given["first"] :], moments, strict=False):
            time.sleep(max(0.0, due - time.monotonic()))
            clock.now = step.at
            start = time.perf_counter()
            _do(memory, entries, step, mine)
            took = time.perf_counter() - start
            print(json.dumps([step.number, round(took, 4)]), flush=True)


def _do(memory: Memory, entries: Entries, step: Step, mine: list[Step]) -> None:
    """Half of the sessions come as `Memory.add` takes them, half as `memory_ingest` does."""
    if step.category:
        entries.store(step.said[0], category=step.category)  # type: ignore[arg-type]
        return
    if step.session.endswith(("1", "3", "5", "7", "9")):
        items = [
            IngestItem(
                kind="turn",
                text=text,
                metadata={"role": role, "speaker": speaker, "time": step.at},
            )
            for role, speaker, text in _pair(step)
        ]
        ingest_items(memory, items, session_key=step.session)
        return
    messages: list[dict[str, object]] = [
        {"role": role, "name": speaker, "content": text, "timestamp": each.at}
        for each in itertools.takewhile(lambda s: s.number <= step.number, mine)
        if each.session == step.session and not each.category
        for role, speaker, text in _pair(each)
    ]
    memory.add(messages, session_id=step.session)


def _pair(step: Step) -> list[tuple[str, str, str]]:
    return [("user", step.speaker, step.said[0]), ("assistant", "assistant", step.said[1])]


def ask(store: Path, given: dict[str, Any]) -> None:
    """Recall at a pace until standard input ends."""
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    wall: list[float] = []
    work: list[float] = []
    late = 0
    with _open(store, given, _Clock()) as memory:
        entries = Entries(memory)
        recall(memory, entries, "Is anybody there?")
        print("ready", flush=True)
        asked = itertools.cycle(questions(given["seed"], 500))
        for question, due in zip(asked, _moments(given["pace_s"], given["seed"]), strict=False):
            late += time.monotonic() > due + given["pace_s"]
            if ended.wait(max(0.0, due - time.monotonic())):
                break
            start, used = time.perf_counter(), time.process_time()
            recall(memory, entries, question)
            wall.append(1000 * (time.perf_counter() - start))
            work.append(1000 * (time.process_time() - used))
    print(json.dumps({"wall_ms": wall, "work_ms": work, "late": late}), flush=True)


def _open(store: Path, given: dict[str, Any], clock: _Clock) -> Memory:
    if given.get("fake"):
        return Memory.open(store, embedder=HashEmbedder(), clock=clock)
    return Memory.open(store, clock=clock)


if __name__ == "__main__":
    {"write": write, "recall": ask}[sys.argv[1]](Path(sys.argv[2]), json.loads(sys.argv[3]))

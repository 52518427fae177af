"""A backup of a memory of 50 MB, beside a writer; every other one is killed and taken again.

What is put back is whole, holds all that was there before, and validates.
"""

from __future__ import annotations

import json
import random
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import ascii_lowercase
from typing import ClassVar, Self

from bench.torture.trial import Broken, Hands, Trial
from bench.torture.warm import OWN_STORE, Done, Kill, Warm
from quipu import Memory
from quipu.records.passage import PassageInput

__all__ = ["Large"]

_ENV = {"QUIPU_EMBED_MODEL": "none", **OWN_STORE}
_PASSAGES, _WORDS, _SIZE_BYTES = 6_000, 250, 50_000_000
_LATEST_KILL_S = 2.0


class Large(Trial):
    """See the module."""

    name: ClassVar[str] = "large"
    what: ClassVar[str] = "backups of a memory of 50 MB beside a writer"
    cases: ClassVar[int] = 6

    def __enter__(self) -> Self:
        home, dice = self.prepared / "home", random.Random(self.seed)
        words = ["".join(dice.choices(ascii_lowercase, k=dice.randint(3, 9))) for _ in range(5_000)]
        with _opened(home) as memory:
            memory.add_documents(
                PassageInput(
                    source_ref=f"note:{n}",
                    text=f"Report {n}: {' '.join(dice.choices(words, k=_WORDS))}.",
                )
                for n in range(_PASSAGES)
            )
        size = (home / ".quipu" / "quipu.db").stat().st_size
        _demand(size > _SIZE_BYTES, f"the memory has {size:,} bytes only")
        self._before = _exported(self.warm, home)
        return self

    def case(self, number: int, dice: random.Random, hands: Hands) -> None:
        """Take a backup while somebody writes, put it back, compare."""
        home, new = hands.folder / "home", hands.folder / "new"
        shutil.copytree(self.prepared / "home", home)
        new.mkdir()
        with _writing(home):
            if number % 2:
                kill = Kill(after_s=dice.uniform(0.05, _LATEST_KILL_S))
                _quipu(hands.warm, home, "backup", "../m.quipu", kill=kill)
            done = _quipu(hands.warm, home, "backup", "--force", "../m.quipu")
        _demand(done.code == 0, f"backup: exit {done.code}: {done.err[-300:]}")
        done = _quipu(hands.warm, new, "restore", "../m.quipu")
        _demand(done.code == 0, f"restore: exit {done.code}: {done.err[-300:]}")
        doctor = json.loads(_quipu(hands.warm, new, "doctor", "--json").out)
        failed = [c["detail"] for c in doctor["checks"] if c["status"] == "fail"]
        _demand(not failed, f"doctor says {failed}")
        lost = self._before - _exported(hands.warm, new)
        _demand(not lost, f"{len(lost)} records are gone")


@contextmanager
def _writing(home: Path) -> Iterator[None]:
    """Somebody adds notes while the block runs."""
    stop = threading.Event()

    def write() -> None:
        with _opened(home) as memory:
            n = 0
            while not stop.is_set():
                memory.add(f"Note {n} of the road.", source_ref=f"manual:{n}", embed=False)
                n += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


def _opened(home: Path) -> Memory:
    return Memory.open(home / ".quipu" / "quipu.db", home=home, embedder=None)


def _quipu(warm: Warm, home: Path, *command: str, kill: Kill | None = None) -> Done:
    return warm.quipu(*command, cwd=home, env=_ENV, kill=kill)


def _exported(warm: Warm, home: Path) -> frozenset[str]:
    file = home.parent / f"{home.name}.jsonl"
    done = _quipu(warm, home, "export", "--force", str(file))
    _demand(done.code == 0, f"it cannot be exported: {done.err[-300:]}")
    return frozenset(file.read_text("utf-8").splitlines()[1:])


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Broken(otherwise)

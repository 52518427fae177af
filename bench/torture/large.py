"""A backup of a memory of 50 MB, beside a writer; every other one is killed and taken again.

What is put back is whole and holds all that was there before.
"""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import ascii_lowercase
from typing import ClassVar, Self

from bench.torture.trial import NO_MODEL, Hands, Trial, demand, exported, require_whole, succeed
from bench.torture.warm import Kill
from quipu import Memory
from quipu.records.passage import PassageInput

__all__ = ["Large"]

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
        texts = (" ".join(dice.choices(words, k=_WORDS)) for _ in range(_PASSAGES))
        with _opened(home) as memory:
            memory.add_documents(
                PassageInput(source_ref=f"note:{n}", text=f"Report {n}: {text}.")
                for n, text in enumerate(texts)
            )
        size = (home / ".quipu" / "quipu.db").stat().st_size
        demand(size > _SIZE_BYTES, f"the memory has {size:,} bytes only")
        self._before = frozenset(exported(self.warm, home))
        return self

    def case(self, number: int, dice: random.Random, hands: Hands) -> None:
        """Take a backup while somebody writes, put it back, compare."""
        home, new, warm = hands.folder / "home", hands.folder / "new", hands.warm
        shutil.copytree(self.prepared / "home", home)
        new.mkdir()
        with _writing(home):
            if number % 2:
                kill = Kill(after_s=dice.uniform(0.05, _LATEST_KILL_S))
                warm.quipu("backup", "../m.quipu", cwd=home, env=NO_MODEL, kill=kill)
            succeed(warm.quipu("backup", "--force", "../m.quipu", cwd=home, env=NO_MODEL))
        succeed(warm.quipu("restore", "../m.quipu", cwd=new, env=NO_MODEL), "restore:")
        require_whole(warm.quipu("doctor", "--json", cwd=new, env=NO_MODEL))
        lost = self._before - {*exported(warm, new)}
        demand(not lost, f"{len(lost)} records are gone")


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

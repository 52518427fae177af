"""What a trial is, and how its cases are run: side by side, bounded in time, by seed."""

from __future__ import annotations

import random
import shutil
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from bench.torture.warm import Warm

__all__ = ["Broken", "Failure", "Hands", "Outcome", "Plan", "Trial", "run_trial"]


class Broken(Exception):
    """A promise that did not hold; the text says which."""


@dataclass(frozen=True, slots=True)
class Hands:
    """What a case works with: a warm interpreter of its own and an empty folder."""

    warm: Warm
    folder: Path


class Trial(ABC):
    """One kind of torture. It is entered once, before its cases, and left after them;
    `prepared` is a folder of its own that is not there yet, `warm` what it may prepare with."""

    name: ClassVar[str]
    what: ClassVar[str]
    cases: ClassVar[int]

    def __init__(self, prepared: Path, seed: int, warm: Warm) -> None:
        self.prepared, self.seed, self.warm = prepared, seed, warm

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:  # noqa: B027 - most hold nothing
        """Give back what `__enter__` took."""

    @abstractmethod
    def case(self, number: int, dice: random.Random, hands: Hands) -> int | None:
        """Run one case; raises Broken. What it gives is how many things it tried (None: one)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is done: the seed, the numbers of the cases (None: all), and until when
    (`time.monotonic`)."""

    seed: int
    scratch: Path
    cases: Sequence[int] | None = None
    deadline: float = float("inf")


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that did not hold."""

    number: int
    detail: str


@dataclass(slots=True)
class Outcome:
    """What came of a trial. `planned` is more than `cases` when time was up."""

    name: str
    what: str
    planned: int
    cases: int = 0
    tried: int = 0
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list[Failure])


def run_trial(make: type[Trial], plan: Plan, warms: Sequence[Warm]) -> Outcome:
    """Run the cases of a trial until they or the time are done, as many at once as `warms`."""
    chosen = range(make.cases) if plan.cases is None else plan.cases
    outcome = Outcome(make.name, make.what, len(chosen))
    numbers, lock = iter(chosen), threading.Lock()
    began = time.monotonic()
    home = plan.scratch / make.name
    home.mkdir(parents=True)
    with make(home / "prepared", plan.seed, warms[0]) as trial:

        def work(worker: int) -> None:
            for number, folder in _taken(numbers, lock, plan, home / f"worker{worker}"):
                dice = random.Random(f"{plan.seed}:{make.name}:{number}")
                found, tried = _tried(trial, number, dice, Hands(warms[worker], folder))
                with lock:
                    outcome.cases += 1
                    outcome.tried += tried
                    outcome.failures += [Failure(number, found)] if found else []

        with ThreadPoolExecutor(len(warms)) as workers:
            list(workers.map(work, range(len(warms))))
    outcome.failures.sort(key=lambda failure: failure.number)
    outcome.seconds = time.monotonic() - began
    shutil.rmtree(home, ignore_errors=True)
    return outcome


def _taken(
    numbers: Iterator[int], lock: threading.Lock, plan: Plan, home: Path
) -> Iterator[tuple[int, Path]]:
    """The next numbers that nobody else took, each with an empty folder that then goes."""
    while time.monotonic() < plan.deadline:
        with lock:
            number = next(numbers, None)
        if number is None:
            return
        with _empty(home / str(number)) as folder:
            yield number, folder


@contextmanager
def _empty(folder: Path) -> Iterator[Path]:
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        _writable(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _writable(folder: Path) -> None:
    """Give back the rights that a case took away, or the folder could not be deleted."""
    for each in [folder, *folder.rglob("*")]:
        if each.is_dir() and not each.is_symlink():
            each.chmod(0o700)


def _tried(trial: Trial, number: int, dice: random.Random, hands: Hands) -> tuple[str | None, int]:
    """What failed in a case, if anything, and how many things it tried."""
    try:
        return None, trial.case(number, dice, hands) or 1
    except Broken as broken:
        return str(broken), 1
    except Exception as error:  # noqa: BLE001 - a fault of the trial is told, and stops no other
        return f"the trial itself failed: {type(error).__name__}: {error}", 1

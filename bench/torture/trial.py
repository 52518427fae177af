"""What a trial is, what its cases ask of commands, and how they are run: side by side, by seed."""

from __future__ import annotations

import json
import random
import shutil
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from bench.torture.warm import OWN_STORE, Done, Limits, Warm

__all__ = [
    "BEFORE",
    "NOW",
    "NO_MODEL",
    "Broken",
    "Failure",
    "Hands",
    "Outcome",
    "Plan",
    "Trial",
    "demand",
    "exported",
    "honest",
    "require_whole",
    "run_trial",
    "succeed",
]

BEFORE, NOW = "2026-03-01T10:00:00.000+00:00", "2026-03-01T11:00:00.000+00:00"
NO_MODEL = {"QUIPU_EMBED_MODEL": "none", **OWN_STORE}
_RAW = ("Traceback", "this should not happen", "UnicodeDecodeError", "ValidationError")


class Broken(Exception):
    """A promise that did not hold; the text says which."""


def demand(holds: object, otherwise: str) -> None:
    """Raise Broken unless it holds."""
    if not holds:
        raise Broken(otherwise)


def honest(done: Done, what: str = "", codes: Sequence[int] = (0, 1, 2, 3)) -> Done:
    """The same: a command that ends says what is wrong in a line of its own."""
    raw = any(word in done.err + done.out for word in _RAW)
    said = (done.err or done.out).strip()[-300:]
    demand(not raw and done.code in codes, f"{what} exit {done.code}: {said!a}".strip())
    return done


def succeed(done: Done, what: str = "") -> Done:
    """The same: the command did what was asked."""
    return honest(done, what, codes=(0,))


def require_whole(done: Done) -> None:
    """Broken unless `doctor --json` finds nothing that fails."""
    failed = [c["detail"] for c in json.loads(done.out)["checks"] if c["status"] == "fail"]
    demand(not failed, f"doctor says {failed}")


def exported(
    warm: Warm, home: Path, *options: str, env: Mapping[str, str] = NO_MODEL, now: str = NOW
) -> list[str]:
    """The lines of an export of the memory in `home`."""
    file = home.parent / f"{home.name}-exported.jsonl"
    words = ("export", *options, "--force", str(file))
    succeed(warm.quipu(*words, cwd=home, env=env, limits=Limits(now=now)), "export:")
    return file.read_text("utf-8").splitlines()[1:]


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
            while time.monotonic() < plan.deadline:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                dice = random.Random(f"{plan.seed}:{make.name}:{number}")
                with _empty(home / f"worker{worker}" / str(number)) as folder:
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


@contextmanager
def _empty(folder: Path) -> Iterator[Path]:
    """An empty folder that then goes, whatever rights a case took away in it."""
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        for each in [folder, *folder.rglob("*")]:
            if each.is_dir() and not each.is_symlink():
                each.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)


def _tried(trial: Trial, number: int, dice: random.Random, hands: Hands) -> tuple[str | None, int]:
    """What failed in a case, if anything, and how many things it tried."""
    try:
        return None, trial.case(number, dice, hands) or 1
    except Broken as broken:
        return str(broken), 1
    except Exception as error:  # noqa: BLE001 - a fault of the trial is told, and stops no other
        return f"the trial itself failed: {type(error).__name__}: {error}", 1

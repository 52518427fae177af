"""`python -m bench torture`: every trial, a line each."""

from __future__ import annotations

import argparse
import importlib
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.torture.trial import Outcome, Plan, Trial, run_trial
from bench.torture.warm import Warm

__all__ = ["TRIALS", "load", "main"]

TRIALS = {
    "kills": "kills:Kills",
    "disk": "disk:Disk",
    "files": "files:Files",
    "processes": "processes:Processes",
    "namespaces": "namespaces:Namespaces",
    "terminal": "terminal:Terminal",
    "tree": "tree:Tree",
}
"""The trials by name, and where each is; in the order in which they are run."""

_SHARE = {"kills": 0.6}
_REST = 0.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trials that were asked for; 1 when one found something."""
    chosen = _arguments(arguments)
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="quipu-torture-") as scratch, ExitStack() as stack:
        warms = [stack.enter_context(Warm()) for _ in range(chosen.side_by_side)]
        for name in chosen.only or TRIALS:
            cases = range(chosen.kills) if name == "kills" else None
            share = 1.0 if chosen.only else _SHARE.get(name, _REST)
            plan = Plan(
                seed=chosen.seed,
                scratch=Path(scratch),
                cases=cases if chosen.case is None else [chosen.case],
                deadline=time.monotonic() + 60 * chosen.minutes * share,
            )
            outcomes.append(run_trial(load(name), plan, warms))
            print(_line(outcomes[-1]), flush=True)
            for failure in outcomes[-1].failures:
                print(f"  case {failure.number}: {failure.detail}")
                print(f"    again: {_again(name, chosen.seed, failure.number)}", flush=True)
    return int(any(outcome.failures for outcome in outcomes))


def load(name: str) -> type[Trial]:
    """The trial of that name."""
    module, _, attribute = TRIALS[name].partition(":")
    found: type[Trial] = getattr(importlib.import_module(f"bench.torture.{module}"), attribute)
    return found


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench torture", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=1000, help="how many kills; default 1000")
    parser.add_argument("--minutes", type=float, default=45.0, help="at most, all in all")
    parser.add_argument("--only", type=_names, default=(), help="trials, commas between them")
    parser.add_argument("--case", type=int, help="this case of the one trial alone")
    parser.add_argument("--side-by-side", type=int, default=2, help="processes at work at once")
    chosen = parser.parse_args(arguments)
    if chosen.case is not None and len(chosen.only) != 1:
        parser.error("--case needs --only with one trial")
    return chosen


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in TRIALS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown} are none of {', '.join(TRIALS)}")
    return names


def _again(name: str, seed: int, number: int) -> str:
    return f"python -m bench torture --only {name} --seed {seed} --case {number}"


def _line(outcome: Outcome) -> str:
    short = f" of {outcome.planned} (time was up)" if outcome.cases < outcome.planned else ""
    return (
        f"{outcome.name}: {outcome.what}: {outcome.cases}{short} cases, {outcome.tried} tried, "
        f"{len(outcome.failures)} failed, {outcome.seconds:.0f} s"
    )

"""A bar for long work on a terminal; elsewhere a line now and then, on standard error."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from quipu.serve.cli.terminal import note, safe

if TYPE_CHECKING:  # pragma: no cover
    from rich.progress import TaskID

__all__ = ["progress"]

Shown = Callable[[str, int, int], None]
"""Called with (stage, done, total); total is 0 while it is not known."""

_BETWEEN_LINES_S = 15.0


@contextmanager
def progress(*, quiet: bool) -> Generator[Shown | None]:
    """What shows the progress of the work inside; None, so nothing, when `quiet`."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar() as shown:
            yield shown
    else:
        yield _lines()


@contextmanager
def _bar() -> Generator[Shown]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def shown(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                for ended in bar.tasks:  # a stage without a total would go on pulsing
                    bar.update(ended.id, total=ended.completed or 1, completed=ended.completed or 1)
                tasks[stage] = bar.add_task(safe(stage, line=True), count="", total=None)
            bar.update(tasks[stage], completed=done, total=total or None, count=_count(done, total))

        yield shown


def _lines() -> Shown:
    last = time.monotonic()

    def shown(stage: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _BETWEEN_LINES_S:
            last = time.monotonic()
            note(f"{stage}: {_count(done, total)}")

    return shown


def _count(done: int, total: int) -> str:
    return f"{done:,} of {total:,}" if total else f"{done:,}"

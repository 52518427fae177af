"""How far long work is: a line that a terminal rewrites; elsewhere one now and then."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from quipu.serve.cli.terminal import note, safe

__all__ = ["progress"]

Shown = Callable[[str, int, int], None]
"""Called with (stage, done, total); total is 0 while it is not known."""

_BETWEEN_REWRITES_S, _BETWEEN_LINES_S = 0.1, 15.0
_CLEARED = "\r\x1b[K"


@contextmanager
def progress(*, quiet: bool) -> Generator[Shown | None]:
    """Yield what shows the progress of the work inside; None, so nothing, when `quiet`."""
    if quiet:
        yield None
        return
    rewrites = sys.stderr.isatty()
    between_s = _BETWEEN_REWRITES_S if rewrites else _BETWEEN_LINES_S
    due_s = 0.0 if rewrites else time.monotonic() + between_s

    def shown(stage: str, done: int, total: int) -> None:
        nonlocal due_s
        if time.monotonic() < due_s:
            return
        due_s = time.monotonic() + between_s
        line = f"{stage}: {done:,} of {total:,}" if total else f"{stage}: {done:,}"
        if rewrites:
            sys.stderr.write(f"{_CLEARED}{safe(line, line=True)}")
            sys.stderr.flush()
        else:
            note(line)

    try:
        yield shown
    finally:
        if rewrites:
            sys.stderr.write(_CLEARED)
            sys.stderr.flush()

"""What a server could not do this time, done again."""

import time
from collections.abc import Callable
from typing import TypeVar

from quipu.errors import StoreUnavailable

__all__ = ["TransientFailure", "again"]

T = TypeVar("T")
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0


class TransientFailure(StoreUnavailable):
    """The server was lost, or wants the transaction again: nothing was changed, unless it was the
    answer of the commit that was lost."""


def again(do: Callable[[], T], *, within_s: float) -> T:
    """What `do` gives, called again while it fails in passing: for a change that is the same when
    it is made twice."""
    pause_s, deadline = _FIRST_PAUSE_S, time.monotonic() + within_s
    while True:
        try:
            return do()
        except TransientFailure:
            if time.monotonic() + pause_s > deadline:
                raise
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

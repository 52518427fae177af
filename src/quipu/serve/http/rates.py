"""How often each caller may ask: a bucket a caller, filled steadily."""

import time
from collections import OrderedDict
from collections.abc import Callable

__all__ = ["Rates"]

_MOST_CALLERS = 10_000


class Rates:
    """`a_minute` requests for each caller, all of them at once if need be; 0 sets no limit. The
    callers that were seen longest ago are forgotten first."""

    def __init__(self, a_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = float(a_minute), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> float:
        """Take one of a caller's requests; 0, or the seconds until there is one."""
        if self._most <= 0:
            return 0.0
        now = self._clock()
        left, since = self._left.pop(caller, (self._most, now))
        left = min(self._most, left + (now - since) * self._most / 60)
        wait = 0.0 if left >= 1 else (1 - left) * 60 / self._most
        self._left[caller] = (left if wait else left - 1, now)
        while len(self._left) > _MOST_CALLERS:
            self._left.popitem(last=False)
        return wait

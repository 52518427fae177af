"""The threads that the synchronous core runs in: so many at once, so many waiting, no more."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from quipu.errors import Unavailable

__all__ = ["Busy", "Threads"]

P = ParamSpec("P")
T = TypeVar("T")


class Busy(Unavailable):
    """More is asked at once than is taken."""


class Threads(ThreadPoolExecutor):
    """`threads` calls run at once and `waiting` wait for their turn; the next raises Busy."""

    def __init__(self, threads: int, waiting: int) -> None:
        super().__init__(max_workers=threads, thread_name_prefix="quipu-http")
        self.most = threads + waiting
        self._held = 0
        self._counting = threading.Lock()

    @property
    def held(self) -> int:
        """How many calls run or wait."""
        return self._held

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `fn` in a thread. Raises Busy."""
        with self._counting:
            if self._held >= self.most:
                raise Busy(
                    f"{self._held} requests are being answered and more are not taken: try again "
                    "in a moment, or start the server with more --threads"
                )
            self._held += 1
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(self._ended)
        return future

    def _ended(self, _future: Future[Any]) -> None:
        with self._counting:
            self._held -= 1

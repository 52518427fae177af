"""The threads in which the synchronous core runs: so many at once, so many waiting, no more."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from quipu.errors import Unavailable

__all__ = ["Threads"]

P = ParamSpec("P")
T = TypeVar("T")


class Busy(Unavailable):
    """More is asked at once than is taken."""


class Threads(ThreadPoolExecutor):
    """`threads` calls run at once and `waiting` wait for their turn; the next raises Busy."""

    def __init__(self, threads: int, waiting: int) -> None:
        super().__init__(max_workers=threads, thread_name_prefix="quipu-http")
        self.most = threads + waiting
        self._active = 0
        self._counting = threading.Lock()

    @property
    def active(self) -> int:
        """How many calls run or wait."""
        return self._active

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `fn` in a thread. Raises Busy."""
        with self._counting:
            if self._active >= self.most:
                raise Busy(
                    f"{self._active} requests are being answered and more are not taken: try again "
                    "in a moment, or start the server with more --threads"
                )
            self._active += 1
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(self._ended)
        return future

    def _ended(self, _future: Future[Any]) -> None:
        with self._counting:
            self._active -= 1

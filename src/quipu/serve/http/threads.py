"""The threads in which the synchronous core runs: so many at once, so many waiting, no more."""

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
        self.active: set[Future[Any]] = set()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run `fn` in a thread. Raises Busy."""
        if len(self.active) >= self.most:
            raise Busy(
                f"{len(self.active)} requests are being answered and more are not taken: try again "
                "in a moment, or start the server with more --threads"
            )
        future = super().submit(fn, *args, **kwargs)
        self.active.add(future)
        future.add_done_callback(self.active.discard)
        return future

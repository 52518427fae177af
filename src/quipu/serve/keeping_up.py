"""A memory that is served keeps up with its tree: what changes is read while nobody asks.

What an answer cites is checked anyway; this also brings in what is new.
"""

import logging
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from quipu.errors import QuipuError
from quipu.memory import Memory

__all__ = ["kept_up"]

_LOOKED_FOR_EVERY_S = 5.0

_log = logging.getLogger(__name__)


@contextmanager
def kept_up(opened: Callable[[], Memory] | None) -> Generator[None]:
    """While the block runs, follow in a thread what was indexed into the memory that is `opened`;
    nothing without one. It has a handle of its own, so that nobody waits for it to write."""
    if opened is None:
        yield
        return
    stop = threading.Event()
    thread = threading.Thread(target=_follow, args=(opened, stop), name="quipu-keeps-up")
    thread.daemon = True
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _follow(opened: Callable[[], Memory], stop: threading.Event) -> None:
    """Until told to stop; where nothing was indexed yet, that is looked for again."""
    try:
        with opened() as memory:
            while not stop.is_set():
                for report in memory.keep_up(stop=stop):
                    _log.info("%d files were read again", len(report.added + report.changed))
                stop.wait(_LOOKED_FOR_EVERY_S)
    except (QuipuError, OSError) as error:  # what is cited is still checked at each question
        _log.warning("the memory does not follow its folder any more: %s", error)

"""What reading one source may take: time, which `workers.py` watches, and memory, which the process
that reads holds itself as far as its system lets it.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

try:
    import resource
except ImportError:  # Windows: a process cannot bound its own memory
    resource = None

__all__ = ["NO_MEMORY", "UNLIMITED", "Limits", "hold"]

NO_MEMORY = 77
"""What a process ends with that may have no more memory."""

_STARTED = 1_000_000
_TIMES = 10
_LOOK_S = 0.05


class Limits(NamedTuple):
    """`seconds` for each started megabyte of a source; `memory_bytes` for one source, or ten
    times its size where that is more. 0 is no limit."""

    seconds: float = 0
    memory_bytes: int = 0

    def seconds_for(self, size: int) -> float:
        """How long a source of `size` bytes may take."""
        return self.seconds * max(1, -(-size // _STARTED))

    def memory_for(self, size: int) -> int:
        """How many bytes of memory a source of `size` bytes may take."""
        return max(self.memory_bytes, _TIMES * size) if self.memory_bytes else 0


UNLIMITED = Limits()


def hold() -> Callable[[int], None]:
    """Take the process as it is now for empty; the function given bounds what it may hold beyond
    that, in bytes (0: no bound). Past it an allocation fails (Linux) or the process ends with
    NO_MEMORY (where else there is `resource`); on Windows nothing happens."""
    if resource is None:
        return lambda _: None
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if sys.platform == "linux":
        empty = _data_bytes()
        return lambda allowed: _allow(empty + allowed if allowed else 0)
    return _Watch().allow


def _data_bytes() -> int:
    """What the process has of writable memory of its own: what RLIMIT_DATA bounds."""
    pages = Path("/proc/self/statm").read_text("ascii").split()[5]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _allow(most: int) -> None:
    assert resource is not None
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = most or hard
    resource.setrlimit(
        resource.RLIMIT_DATA,
        (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard),
    )


class _Watch:
    """Ends the process when it has grown past what it may hold: for systems on which limits of
    memory are taken and not kept (macOS)."""

    def __init__(self) -> None:
        self._empty = _peak_bytes()
        self._allowed = 0
        threading.Thread(target=self._look, daemon=True).start()

    def allow(self, allowed: int) -> None:
        self._allowed = allowed

    def _look(self) -> None:
        while True:
            time.sleep(_LOOK_S)
            if self._allowed and _peak_bytes() > self._empty + self._allowed:
                os._exit(NO_MEMORY)


def _peak_bytes() -> int:
    assert resource is not None
    used: Any = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)

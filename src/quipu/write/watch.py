"""Waits for changes in files; what to do about them is the caller's."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

from watchfiles import DefaultFilter, watch

_QUIET_MS = 400
"""So long nothing more may change before a change is told: editors write in several steps."""

_BEGUN_MS = 1_000
"""After so long without a change the watch has surely begun."""


def changes_in(
    paths: Sequence[Path], state: Path | None, *, stop: Event | None = None
) -> Iterator[int]:
    """How many files changed, each time some did, and 0 once when the watch has begun: what changed
    before that nobody saw. What watchfiles itself leaves out counts for nothing, nor does the local
    state: indexing writes there. Ends when `stop` is set or on Ctrl-C."""
    found = watch(
        *paths,
        watch_filter=DefaultFilter(ignore_paths=[state] if state else None),
        stop_event=stop,
        step=_QUIET_MS,
        raise_interrupt=True,  # else watchfiles says on standard error that it stops
        recursive=True,
        rust_timeout=_BEGUN_MS,
        yield_on_timeout=True,
    )
    has_begun = False
    try:
        for changes in found:
            if changes or not has_begun:
                yield len(changes)
            has_begun = True
    except KeyboardInterrupt:
        return

"""Waits for changes in files; what to do about them is the caller's."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

from watchfiles import DefaultFilter, watch

_QUIET_MS = 400
"""So long nothing more may change before a change is told: editors write in several steps."""


class _OutsideState(DefaultFilter):
    """watchfiles' own filter, and nothing from the local state: indexing writes there."""

    def __init__(self, state: Path | None) -> None:
        super().__init__(ignore_paths=[state] if state else None)


def changes_in(
    paths: Sequence[Path], state: Path | None, *, stop: Event | None = None
) -> Iterator[int]:
    """How many files changed, each time some did; ends when `stop` is set or on Ctrl-C."""
    found = watch(
        *paths,
        watch_filter=_OutsideState(state),
        stop_event=stop,
        step=_QUIET_MS,
        raise_interrupt=True,  # else watchfiles says on standard error that it stops
        recursive=True,
    )
    try:
        for changes in found:
            yield len(changes)
    except KeyboardInterrupt:
        return

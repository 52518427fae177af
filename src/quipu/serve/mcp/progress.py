"""How far a long write is, told to a client that asks for it."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import anyio.from_thread
from mcp.server.mcpserver.context import Context

from quipu.records.progress import Progress

__all__ = ["telling", "tells"]

_STEPS = 20

_present: ContextVar[Progress | None] = ContextVar("quipu_progress", default=None)


def telling() -> Progress | None:
    """Where a tool tells how far it is; None where nobody listens."""
    return _present.get()


@contextmanager
def tells(context: Context[Any, Any] | None) -> Generator[None]:
    """Within, what a tool tells goes to the client of `context`, about twenty times a stage. What
    was told never falls, as the protocol asks: a stage begins where the one before it ended."""
    if context is None:
        yield
        return
    said, before, stage_now = 0, 0, ""

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal said, before, stage_now
        if stage != stage_now:
            stage_now, before = stage, said
        due = done == total or done % max(1, total // _STEPS) == 0
        if due and before + done > said:
            said = before + done
            whole = before + total if total else None
            anyio.from_thread.run(context.report_progress, said, whole, stage)

    token = _present.set(tell)
    try:
        yield
    finally:
        _present.reset(token)

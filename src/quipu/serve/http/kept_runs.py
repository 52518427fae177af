"""Runs in the ledger beside the memory, so that what was run is still told after a restart.

What is kept of a run is what says nothing of the contents: what it was, how it ended, how many
golden questions passed. Its report stays with the process, because what is forgotten later might
stand in it.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import msgspec

from quipu.ledger import LEDGER, Ledger
from quipu.memory import Memory

__all__ = ["KeptRun", "keep", "kept", "kept_run"]

T = TypeVar("T")

_KIND = "run"
_KEPT = 200


class KeptRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run as the ledger holds it; `status` as it was when it was last kept."""

    run_id: str
    kind: str
    status: str
    started_at: str
    ended_at: str | None = None
    error: str | None = None
    passed: int | None = None
    questions: int | None = None


def keep(memory: Memory, run: KeptRun) -> None:
    """Write how a run stands; of each kind the latest 200 stay. Raises StoreUnavailable,
    CorruptStore."""
    _with(memory, partial(_put, memory, run))


def kept(memory: Memory) -> list[KeptRun]:
    """The runs of the memory's namespace, of whichever process, the latest first."""
    found = _with(memory, partial(_list, _prefix(memory))) or []
    held = [msgspec.json.decode(value, type=KeptRun) for _, value in found]
    return sorted(held, key=lambda run: (run.started_at, run.run_id), reverse=True)


def kept_run(memory: Memory, run_id: str) -> KeptRun | None:
    """The one of that id, if there is one in the memory's namespace."""
    return next((run for run in kept(memory) if run.run_id == run_id), None)


def _put(memory: Memory, run: KeptRun, ledger: Ledger) -> None:
    of_kind = f"{_prefix(memory)}{run.kind}\0"
    key = f"{of_kind}{run.started_at}\0{run.run_id}"
    before = [each for each, _ in _list(of_kind, ledger) if each != key]
    gone = [(_KIND, each) for each in before[: max(len(before) + 1 - _KEPT, 0)]]
    ledger.change(put={(_KIND, key): msgspec.json.encode(run)}, delete=gone)


def _list(prefix: str, ledger: Ledger) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    after = prefix
    while page := ledger.list(_KIND, after=after):
        for entry in page:
            if not entry.key.startswith(prefix):
                return found
            found.append((entry.key, entry.value))
        after = page[-1].key
    return found


def _prefix(memory: Memory) -> str:
    return f"{memory.handle.name}\0"


def _with(memory: Memory, do: Callable[[Ledger], T]) -> T | None:
    """What `do` gives for the memory's ledger; None for a memory that keeps nothing."""
    state = memory.home.state
    if state is None or memory.home.url == "memory:":
        return None
    with Ledger(state / LEDGER) as ledger:
        return do(ledger)

"""Erasing sources: from the store, the jobs that wait, the cache, the reports and the logs.

What is to go is written down before anything goes, so a forgetting that is killed is carried out
by whoever opens the memory next. While it runs nobody writes sources or vectors: what another
process has read already it asks about again before it writes.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quipu.embed.cache import CACHE, erase_cache
from quipu.errors import StoreUnavailable
from quipu.ledger import LEDGER, Ledger
from quipu.ports import Store
from quipu.write.dropped import Dropped
from quipu.write.kinds import resting_on
from quipu.write.lock import WriteLock
from quipu.write.report import forget_rows
from quipu.write.state_files import HINTS, forgetting_file, replace_file

if TYPE_CHECKING:
    from quipu.write.jobs import Jobs

__all__ = ["Forgetting"]

Without = Callable[[Dropped, str, bytes], bytes | None]
"""A job's payload of a kind without what is dropped; None when nothing is left."""


class _Intent(msgspec.Struct, frozen=True, kw_only=True):
    """What is to go: sources by reference."""

    refs: tuple[str, ...]


class Forgetting:
    """Erases sources from one memory; `name` is what the local state calls it, `then` does what
    must follow a forgetting that was killed, once it is carried out."""

    def __init__(
        self,
        store: Store,
        *,
        name: str,
        state: Path | None,
        jobs: Callable[[], "Jobs"],
        without: Without,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._state = state
        self._jobs = jobs
        self._without = without
        self._then = then
        self._intent = forgetting_file(state, name) if state else None
        # In this order, everywhere: who embeds takes no other turn.
        self._turns = [WriteLock(state, n) for n in ("forget.lock", "index.lock", "embed.lock")]

    @contextmanager
    def alone(self) -> Generator[frozenset[str]]:
        """Wait until nobody else writes, and keep it so; the sources that an earlier forgetting,
        which did not come to its end, has left and that are gone now."""
        with ExitStack() as stack:
            for turns in self._turns:
                stack.enter_context(turns.taken())
            yield self._finish()

    def finish(self) -> None:
        """Carry out what an earlier forgetting left, unless somebody does it now. What cannot be
        done yet is left again."""
        with self._turns[0].at_once() as free:
            if not free:
                return
            with ExitStack() as stack, suppress(StoreUnavailable):
                for turns in self._turns[1:]:
                    stack.enter_context(turns.taken())
                self._finish()

    def is_waiting(self, refs: Sequence[str]) -> bool:
        """Whether a job that has not ended holds any of these sources."""
        return self._jobs().hold(partial(self._without, Dropped(frozenset(refs))))

    def erase(self, refs: Sequence[str]) -> int:
        """Erase sources, history included; how many episodes went. The caller is `alone`."""
        if not refs:
            return 0
        count = len(self._store.sources(refs=refs, ended=True))
        self._carry_out(_Intent(refs=tuple(self.resting_on(refs))))
        return count

    def rewrite_jobs(self, without: Callable[[str, bytes], bytes]) -> None:
        """Give every job that waits the payload that `without` makes of its kind and payload, and
        leave no copy of the one before. The caller is `alone`."""
        self._jobs().let_go((), without)
        self._jobs().erase()

    def resting_on(self, refs: Sequence[str]) -> list[str]:
        """These sources, and those that rest on them, sorted."""
        return sorted({*refs, *resting_on(self._store, frozenset(refs))})

    def _finish(self) -> frozenset[str]:
        left = _read_intent(self._intent)
        if left is not None:
            self._carry_out(left)
        self._then()
        return frozenset(left.refs) if left else frozenset()

    def _carry_out(self, intent: _Intent) -> None:
        """Every step can be done again. One that fails keeps no other from being done."""
        if self._intent is not None:
            replace_file(self._intent, msgspec.json.encode(intent))
        failed: list[StoreUnavailable] = []
        for step in (self._erase_jobs, self._erase_cache, self._erase_files, self._erase_records):
            try:
                step(intent)
            except StoreUnavailable as error:
                failed.append(error)
        if failed:
            raise failed[-1]
        if self._intent is not None:
            self._intent.unlink(missing_ok=True)

    def _erase_records(self, intent: _Intent) -> None:
        self._store.forget(intent.refs)
        if late := resting_on(
            self._store, frozenset(intent.refs)
        ):  # written since they were looked for
            self._store.forget(late)

    def _erase_jobs(self, intent: _Intent) -> None:
        dropped = Dropped(frozenset(intent.refs))
        self._jobs().let_go(intent.refs, partial(self._without, dropped))
        if self._state is not None and (self._state / LEDGER).exists():
            with Ledger(self._state / LEDGER) as ledger:  # jobs stood there in earlier versions
                ledger.erase()

    def _erase_cache(self, _intent: _Intent) -> None:
        if self._state is not None:
            erase_cache(self._state / CACHE)

    def _erase_files(self, intent: _Intent) -> None:
        """Rows about the sources, in the reports."""
        if self._state is None:
            return
        forget_rows(self._state, Dropped(frozenset(intent.refs)))
        for hint in (*HINTS, "usage.jsonl{}"):  # a log of questions that 0.1.0 kept, if it was told
            for file in self._state.glob(hint.format("*")):
                file.unlink(missing_ok=True)


def _read_intent(file: Path | None) -> _Intent | None:
    if file is None or not file.exists():
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Intent)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreUnavailable(
            f"{str(file)!r} names what is still to be forgotten and cannot be read ({error}): "
            "delete it, and forget again what it was about"
        ) from error

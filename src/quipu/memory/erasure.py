"""Forgetting: what a memory erases for good, in its store, its jobs, its caches and its reports.

What is to go is written down before anything goes, so a forgetting that is killed is carried out
by whoever opens the memory next. While it runs nobody writes sources or vectors: what another
process has read already it asks about again before it writes.
"""

import hashlib
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from quipu.embed.cache import CACHE, erase_cache
from quipu.errors import StoreUnavailable, UnknownRecord
from quipu.handle.expiry import expired_sources
from quipu.handle.handle import Handle
from quipu.handle.lookup import redacted, sources_of
from quipu.ledger import LEDGER, Ledger
from quipu.memory.payloads import redacted_payload, without
from quipu.trust import own_state
from quipu.write.dropped import Dropped
from quipu.write.kinds import resting_on
from quipu.write.lock import WriteLock
from quipu.write.report import forget_rows
from quipu.write.state_files import HINTS, forgetting_file, replace_file

__all__ = ["Erasure"]


class _Intent(msgspec.Struct, frozen=True, kw_only=True):
    """What is to go: sources by reference."""

    refs: tuple[str, ...]


class Erasure:
    """How one memory forgets."""

    def __init__(self, handle: Handle) -> None:
        self._handle, self._store = handle, handle.store
        self._state = state = handle.home.state
        self._intent = forgetting_file(state, handle.name) if state else None
        # Where a rescan keeps what it writes again, while it does.
        self._rescanned = state / f"rescan-{_digest(handle.name)}.jsonl" if state else None
        # In this order, everywhere: who embeds takes no other turn.
        self._turns = [WriteLock(state, n) for n in ("forget.lock", "index.lock", "embed.lock")]

    def forget(self, refs: Sequence[str]) -> int:
        """As `Memory.forget`."""
        with self._handle.writing, self._alone() as gone:
            sources: dict[str, None] = {}
            for ref in dict.fromkeys(refs):
                both = (ref, redacted(ref))
                try:
                    sources |= dict.fromkeys(sources_of(self._store, ref))
                except UnknownRecord:
                    if gone.isdisjoint(both) and not self._is_waiting(both):
                        raise
                sources |= dict.fromkeys(both)
            self._handle.roots.leave_out(sources)
            _drop_briefs()
            return self._erase(list(sources))

    def rescan(self) -> list[str]:
        """As `Memory.rescan`."""
        from quipu.transfer.rescan import secret_sources, take_back, write_without_secrets

        store = self._store
        with TemporaryDirectory(prefix="quipu-rescan-") as folder:
            place = self._rescanned or Path(folder) / "rescan.jsonl"
            with self._handle.writing, self._alone():
                refs = secret_sources(store)
                if refs:
                    write_without_secrets(store, self._with_resting(refs), place)
                    self._erase(refs)
                    take_back(store, place, clock=self._handle.clock)
                self._handle.stored_jobs.let_go((), redacted_payload)
                self._handle.stored_jobs.erase()
        return refs

    def purge_expired(self) -> int:
        """As `Memory.purge_expired`."""
        with self._handle.writing, self._alone():
            return self._erase(expired_sources(self._store, self._handle.clock()))

    @property
    def is_unfinished(self) -> bool:
        """Whether a forgetting or a rescan was killed here, or is under way."""
        if self._intent is None or self._rescanned is None:
            return False
        return self._intent.exists() or bool(_left_of(self._rescanned))

    def finish(self) -> None:
        """Carry out what a forgetting or a rescan left that was killed, unless somebody does it
        now. What cannot be done yet is left again."""
        if not self.is_unfinished:
            return
        with self._turns[0].at_once() as free, ExitStack() as stack, suppress(StoreUnavailable):
            if free:
                for turns in self._turns[1:]:
                    stack.enter_context(turns.taken())
                self._carry_on()

    @contextmanager
    def _alone(self) -> Generator[frozenset[str]]:
        """Wait until nobody else writes, and keep it so; the sources that an earlier forgetting,
        which did not come to its end, has left and that are gone now."""
        with ExitStack() as stack:
            for turns in self._turns:
                stack.enter_context(turns.taken())
            yield self._carry_on()

    def _is_waiting(self, refs: Sequence[str]) -> bool:
        """Whether a job that has not ended holds any of these sources."""
        return self._handle.stored_jobs.hold(partial(without, Dropped(frozenset(refs))))

    def _with_resting(self, refs: Sequence[str]) -> list[str]:
        """These sources, and those that rest on them, sorted."""
        return sorted({*refs, *resting_on(self._store, frozenset(refs))})

    def _erase(self, refs: Sequence[str]) -> int:
        """Erase sources, history included; how many episodes went. The caller is alone."""
        if not refs:
            return 0
        count = len(self._store.sources(refs=refs, ended=True))
        self._carry_out(_Intent(refs=tuple(self._with_resting(refs))))
        return count

    def _carry_on(self) -> frozenset[str]:
        """Do what was left undone; the sources that went. The caller is alone."""
        left = _read_intent(self._intent)
        if left is not None:
            self._carry_out(left)
        self._take_back()
        return frozenset(left.refs) if left else frozenset()

    def _take_back(self) -> None:
        """Write again what a rescan that was killed had erased."""
        from quipu.transfer.rescan import take_back

        for file in _left_of(self._rescanned) if self._rescanned else ():
            if file == self._rescanned:
                take_back(self._store, file, clock=self._handle.clock)
            else:  # killed before it had written all: nothing was erased
                file.unlink(missing_ok=True)

    def _carry_out(self, intent: _Intent) -> None:
        """Every step can be done again. One that fails keeps no other from being done."""
        if self._intent is not None:
            replace_file(self._intent, msgspec.json.encode(intent))
        failed: list[StoreUnavailable] = []
        for step in (self._erase_jobs, self._erase_cache, self._erase_files, self._erase_records):
            try:
                step(intent.refs)
            except StoreUnavailable as error:
                failed.append(error)
        if failed:
            raise failed[-1]
        if self._intent is not None:
            self._intent.unlink(missing_ok=True)

    def _erase_records(self, refs: Sequence[str]) -> None:
        self._store.forget(refs)
        if late := resting_on(self._store, frozenset(refs)):  # written since they were looked for
            self._store.forget(late)

    def _erase_jobs(self, refs: Sequence[str]) -> None:
        self._handle.stored_jobs.let_go(refs, partial(without, Dropped(frozenset(refs))))
        if self._state is not None and (self._state / LEDGER).exists():
            with Ledger(self._state / LEDGER) as ledger:  # jobs stood there in earlier versions
                ledger.erase()

    def _erase_cache(self, _refs: Sequence[str]) -> None:
        if self._state is not None:
            erase_cache(self._state / CACHE)

    def _erase_files(self, refs: Sequence[str]) -> None:
        """Rows about the sources, in the reports."""
        if self._state is None:
            return
        forget_rows(self._state, Dropped(frozenset(refs)))
        for hint in (*HINTS, "usage.jsonl{}"):  # a log of questions that 0.1.0 kept, if it was told
            for file in self._state.glob(hint.format("*")):
                file.unlink(missing_ok=True)


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _left_of(place: Path) -> list[Path]:
    """The file at `place` and those that were to take its place."""
    return [*place.parent.glob(place.name), *place.parent.glob(f".{place.name}.*")]


def _drop_briefs() -> None:
    """Erase what was left behind for sessions that begin, since it quotes what is remembered."""
    home = own_state()
    for page in (home / "hooks").glob("brief-*") if home else ():
        page.unlink(missing_ok=True)


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

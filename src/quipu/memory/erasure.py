"""Forgetting: what a memory erases for good, in its store, its jobs and its log."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from quipu.errors import UnknownRecord
from quipu.handle.expiry import expired_sources
from quipu.handle.handle import Handle
from quipu.handle.lookup import redacted, sources_of
from quipu.trust import own_state
from quipu.write.state_files import forgetting_file

if TYPE_CHECKING:
    from quipu.write.forget import Forgetting

__all__ = ["Erasure"]


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


class Erasure:
    """How one memory forgets."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def forget(self, refs: Sequence[str]) -> int:
        """As `Memory.forget`."""
        store = self._handle.store
        with self._handle.writing, self._forgetting.alone() as gone:
            sources: dict[str, None] = {}
            for ref in dict.fromkeys(refs):
                both = (ref, redacted(ref))
                try:
                    sources |= dict.fromkeys(sources_of(store, ref))
                except UnknownRecord:
                    if gone.isdisjoint(both) and not self._forgetting.is_waiting(both):
                        raise
                sources |= dict.fromkeys(both)
            self._handle.roots.leave_out(sources)
            _drop_briefs()
            return self._forgetting.erase(list(sources))

    def rescan(self) -> list[str]:
        """As `Memory.rescan`."""
        from quipu.memory.payloads import redacted_payload
        from quipu.transfer.rescan import secret_sources, take_back, write_without_secrets

        store = self._handle.store
        with TemporaryDirectory(prefix="quipu-rescan-") as folder:
            place = self._rescanned or Path(folder) / "rescan.jsonl"
            with self._handle.writing, self._forgetting.alone():
                refs = secret_sources(store)
                if refs:
                    write_without_secrets(store, self._forgetting.resting_on(refs), place)
                    self._forgetting.erase(refs)
                    take_back(store, place, clock=self._handle.clock)
                self._forgetting.rewrite_jobs(redacted_payload)
        return refs

    def purge_expired(self) -> int:
        """As `Memory.purge_expired`."""
        with self._handle.writing, self._forgetting.alone():
            gone = expired_sources(self._handle.store, self._handle.clock())
            return self._forgetting.erase(gone)

    @property
    def is_unfinished(self) -> bool:
        """Whether a forgetting or a rescan was killed here, or is under way."""
        state, rescanned = self._handle.home.state, self._rescanned
        if state is None or rescanned is None:
            return False
        return forgetting_file(state, self._handle.name).exists() or bool(_left_of(rescanned))

    def finish(self) -> None:
        """Carry out what a forgetting or a rescan left that was killed."""
        if self.is_unfinished:
            self._forgetting.finish()

    @property
    def _rescanned(self) -> Path | None:
        """Where a rescan keeps what it writes again, while it does."""
        state = self._handle.home.state
        return state / f"rescan-{_digest(self._handle.name)}.jsonl" if state else None

    def _take_back(self) -> None:
        """Write again what a rescan that was killed had erased. The caller is alone."""
        from quipu.transfer.rescan import take_back

        place = self._rescanned
        for file in _left_of(place) if place else ():
            if file == place:
                take_back(self._handle.store, file, clock=self._handle.clock)
            else:  # killed before it had written all: nothing was erased
                file.unlink(missing_ok=True)

    @cached_property
    def _forgetting(self) -> "Forgetting":
        from quipu.memory.payloads import left_of
        from quipu.write.forget import Forgetting

        return Forgetting(
            self._handle.store,
            name=self._handle.name,
            state=self._handle.home.state,
            jobs=lambda: self._handle.stored_jobs,
            without=left_of,
            then=self._take_back,
        )

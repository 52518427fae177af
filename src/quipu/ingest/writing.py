"""Writes what was prepared, in batches of bounded size, without overriding another run."""

from collections import Counter
from collections.abc import Iterable

from quipu.domain.batch import Batch
from quipu.domain.instants import Clock
from quipu.domain.records import Episode
from quipu.ingest.prepare import Prepared
from quipu.ingest.turns import Turns
from quipu.ports import Store

_CHUNKS = 1_500
_CLAIMS = 6_000
_SOURCES = 1_000


class BatchWriter:
    """Collects prepared sources and writes them; a source is always whole in one batch.

    Of two runs that bring the same source, the first stands: a source whose state is not the one
    that was surveyed is left to the next run.
    """

    def __init__(self, store: Store, *, turns: Turns, clock: Clock) -> None:
        self._store = store
        self._turns = turns
        self._clock = clock
        self._waiting: list[Prepared] = []
        self._held: dict[str, str | None] = {}
        self._chunks = self._claims = 0
        self._sequence = store.sequence()
        self.written: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()

    def add(self, prepared: Prepared, held: str | None) -> None:
        """Take one source; `held` is the live episode it was surveyed against, if any."""
        self._waiting.append(prepared)
        self._held[prepared.ref] = held
        self._chunks += len(prepared.chunks)
        self._claims += len(prepared.claims)
        self.redacted.update(prepared.redactions)
        full = self._chunks >= _CHUNKS or self._claims >= _CLAIMS
        if full or len(self._waiting) >= _SOURCES:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting."""
        if not self._waiting:
            return
        with self._turns.taken():
            ready = self._still_due(self._waiting)
            if ready:
                written = self._store.write(_batch(ready, self._clock()))
                self._sequence = written.sequence
        self.written["sources"] += len(ready)
        self.written["chunks"] += sum(len(p.chunks) for p in ready)
        self._waiting, self._held = [], {}
        self._chunks = self._claims = 0

    def remove(self, refs: Iterable[str]) -> None:
        """Retire the sources whose files are gone."""
        gone = tuple(refs)
        if gone:
            with self._turns.taken():
                self._store.write(Batch(recorded_at=self._clock(), replaces=gone))

    def _still_due(self, waiting: list[Prepared]) -> list[Prepared]:
        """Those that nobody else has written or replaced since the survey."""
        if self._store.sequence() == self._sequence:
            return waiting
        self._sequence = self._store.sequence()
        episodes = [_episode(p).episode_id for p in waiting]
        held = [h for h in self._held.values() if h]
        live = self._store.get([*episodes, *held])
        ready: list[Prepared] = []
        for each in waiting:
            before = self._held[each.ref]
            if _episode(each).episode_id not in live and (before is None or before in live):
                ready.append(each)
        return ready


def _episode(prepared: Prepared) -> Episode:
    assert prepared.episode is not None
    return prepared.episode


def _batch(ready: list[Prepared], now: str) -> Batch:
    return Batch(
        recorded_at=now,
        episodes=tuple(_episode(p) for p in ready),
        chunks=tuple(c for p in ready for c in p.chunks),
        claims=tuple(c for p in ready for c in p.claims),
        replaces=tuple(ref for p in ready for ref in p.replaces),
    )

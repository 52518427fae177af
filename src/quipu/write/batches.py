"""Writes what was prepared, in batches of bounded size, without overriding another run."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import is_not
from typing import ClassVar

from quipu.ports import Store
from quipu.records.batch import Batch
from quipu.records.record import Asserted, Entity, Episode, Fact, Relation
from quipu.records.refs import FILE
from quipu.resolve import Authority, authorised
from quipu.when.instants import Clock
from quipu.write.dropped import NOTHING, Dropped
from quipu.write.lock import WriteLock
from quipu.write.prepare import Prepared

_CHUNKS_A_SOURCE = 1.5
_CLAIMS_A_SOURCE = 6
_KINDS: dict[type[Asserted], str] = {Entity: "entities", Relation: "relations", Fact: "facts"}


class BatchWriter:
    """Collects prepared sources and writes them; a source is always whole in one batch.

    Of one source given twice in a run, the last stands. Of two runs that bring the same file, the
    first stands: what is not as it was surveyed is left to the next run. `written` names what
    this one wrote.
    """

    most_sources: ClassVar[int] = 1_000

    def __init__(
        self,
        store: Store,
        *,
        turns: WriteLock,
        clock: Clock,
        surveyed_at: int | None = None,
        sources: int | None = None,
        dropped: Callable[[], Dropped] | None = None,
        authority: Authority | None = None,
    ) -> None:
        """`dropped`, asked while nobody else writes, says what was forgotten since a job was given:
        that is not written. `surveyed_at` is the store's sequence number before the survey, by
        default now. A batch holds at most `sources` (by default `most_sources`), fewer of large
        ones: the more there are, the fewer times the same pages are written, and the more memory
        is held."""
        self._store = store
        self._turns = turns
        self._clock = clock
        self._most = sources or self.most_sources
        self._dropped = dropped or (lambda: NOTHING)
        self._of_job = dropped is not None
        self._authority = authority or Authority()
        self._waiting: dict[str, Prepared] = {}
        self._surveyed: dict[str, str | None] = {}
        self._chunks = self._claims = 0
        self._sequence = store.sequence() if surveyed_at is None else surveyed_at
        self._alone = True
        self.written: set[str] = set()
        self.redacted: Counter[str] = Counter()
        self.extracted: Counter[str] = Counter()

    def add(self, prepared: Prepared) -> None:
        """Take one source, in place of whatever is stored of it; what it may not assert is left
        out."""
        if prepared.episode is not None:
            kept = authorised(prepared.claims, prepared.episode, self._authority)
            if len(kept) < len(prepared.claims) or any(map(is_not, kept, prepared.claims)):
                prepared = replace(prepared, claims=tuple(kept))
        earlier = self._waiting.pop(prepared.ref, None)
        for sign, each in ((-1, earlier), (1, prepared)):
            if each is not None:
                self._chunks += sign * len(each.chunks)
                self._claims += sign * len(each.claims)
        self._waiting[prepared.ref] = prepared
        self.redacted.update(prepared.redactions)
        size = max(
            len(self._waiting),
            self._chunks / _CHUNKS_A_SOURCE,
            self._claims / _CLAIMS_A_SOURCE,
        )
        if size >= self._most:
            self.flush()

    def add_surveyed(self, prepared: Prepared, episode_id: str | None) -> None:
        """Take one source if the store still has of it what the survey saw: the live episode
        `episode_id`, or nothing."""
        self._surveyed[prepared.ref] = episode_id
        self.add(prepared)

    def flush(self) -> None:
        """Write what is waiting."""
        if not self._waiting:
            return
        with self._turns.taken():
            # A job asks what was forgotten in the transaction that writes; other writes are
            # checked before their transaction begins, so that nobody waits for that.
            ready = self._store.atomically(self._write_due) if self._of_job else self._write_due()
        self.written.update(prepared.ref for prepared in ready)
        self.extracted.update(_KINDS[type(c.record)] for p in ready for c in p.claims)
        self._waiting, self._surveyed = {}, {}
        self._chunks = self._claims = 0

    def _write_due(self) -> list[Prepared]:
        """Write what is still to be written of what is waiting, and return it."""
        dropped = self._dropped()
        waiting = [p for p in self._waiting.values() if not dropped.covers(p.ref)]
        ready = self._still_due(waiting)
        if ready:
            self._sequence = self._store.write(batch_of(ready, self._clock())).sequence
        return ready

    def remove(self, stored: Mapping[str, str]) -> None:
        """Retire the sources whose files are gone, each if its live episode is still the one that
        the survey saw."""
        if not stored:
            return
        with self._turns.taken():
            live = stored.values() if self._undisturbed() else self._store.get([*stored.values()])
            gone = tuple(ref for ref, episode_id in stored.items() if episode_id in live)
            written = self._store.write(Batch(recorded_at=self._clock(), replaces=gone))
            self._sequence = written.sequence

    def _still_due(self, waiting: list[Prepared]) -> list[Prepared]:
        """Those that nobody else has written or replaced since the survey."""
        if self._undisturbed():
            return waiting
        seen = [episode_id for episode_id in self._surveyed.values() if episode_id]
        live = self._store.get([*(_episode(p).episode_id for p in waiting), *seen])
        taken = self._taken()
        ready: list[Prepared] = []
        for each in waiting:
            episode_id = self._surveyed.get(each.ref)
            as_surveyed = episode_id in live if episode_id else each.ref not in taken
            if _episode(each).episode_id not in live and as_surveyed:
                ready.append(each)
        return ready

    def _undisturbed(self) -> bool:
        """Whether nobody else has written anything since the survey."""
        self._alone = self._alone and self._store.sequence() == self._sequence
        return self._alone

    def _taken(self) -> set[str]:
        """The files that the survey did not see in the store and that stand there now."""
        fresh = {ref for ref, episode_id in self._surveyed.items() if episode_id is None}
        if not fresh:
            return fresh
        return fresh & {s.source_ref for s in self._store.sources(frozenset({FILE}))}


def _episode(prepared: Prepared) -> Episode:
    assert prepared.episode is not None
    return prepared.episode


def batch_of(ready: Sequence[Prepared], now: str) -> Batch:
    """Return what was prepared as one batch."""
    return Batch(
        recorded_at=now,
        episodes=tuple(_episode(p) for p in ready),
        chunks=tuple(c for p in ready for c in p.chunks),
        claims=tuple(c for p in ready for c in p.claims),
        replaces=tuple(ref for p in ready for ref in p.replaces),
    )

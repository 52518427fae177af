"""Vectors for what lacks them: a query to the store, not a queue, so nothing is ever forgotten."""

import time
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import msgspec
import numpy as np

from quipu.embed.cache import VectorCache, make_passages
from quipu.errors import InvalidInput, MissingExtra, ModelUnavailable
from quipu.index.asked import count_chunks
from quipu.index.multispace import multispace_name
from quipu.limits import TEXTS_AT_ONCE
from quipu.ports import (
    Embedded,
    Embedder,
    ManyEmbedder,
    Planner,
    Progress,
    Store,
    changes_after,
)
from quipu.profiles import profile
from quipu.records.batch import Batch, Embedding
from quipu.records.record import Chunk
from quipu.when.instants import Clock
from quipu.write.lock import WriteLock
from quipu.write.options import EmbeddedProfiles

_FEW = 16
"""So many passages a write may embed that are not its own."""

_Neighbours: TypeAlias = Mapping[str, tuple[Sequence[Chunk], Sequence[Chunk]]]
"""By chunk id: those before and those after it in its document, nearest first."""

_EACH_SIDE = 2


class EmbedReport(msgspec.Struct, frozen=True, kw_only=True):
    """`embedded` passages got a vector in `space` now; `dropped` spaces are gone."""

    space: Annotated[str, "the embedding space that was filled"]
    embedded: Annotated[int, "passages that got a vector now"]
    dropped: Annotated[tuple[str, ...], "embedding spaces that are gone"]
    seconds: Annotated[float, "how long it took"]
    recounted: Annotated[int, "passages whose words an earlier version had divided otherwise"] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceFiller:
    """Gives the passages of `store` their vectors. Processes take `turns`, page by page: none makes
    what another is making already. Each page is one atomic write, so a killed run goes on where it
    stopped."""

    store: Store
    clock: Clock
    open_cache: Callable[[], VectorCache | None] = lambda: None
    progress: Progress | None = None
    threads: int = 1
    turns: WriteLock | None = None

    def fill(
        self, shelves: Sequence[EmbeddedProfiles], *, since: int | None = None
    ) -> tuple[int, tuple[str, ...]]:
        """Complete the space of each model, and of what stands in for it where that was built; when
        the model fails, build that. Return how many vectors were made, and what went wrong.

        With `since`, only what was written above that sequence number, and the few that wait where
        there are no more: what a killed write left."""
        made = [self._shelf(shelf, since) for shelf in shelves]
        notes = dict.fromkeys(note for _, said in made for note in said)
        return sum(done for done, _ in made), tuple(notes)

    def _shelf(self, shelf: EmbeddedProfiles, since: int | None) -> tuple[int, tuple[str, ...]]:
        other = shelf.fallback()
        primary = shelf.embedder() or other
        if primary is None:
            return 0, ("nothing was embedded: there is no model (`quipu doctor`)",)
        try:
            done = self._space(primary, shelf.profiles, since)
        except (ModelUnavailable, MissingExtra) as error:
            note = f"not everything was embedded: {error}; `quipu index` goes on"
            return (self._space(other, shelf.profiles, since) if other is not None else 0), (note,)
        stands_by = other is not None and other.space != primary.space
        if other is not None and stands_by and self.store.spaces(shelf.profiles).get(other.space):
            self._space(other, shelf.profiles, since)
        return done, ()

    def _space(self, embedder: Embedder, profiles: frozenset[str], since: int | None) -> int:
        waiting = len(self.store.unembedded(embedder.space, limit=_FEW + 1, profiles=profiles))
        if not waiting:
            return 0
        if since is not None and waiting > _FEW:
            return self.written(embedder, since, profiles)
        return self.missing(embedder, profiles)

    def missing(self, embedder: Embedder, profiles: Collection[str] = ()) -> int:
        """Give every live chunk without one (of the `profiles`, if any are named) a vector in the
        embedder's space; return how many there were."""
        store, done = self.store, 0
        total = count_chunks(store, profiles) - store.spaces(profiles).get(embedder.space, 0)
        page = _page_of(embedder)
        with self._making(embedder) as make:
            while True:
                with self.turns.taken() if self.turns else nullcontext():
                    chunks = store.unembedded(embedder.space, limit=page, profiles=profiles)
                    if not chunks:
                        return done
                    make(chunks)
                done += len(chunks)
                self._tell(done, max(total, done))

    def written(self, embedder: Embedder, sequence: int, profiles: Collection[str] = ()) -> int:
        """Give the live chunks that were put above `sequence` in the change log a vector, those
        that have none; return how many there were. What lacked one before waits for `missing`."""
        ids = written_chunks(self.store, sequence)
        done, page = 0, _page_of(embedder)
        with self._making(embedder) as make:
            for at in range(0, len(ids), page):
                some = ids[at : at + page]
                if chunks := _without_vector(self.store, embedder.space, some, profiles):
                    make(chunks)
                    done += len(chunks)
                self._tell(min(at + page, len(ids)), len(ids))
        return done

    def reindex(
        self, shelves: Sequence[EmbeddedProfiles], model_version: str | None, *, keep_old: bool
    ) -> EmbedReport:
        """Embed all, each content type in its model's space; when that is complete, drop the other
        spaces, save those of what stands in."""
        models = [(found, each) for each in shelves if (found := each.embedder()) is not None]
        spaces = {embedder.space for embedder, _ in models}
        space = _space_of(models)
        if model_version and not any(model_version in each for each in spaces):
            raise InvalidInput(
                f"--model-version {model_version!r} is not the model that would run: that is "
                f"{space!r}; configure [embed] to use another"
            )
        began = time.monotonic()
        done = sum(self.missing(embedder, shelf.profiles) for embedder, shelf in models)
        keep = {other.space for each in shelves if (other := each.fallback()) is not None}
        old = () if keep_old else tuple(sorted(set(self.store.spaces()) - spaces - keep))
        for each in old:
            self.store.drop_space(each)
        seconds = time.monotonic() - began
        return EmbedReport(space=space, embedded=done, dropped=old, seconds=seconds)

    @contextmanager
    def _making(self, embedder: Embedder) -> Generator[Callable[[Sequence[Chunk]], None]]:
        """What embeds chunks and writes their vectors, while the block runs."""
        cache = self.open_cache()

        def make(chunks: Sequence[Chunk]) -> None:
            near = _neighbours_of(chunks, self.store)
            made = _embedded(chunks, near, embedder=embedder, cache=cache, threads=self.threads)
            self.store.write(Batch(recorded_at=self.clock(), embeddings=made))

        try:
            yield make
        finally:
            if cache is not None:
                cache.close()

    def _tell(self, done: int, total: int) -> None:
        if self.progress:
            self.progress("embed", done, total)


def _page_of(embedder: Embedder) -> int:
    """How many passages are embedded before they are written."""
    return embedder.at_once() if isinstance(embedder, ManyEmbedder) else TEXTS_AT_ONCE


def _without_vector(
    store: Store, space: str, chunk_ids: Sequence[str], profiles: Collection[str]
) -> list[Chunk]:
    """Return those that are live (of the `profiles`, if any are named) and have no vector in
    `space`."""
    with store.moment():
        numbers = store.numbers(chunk_ids)
        numbers = numbers[numbers >= 0]
        bare = numbers[~store.vectors(numbers, space).any(axis=1)]
        return [c for c in store.chunks(bare) if not profiles or c.profile in profiles]


def written_chunks(store: Store, sequence: int) -> list[str]:
    """The ids of the chunks that were put above `sequence` in the change log, each once."""
    changes = changes_after(store, sequence)
    put = (c.record_id for c in changes if (c.kind, c.operation) == ("chunk", "put"))
    return list(dict.fromkeys(put))


def count_without_vector(store: Store, chunk_ids: Sequence[str]) -> int:
    """How many of `chunk_ids` are live and have no vector in any space."""
    with store.moment():
        numbers = store.numbers(chunk_ids)
        numbers = numbers[numbers >= 0]
        for space in store.spaces():
            numbers = numbers[~store.vectors(numbers, space).any(axis=1)]
        return len(numbers)


def lacking(store: Store, shelves: Sequence[EmbeddedProfiles]) -> int:
    """How many passages have no vector in the fullest space of their content type."""
    return sum(
        count_chunks(store, each.profiles) - max(store.spaces(each.profiles).values(), default=0)
        for each in shelves
    )


def _space_of(models: Sequence[tuple[Embedder, EmbeddedProfiles]]) -> str:
    if len(models) == 1:
        return models[0][0].space
    return multispace_name((embedder.space, shelf.profiles) for embedder, shelf in models)


def _entry(chunk: Chunk, space: str, made: Embedded) -> Embedding:
    if profile(chunk.profile).embedding_text_among:
        return Embedding(chunk.chunk_id, space, made.parts[0], made.parts[1:])
    return Embedding(chunk.chunk_id, space, made.vector, made.parts)


def _embedded(
    chunks: Sequence[Chunk],
    neighbours: _Neighbours,
    *,
    embedder: Embedder,
    cache: VectorCache | None,
    threads: int,
) -> tuple[Embedding, ...]:
    passages = [_embedded_text(chunk, neighbours) for chunk in chunks]
    made = make_passages(embedder, passages, threads=threads, cache=cache)
    return tuple(
        _entry(chunk, embedder.space, entry) for chunk, entry in zip(chunks, made, strict=True)
    )


def _neighbours_of(chunks: Sequence[Chunk], planner: Planner) -> _Neighbours:
    """Return two neighbours on each side of those chunks that are read among them; none of a chunk
    that is live no more."""
    among = [c for c in chunks if profile(c.profile).embedding_text_among]
    if not among:
        return {}
    with planner.moment():
        documents = sorted({c.document_id for c in among})
        order: dict[str, list[int]] = {
            document: numbers.tolist()
            for document, numbers in planner.numbers_in(documents).items()
        }
        place = {number: at for numbers in order.values() for at, number in enumerate(numbers)}
        own = planner.numbers([c.chunk_id for c in among]).tolist()
        sides: dict[str, tuple[list[int], list[int]]] = {}
        for chunk, number in zip(among, own, strict=True):
            at, numbers = place.get(number), order[chunk.document_id]
            if at is None:
                sides[chunk.chunk_id] = [], []
            else:
                before = numbers[max(0, at - _EACH_SIDE) : at][::-1]
                sides[chunk.chunk_id] = before, numbers[at + 1 : at + 1 + _EACH_SIDE]
        wanted = sorted({n for both in sides.values() for side in both for n in side})
        found = planner.chunks(np.array(wanted, dtype=np.int64))
    known = dict(zip(wanted, found, strict=True))
    return {
        chunk_id: ([known[n] for n in before], [known[n] for n in after])
        for chunk_id, (before, after) in sides.items()
    }


def _embedded_text(chunk: Chunk, neighbours: _Neighbours) -> tuple[str, list[tuple[int, int]]]:
    """The text that stands for a passage before the model, and the spans that are kept."""
    kind = profile(chunk.profile)
    if kind.embedding_text_among:
        return kind.embedding_text_among(chunk, *neighbours[chunk.chunk_id])
    return kind.embedding_text(chunk)

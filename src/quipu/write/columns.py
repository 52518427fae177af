"""What stands beside a passage that is read among its neighbours, as turns are."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from quipu.ports import Numbers, Planner
from quipu.profiles import profile
from quipu.records.record import Chunk

__all__ = ["NeighbourFinder", "Neighbours", "embedded_text"]

Neighbours: TypeAlias = Mapping[str, tuple[Sequence[Chunk], Sequence[Chunk]]]
"""By chunk id: those before and those after it in its document, nearest first."""

_NEAR = 2
_LOOKED_AT = 1_000  # changes, of which a page of vectors makes a quarter


class _DocumentOrder(NamedTuple):
    """A document's chunks in order, and where each stands."""

    numbers: Numbers
    place: dict[int, int]


class NeighbourFinder:
    """Finds neighbours; a document's order is read again when a passage has come or gone, whoever
    wrote it."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._rows: dict[str, _DocumentOrder] = {}
        self._sequence = planner.sequence()

    def of(self, chunks: Sequence[Chunk]) -> Neighbours:
        """The neighbours of those chunks that are read among them: two on each side; none of a
        chunk that is live no more."""
        among = [c for c in chunks if profile(c.profile).embedding_text_among]
        if not among:
            return {}
        with self._planner.moment():
            return self._around(among)

    def _around(self, among: Sequence[Chunk]) -> Neighbours:
        self._read({c.document_id for c in among})
        own = self._planner.numbers([c.chunk_id for c in among]).tolist()
        wanted: dict[str, tuple[list[int], list[int]]] = {}
        for chunk, number in zip(among, own, strict=True):
            row = self._rows[chunk.document_id]
            at = row.place.get(number)
            if at is None:
                wanted[chunk.chunk_id] = [], []
                continue
            before = row.numbers[max(0, at - _NEAR) : at][::-1].tolist()
            wanted[chunk.chunk_id] = before, row.numbers[at + 1 : at + 1 + _NEAR].tolist()
        numbers = sorted({n for sides in wanted.values() for side in sides for n in side})
        found = self._planner.chunks(np.array(numbers, dtype=np.int64))
        known = dict(zip(numbers, found, strict=True))
        return {
            chunk_id: ([known[n] for n in before], [known[n] for n in after])
            for chunk_id, (before, after) in wanted.items()
        }

    def _read(self, documents: set[str]) -> None:
        if self._moved():
            self._rows = {}
        self._rows = {d: row for d, row in self._rows.items() if d in documents}
        missing = sorted(documents - self._rows.keys())
        for document_id, numbers in self._planner.numbers_in(missing).items():
            place = {number: at for at, number in enumerate(numbers.tolist())}
            self._rows[document_id] = _DocumentOrder(numbers, place)

    def _moved(self) -> bool:
        """Whether any passage may have come or gone since the last look."""
        changes = self._planner.changes(self._sequence, limit=_LOOKED_AT)
        self._sequence = self._planner.sequence()
        return len(changes) == _LOOKED_AT or any(each.kind == "chunk" for each in changes)


def embedded_text(chunk: Chunk, beside: Neighbours) -> tuple[str, list[tuple[int, int]]]:
    """The text that stands for a passage before the model, and the spans that are kept."""
    kind = profile(chunk.profile)
    if kind.embedding_text_among:
        return kind.embedding_text_among(chunk, *beside[chunk.chunk_id])
    return kind.embedding_text(chunk)

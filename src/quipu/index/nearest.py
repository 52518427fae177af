"""The nearest vectors: exact up to a size, HNSW with an exact delta beyond.

The database is the truth. An index is a cache of one embedding space: a main part (FAISS over
float16, read from a file beside the database when there is a good one), the rows that came
since (the delta, always exact), and by the mask of each search the rows that have left. It knows
the sequence number it has seen and follows the change log from there.

Whatever FAISS proposes is scored again by `similarity.cosines`, so ranking and ties do not depend
on how the candidates were found.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quipu.index import similarity
from quipu.index.postings import Mask, Postings
from quipu.index.ranking import empty
from quipu.index.vector_file import Main, VectorFile, decoded
from quipu.ports import Change, Numbers, Ranking, Vectors

EXACT_UP_TO = 200_000
"""Vectors above which the main part is an HNSW graph."""

_ERROR = 4e-6  # FAISS sums float32; twice what its scores may be off
_FOLLOW = 20_000  # changes beyond which everything is read again


class Stored(NamedTuple):
    """A vector as the backend keeps it: the chunk's number and the bytes of float16[d]."""

    number: int
    vector: bytes


class SpaceInfo(NamedTuple):
    """An embedding space as the backend knows it; `key` is never used twice."""

    key: str
    dimension: int


class VectorRows(Protocol):
    """What a backend answers about the vectors of live chunks, in the moment of the call."""

    def space(self, space: str) -> SpaceInfo | None:
        """The space, or None when nothing was ever embedded in it."""
        ...

    def every_vector(self, space: str) -> Iterator[Stored]:
        """All vectors, by number."""
        ...

    def vectors_of(self, space: str, chunk_ids: Sequence[str]) -> Iterable[Stored]:
        """The vectors of these chunks, those that have one."""
        ...

    def changes_after(self, sequence: int, limit: int) -> list[Change]:
        """The change log."""
        ...


@dataclass(frozen=True, slots=True)
class _Delta:
    numbers: NDArray[np.int64]
    rows: NDArray[np.float16]


class Nearest:
    """One embedding space of one namespace, as one handle sees it."""

    def __init__(
        self,
        rows: VectorRows,
        postings: Postings,
        space: str,
        *,
        file: VectorFile | None,
        exact_up_to: int = EXACT_UP_TO,
    ) -> None:
        self._rows, self._postings, self._space = rows, postings, space
        self._file = file
        self._exact_up_to = exact_up_to
        self._info: SpaceInfo | None = None
        self._main: Main | None = None
        self._delta: dict[int, bytes] = {}
        self._delta_rows: _Delta | None = None
        self._sequence = -1
        self._alive_for: NDArray[np.int64] | None = None
        self._alive_mask: Mask | None = None

    @property
    def dimension(self) -> int:
        """How many numbers a vector of the space has; known once `follow` was called."""
        return self._info.dimension if self._info else 0

    def follow(self, info: SpaceInfo, sequence: int) -> None:
        """Bring the index to `sequence`."""
        if self._info != info:
            self._info, self._main, self._sequence = info, None, -1
        if self._main is None and self._file is not None:
            self._adopt(self._file.load(info.key, info.dimension, self._mark))
        fits = self._main is not None and self._catch_up(sequence)
        if not fits or self._main is None or len(self._delta) > self._most_delta(self._main):
            self._rebuild(sequence)
        self._sequence = sequence

    @staticmethod
    def _most_delta(main: Main) -> int:
        return max(1000, len(main.numbers) // 10)

    def _adopt(self, main: Main | None) -> None:
        if main is not None:
            self._main, self._sequence, self._delta = main, main.sequence, {}
            self._delta_rows, self._alive_for = None, None

    def _catch_up(self, sequence: int) -> bool:
        if sequence == self._sequence:
            return True
        changes = self._rows.changes_after(self._sequence, _FOLLOW)
        if len(changes) == _FOLLOW:
            return False
        # A chunk that was put again may have kept its vector under the same number; one that
        # ended is not among the live rows of the postings any more.
        embedded = sorted({c.record_id for c in changes if c.kind == "vector"})
        for number, vector in self._rows.vectors_of(self._space, embedded):
            self._delta[number] = vector
        self._delta_rows, self._alive_for = None, None
        return True

    def _rebuild(self, sequence: int) -> None:
        assert self._info is not None
        stored = list(self._rows.every_vector(self._space))
        numbers = np.fromiter((n for n, _ in stored), dtype=np.int64, count=len(stored))
        matrix = _matrix([v for _, v in stored], self._info.dimension)
        main = Main.build(numbers, matrix, sequence, graph=len(numbers) > self._exact_up_to)
        self._adopt(main)
        if self._file is not None and len(numbers) >= 1000:
            self._file.save(main, self._info.key, self._mark(sequence))

    def _mark(self, sequence: int) -> str:
        """What the change log says at `sequence`: two databases hardly agree on it."""
        lines = self._rows.changes_after(sequence - 1, 1)
        return f"{lines[0].record_id} {lines[0].operation}" if lines else ""

    def search(self, vector: NDArray[np.float32], mask: Mask | None, limit: int) -> Ranking:
        """The best `limit` live chunks among the rows that `mask` admits (None: all)."""
        assert self._main is not None
        query = similarity.unit(vector)
        if limit <= 0 or not query.any() or not len(self._postings.numbers):
            return empty()
        self._locate()
        admitted = self._main_alive
        if mask is not None:
            admitted = admitted & mask[self._main_rows]
        at = self._main.candidates(query.astype(np.float32), admitted, limit, _ERROR)
        delta = self._deltas()
        in_delta = self._delta_alive
        if mask is not None:
            in_delta = in_delta & mask[self._delta_at]
        also = np.flatnonzero(in_delta)
        scores = np.concatenate(
            (
                similarity.cosines(self._main.rows(at), query),
                similarity.cosines(delta.rows[also], query),
            )
        )
        rows = np.concatenate((self._main_rows[at], self._delta_at[also]))
        numbers = self._postings.numbers[rows]
        order = np.lexsort((numbers, self._postings.order_keys[rows], -scores))[:limit]
        return Ranking(numbers[order], scores[order])

    def _locate(self) -> None:
        """Where the vectors' chunks stand among the postings' rows, and which are alive."""
        if self._alive_for is self._postings.numbers and self._alive_mask is self._postings.alive:
            return
        assert self._main is not None
        delta = self._deltas()
        self._main_rows, alive = self._postings.rows_of(self._main.numbers)
        self._main_alive = alive & ~np.isin(self._main.numbers, delta.numbers)
        self._delta_at, self._delta_alive = self._postings.rows_of(delta.numbers)
        self._alive_for, self._alive_mask = self._postings.numbers, self._postings.alive

    def _deltas(self) -> _Delta:
        if self._delta_rows is None:
            assert self._info is not None
            ordered = sorted(self._delta.items())
            self._delta_rows = _Delta(
                np.array([n for n, _ in ordered], dtype=np.int64),
                _matrix([v for _, v in ordered], self._info.dimension),
            )
        return self._delta_rows

    def gather(self, numbers: Numbers) -> Vectors:
        """float32[n, d]: the vectors of live chunks; zero rows for the others."""
        assert self._main is not None
        assert self._info is not None
        self._locate()
        found = np.zeros((len(numbers), self._info.dimension), dtype=np.float32)
        delta = self._deltas()
        for known, alive, values in (
            (self._main.numbers, self._main_alive, self._main.codes),
            (delta.numbers, self._delta_alive, delta.rows.view(np.uint8)),
        ):
            if len(known):
                at = np.searchsorted(known, numbers)
                at[at == len(known)] = 0
                here = (known[at] == numbers) & alive[at]
                if here.all():
                    return decoded(values[at])
                found[here] = decoded(values[at[here]])
        return found


def _matrix(vectors: Sequence[bytes], dimension: int) -> NDArray[np.float16]:
    return np.frombuffer(b"".join(vectors), dtype="<f2").reshape(-1, dimension)

"""The nearest vectors: exact up to a size, proposed by their signs and scored exactly beyond.

The database is the truth. An index is a cache of one embedding space: pieces (read from files
beside the database when there are good ones), the vectors that came since (the delta, always
exact), and by the mask of each search those that have left. It knows the sequence number it has
seen and follows the change log from there: nothing is trained or built, and what came is added.

Whatever is proposed is scored again by `similarity.cosines`, so ranking and ties do not depend on
how the candidates were found.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quipu.index import similarity
from quipu.index.pieces import ERROR, MOST, Mask, Piece, Placed, by_signs, joined, packed, place
from quipu.index.postings import Postings
from quipu.index.ranking import empty, ranked
from quipu.index.rotation import decoded
from quipu.index.vector_file import VectorFile
from quipu.ports import Change, Numbers, Ranking, Vectors

EXACT_UP_TO = 25_000
"""Vectors above which signs propose what is scored."""


class StoredVector(NamedTuple):
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

    def every_vector(self, space: str) -> Iterator[StoredVector]:
        """All vectors, by number."""
        ...

    def vectors_of(self, space: str, chunk_ids: Sequence[str]) -> Iterable[StoredVector]:
        """The vectors of these chunks, those that have one."""
        ...

    def changes_after(self, sequence: int, limit: int) -> list[Change]:
        """The change log."""
        ...


@dataclass(frozen=True, slots=True)
class VectorSizes:
    """How many vectors make which way of keeping and scoring them worth while."""

    follow: int = 20_000
    """Changes that are read at a time."""
    delta: int = 1024
    """Vectors of the delta that become a piece."""
    piece: int = 4096
    """Vectors for which a file is written again."""
    kept: int = 1000
    """Vectors for which a file is worth while."""
    few: int = 1000
    """Admitted vectors of a piece that are scored without a look at their signs."""


DEFAULT_SIZES = VectorSizes()


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
        sizes: VectorSizes = DEFAULT_SIZES,
    ) -> None:
        self._sizes = sizes
        self._rows, self._postings, self._space = rows, postings, space
        self._file = file
        self._exact_up_to = exact_up_to
        self._info: SpaceInfo | None = None
        self._refused = 0  # how many were not in the file when it could not be written
        self._start([], -1)

    def _start(self, pieces: Sequence[Piece], sequence: int) -> None:
        self._sequence = sequence
        self._placed: list[Placed] = []
        self._delta: dict[int, bytes] = {}
        self._last: Placed | None = None
        self._of: tuple[object, object] = (None, None)
        for piece in pieces:
            self._add(piece)

    @property
    def dimension(self) -> int:
        """How many numbers a vector of the space has; known once `follow` was called."""
        return self._info.dimension if self._info else 0

    @property
    def unkept(self) -> int:
        """How many vectors are not in the file."""
        pieces = (len(each.piece.numbers) for each in self._placed if not each.piece.is_kept)
        return len(self._delta) + sum(pieces)

    def follow(self, info: SpaceInfo, sequence: int) -> None:
        """Bring the index to `sequence`."""
        if self._info != info:
            self._info = info
            self._start([], -1)
        if sequence == self._sequence:
            return
        gap = sequence - self._sequence
        if self._sequence < 0 or gap > self._sizes.follow:
            self._adopt()
            gap = sequence - self._sequence
        known = sum(len(each.piece.numbers) for each in self._placed)
        if self._sequence < 0 or gap < 0 or gap > max(self._sizes.follow, 2 * known):
            self._read()
        else:
            self._catch_up()
        self._sequence = sequence

    def _adopt(self) -> bool:
        """Take what is in the file, if it is of a later moment; whether it was."""
        if self._file is None or self._info is None or not self._file.is_newer():
            return False
        kept = self._file.load(self._info.key, self._info.dimension, self._mark)
        if kept is None or kept.sequence <= self._sequence:
            return False
        self._start(kept.pieces, kept.sequence)
        return True

    def _catch_up(self) -> None:
        after = self._sequence
        while changes := self._rows.changes_after(after, self._sizes.follow):
            # A chunk that was put again may have kept its vector under the same number; one that
            # ended is not among the live rows of the postings any more.
            embedded = sorted({c.record_id for c in changes if c.kind == "vector"})
            for number, vector in self._rows.vectors_of(self._space, embedded):
                self._delta[number] = vector
            self._last = None
            after = changes[-1].sequence
            if len(changes) < self._sizes.follow:
                break
        if len(self._delta) >= self._sizes.delta:
            if len(self._delta) >= self._sizes.piece and self._adopt():
                self._catch_up()
            else:
                self._settle()

    def _read(self) -> None:
        """Everything, from the database."""
        assert self._info is not None
        self._start([], -1)
        waiting: list[StoredVector] = []
        for stored in self._rows.every_vector(self._space):
            waiting.append(stored)
            if len(waiting) == MOST:
                self._add(Piece.of(waiting, self._info.dimension))
                waiting = []
        self._add(Piece.of(waiting, self._info.dimension))

    def _settle(self) -> None:
        """Make a piece of the delta, together with pieces no larger that are in no file."""
        assert self._info is not None
        if self._delta:
            piece = Piece.of(sorted(self._delta.items()), self._info.dimension)
            self._add(piece)
            group = [self._placed.pop()]
            while self._placed and not (last := self._placed[-1]).piece.is_kept:
                size = sum(len(each.piece.numbers) for each in group)
                if not len(last.piece.numbers) <= size <= MOST - len(last.piece.numbers):
                    break
                group.insert(0, self._placed.pop())
            if len(group) > 1:
                piece = joined([(each.piece, each.current) for each in group])
            self._add(piece)
        self._delta, self._last = {}, None

    def _add(self, piece: Piece) -> None:
        if not len(piece.numbers):
            return
        for each in self._placed:
            at, here = each.piece.find(piece.numbers)
            each.current[at[here]] = False
        count = len(piece.numbers)
        rows, none = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.bool_)
        self._placed.append(Placed(piece, np.ones(count, dtype=np.bool_), rows, none))
        self._of = (None, None)

    def _mark(self, sequence: int) -> str:
        """What the change log says at `sequence`: two databases hardly agree on it."""
        lines = self._rows.changes_after(sequence - 1, 1)
        return f"{lines[0].record_id} {lines[0].operation}" if lines else ""

    def keep(self, *, tidy: bool = True) -> None:
        """Write what has come into the file, if it is enough to be worth while. With `tidy` it is
        written anew where it has many pieces, or much in it has left."""
        assert self._file is not None
        sizes = self._sizes
        enough = sizes.piece if any(each.piece.is_kept for each in self._placed) else sizes.kept
        if self.unkept < enough or self.unkept < self._refused + sizes.piece * bool(self._refused):
            return
        self._settle()
        self._locate()
        pieces = packed(self._placed) if tidy else None
        pieces = pieces or [each.piece for each in self._placed]
        self._refused = 0 if self._save(pieces) else self.unkept

    def forget(self) -> None:
        """Keep no vector that has left, in memory or in the file: the pieces that hold one are
        written anew, or else the file is removed."""
        self._settle()
        self._locate()
        left = [
            each.piece if each.alive.all() else joined([(each.piece, each.alive)])
            for each in self._placed
            if each.alive.any()
        ]
        if self._file is not None and not (self._file.is_there() and self._save(left)):
            self._file.remove()
            left = [Piece(each.numbers, each.codes) for each in left]
        if self._file is None or not self._file.is_there():
            self._start(left, self._sequence)

    def _save(self, pieces: Sequence[Piece]) -> bool:
        assert self._file is not None
        assert self._info is not None
        space, dimension = self._info
        mark, sequence = self._mark(self._sequence), self._sequence
        saved = self._file.save(pieces, sequence, space=space, dimension=dimension, mark=mark)
        if saved is None:
            return False
        self._start(saved, sequence)
        return True

    def search(self, vector: NDArray[np.float32], mask: Mask | None, limit: int) -> Ranking:
        """The best `limit` live chunks among the rows that `mask` admits (None: all)."""
        query = similarity.unit(vector)
        if limit <= 0 or not query.any() or not len(self._postings.numbers):
            return empty()
        if self._file is not None:
            self.keep(tidy=False)
        self._locate()
        parts = self._parts()
        admitted = [each.admitted(mask) for each in parts]
        chosen = self._candidates(parts, admitted, query.astype(np.float32), limit)
        scores = np.concatenate(
            [
                similarity.cosines(each.piece.codes[at].view(np.float16), query)
                for each, at in zip(parts, chosen, strict=True)
            ]
        )
        rows = np.concatenate([each.rows[at] for each, at in zip(parts, chosen, strict=True)])
        return ranked(self._postings, rows, scores, limit)

    def _candidates(
        self,
        parts: Sequence[Placed],
        admitted: Sequence[Mask],
        query: NDArray[np.float32],
        needed: int,
    ) -> list[NDArray[np.intp]]:
        """Of each part the places among which the best `needed` of all are."""
        counts = [int(np.count_nonzero(each)) for each in admitted]
        if sum(counts) > self._exact_up_to:
            return by_signs(parts, admitted, counts, query, needed, few=self._sizes.few)
        return [
            each.piece.best(query, mask, needed, ERROR)
            for each, mask in zip(parts, admitted, strict=True)
        ]

    def _locate(self) -> None:
        """Where the pieces' chunks stand among the postings' rows, and which are alive."""
        now = (self._postings.numbers, self._postings.alive)
        if self._of[0] is now[0] and self._of[1] is now[1]:
            return
        for each in self._placed:
            place(each, self._postings)
        self._of, self._last = now, None

    def _parts(self) -> list[Placed]:
        """The pieces and, last, the delta; located."""
        assert self._info is not None
        if self._last is None:
            delta = Piece.of(sorted(self._delta.items()), self._info.dimension)
            count = len(delta.numbers)
            rows, none = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.bool_)
            current = np.ones(count, dtype=np.bool_)
            self._last = Placed(delta, current, rows, none)
            place(self._last, self._postings)
            for each in self._placed:
                at, here = each.piece.find(delta.numbers)
                if here.any():
                    each.current[at[here]] = False
                    each.alive = each.alive & each.current
        return [*self._placed, self._last]

    def gather(self, numbers: Numbers) -> Vectors:
        """float32[n, d]: the vectors of live chunks; zero rows for the others."""
        assert self._info is not None
        self._locate()
        found = np.zeros((len(numbers), self._info.dimension), dtype=np.float32)
        for each in self._parts():
            at, here = each.piece.find(numbers)
            if len(each.alive):
                here &= each.alive[at]
            if here.all():
                return decoded(each.piece.codes[at])
            if here.any():
                found[here] = decoded(each.piece.codes[at[here]])
        return found

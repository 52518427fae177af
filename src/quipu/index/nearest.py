"""The nearest vectors: exact up to a size, found by sketches and scored exactly beyond.

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
from quipu.index.codes import decoded
from quipu.index.pieces import MOST, Mask, Piece, joined, scores_of
from quipu.index.postings import Postings
from quipu.index.ranking import empty
from quipu.index.sketch import rotated
from quipu.index.vector_file import VectorFile
from quipu.ports import Change, Numbers, Ranking, Vectors

EXACT_UP_TO = 25_000
"""Vectors above which sketches propose what is scored."""

_ERROR = 4e-6  # FAISS sums float32; twice what its scores may be off
_FOLLOW = 20_000  # changes that are read at a time
_PIECE = 4096  # vectors of the delta that become a piece of their own
_KEPT = 1000  # vectors for which a file is worth while
_PATIENCE = 500_000  # vectors scored without FAISS until to import it is cheaper
_FEW = 4096  # vectors that are scored one by one sooner than their sketches
_SMALL = 1000  # admitted vectors of a piece that are scored instead of their sketches
_FIRST = 1000  # candidates that sketches propose at first
_SURE = 3.0  # standard deviations


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


@dataclass(slots=True)
class _Placed:
    """Where a piece's vectors stand among the postings' rows, and which are alive."""

    piece: Piece
    current: Mask
    """Those of which no later piece has another vector."""
    rows: NDArray[np.intp]
    alive: Mask
    together: slice | None = None
    """The rows, where they follow each other."""

    def admitted(self, mask: Mask | None) -> Mask:
        if mask is None:
            return self.alive
        return self.alive & mask[self.rows if self.together is None else self.together]


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
        self._scored = 0
        self._refused = 0  # how many were not in the file when it could not be written
        self._start([], -1)

    def _start(self, pieces: Sequence[Piece], sequence: int) -> None:
        self._sequence = sequence
        self._placed: list[_Placed] = []
        self._delta: dict[int, bytes] = {}
        self._last: _Placed | None = None
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
        pieces = (len(each.piece.numbers) for each in self._placed if not each.piece.name)
        return len(self._delta) + sum(pieces)

    def follow(self, info: SpaceInfo, sequence: int) -> None:
        """Bring the index to `sequence`."""
        if self._info != info:
            self._info = info
            self._start([], -1)
        if sequence == self._sequence:
            return
        gap = sequence - self._sequence
        if self._sequence < 0 or gap > _FOLLOW:
            self._adopt()
            gap = sequence - self._sequence
        known = sum(len(each.piece.numbers) for each in self._placed)
        if self._sequence < 0 or gap < 0 or gap > max(_FOLLOW, 2 * known):
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
        while changes := self._rows.changes_after(after, _FOLLOW):
            # A chunk that was put again may have kept its vector under the same number; one that
            # ended is not among the live rows of the postings any more.
            embedded = sorted({c.record_id for c in changes if c.kind == "vector"})
            for number, vector in self._rows.vectors_of(self._space, embedded):
                self._delta[number] = vector
            self._last = None
            after = changes[-1].sequence
            if len(changes) < _FOLLOW:
                break
        if len(self._delta) >= _PIECE:
            if self._adopt():
                self._catch_up()
            else:
                self._settle()

    def _read(self) -> None:
        """Everything, from the database."""
        assert self._info is not None
        self._start([], -1)
        waiting: list[Stored] = []
        for stored in self._rows.every_vector(self._space):
            waiting.append(stored)
            if len(waiting) == MOST:
                self._add(Piece.of(waiting, self._info.dimension))
                waiting = []
        self._add(Piece.of(waiting, self._info.dimension))

    def _settle(self) -> None:
        """Make a piece of the delta."""
        assert self._info is not None
        if self._delta:
            self._add(Piece.of(sorted(self._delta.items()), self._info.dimension))
        self._delta, self._last = {}, None

    def _add(self, piece: Piece) -> None:
        if not len(piece.numbers):
            return
        for each in self._placed:
            at, here = each.piece.find(piece.numbers)
            each.current[at[here]] = False
        count = len(piece.numbers)
        rows, none = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.bool_)
        self._placed.append(_Placed(piece, np.ones(count, dtype=np.bool_), rows, none))
        self._of = (None, None)

    def _mark(self, sequence: int) -> str:
        """What the change log says at `sequence`: two databases hardly agree on it."""
        lines = self._rows.changes_after(sequence - 1, 1)
        return f"{lines[0].record_id} {lines[0].operation}" if lines else ""

    def keep(self, *, tidy: bool = True) -> None:
        """Write what has come into the file, if it is enough to be worth while. With `tidy` small
        pieces are put together, and vectors that have left are written no more."""
        assert self._file is not None
        enough = _PIECE if any(each.piece.name for each in self._placed) else _KEPT
        if self.unkept < enough or self.unkept < self._refused + _PIECE * bool(self._refused):
            return
        self._settle()
        self._locate()
        pieces = _merged(self._placed) if tidy else [each.piece for each in self._placed]
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
        numbers = self._postings.numbers[rows]
        order = np.lexsort((numbers, self._postings.order_keys[rows], -scores))[:limit]
        return Ranking(numbers[order], scores[order])

    def _candidates(
        self,
        parts: Sequence[_Placed],
        admitted: Sequence[Mask],
        query: NDArray[np.float32],
        needed: int,
    ) -> list[NDArray[np.intp]]:
        """Of each part the places among which the best `needed` of all are."""
        counts = [int(np.count_nonzero(each)) for each in admitted]
        everything = sum(len(each.piece.numbers) for each in parts)
        if sum(counts) > _FEW and self._scored + sum(counts) > _PATIENCE:
            if everything > self._exact_up_to:
                return _by_sketch(parts, admitted, counts, query, needed)
            return [
                each.piece.exact().candidates(query, mask, needed, _ERROR)
                if count > _FEW
                else each.piece.best(query, mask, needed, _ERROR)
                for each, mask, count in zip(parts, admitted, counts, strict=True)
            ]
        self._scored += sum(counts)
        return [
            each.piece.best(query, mask, needed, _ERROR)
            for each, mask in zip(parts, admitted, strict=True)
        ]

    def _locate(self) -> None:
        """Where the pieces' chunks stand among the postings' rows, and which are alive."""
        now = (self._postings.numbers, self._postings.alive)
        if self._of[0] is now[0] and self._of[1] is now[1]:
            return
        for each in self._placed:
            _place(each, self._postings)
        self._of, self._last = now, None

    def _parts(self) -> list[_Placed]:
        """The pieces and, last, the delta; located."""
        assert self._info is not None
        if self._last is None:
            delta = Piece.of(sorted(self._delta.items()), self._info.dimension)
            count = len(delta.numbers)
            rows, none = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.bool_)
            self._last = _Placed(delta, np.ones(count, dtype=np.bool_), rows, none)
            _place(self._last, self._postings)
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


def _place(each: _Placed, postings: Postings) -> None:
    numbers = each.piece.numbers
    rows, alive = postings.rows_of(numbers)
    each.rows, each.alive = rows, alive & each.current
    follow = bool(len(rows)) and bool(alive.all()) and int(rows[-1] - rows[0]) == len(rows) - 1
    each.together = slice(int(rows[0]), int(rows[-1]) + 1) if follow else None


def _merged(placed: Sequence[_Placed]) -> list[Piece]:
    """The pieces to be kept: from the end on those are put together that are no larger than what
    follows, as far as what is written stays bounded; so a vector is written a few times at most."""
    groups: list[list[_Placed]] = []
    for each in placed:
        groups.append([each])
        while len(groups) > 1:
            size, before = _size(groups[-1]), _size(groups[-2])
            if before > size or before + size > MOST:
                break
            groups[-2:] = [groups[-2] + groups[-1]]
    return [_one(group) for group in groups if _size(group)]


def _size(group: Sequence[_Placed]) -> int:
    return sum(int(np.count_nonzero(each.alive)) for each in group)


def _one(group: Sequence[_Placed]) -> Piece:
    """The piece as it is; another one when it is of several, or mostly of what has left."""
    first = group[0]
    if len(group) == 1 and 2 * _size(group) > len(first.alive):
        return first.piece
    return joined([(each.piece, each.alive) for each in group])


def _by_sketch(
    parts: Sequence[_Placed],
    admitted: Sequence[Mask],
    counts: Sequence[int],
    query: NDArray[np.float32],
    needed: int,
) -> list[NDArray[np.intp]]:
    """Of each part the places that sketches propose, enough of them.

    Sketches are off by what looks drawn from one normal distribution, and the candidates that they
    hold for the worst show it: are the exact scores of those so much lower than the `needed`-th of
    all (`_SURE` standard deviations) that none of what lies behind them is likely to belong?
    Otherwise twice as many are looked at.
    """
    turned = rotated(query[None])
    wanted, total = max(_FIRST, 4 * needed), sum(counts)
    while True:
        guesses = [
            each.piece.scan().best(turned, mask, count, wanted)
            if count > _SMALL
            else each.piece.every(query, mask)
            for each, mask, count in zip(parts, admitted, counts, strict=True)
        ]
        cosines = np.concatenate([each.cosines for each in guesses])
        if len(cosines) > wanted:
            cut = np.partition(cosines, len(cosines) - wanted)[len(cosines) - wanted]
            guesses = [each.above(cut) for each in guesses]
            cosines = np.concatenate([each.cosines for each in guesses])
        exact = [
            scores_of(each.piece.codes, guess.places, query)
            for each, guess in zip(parts, guesses, strict=True)
        ]
        scores = np.concatenate(exact)
        if len(scores) <= needed:
            return [guess.places for guess in guesses]
        bar = np.partition(scores, len(scores) - needed)[len(scores) - needed]
        worst = scores[np.argpartition(cosines, len(cosines) // 4)[: len(cosines) // 4]]
        if wanted >= total or bar >= worst.mean() + _SURE * worst.std():
            return [
                guess.places[each >= bar - _ERROR]
                for guess, each in zip(guesses, exact, strict=True)
            ]
        wanted *= 2

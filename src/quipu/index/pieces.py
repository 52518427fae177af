"""Pieces of a vector index: vectors that came together, and how the best of them are found.

FAISS scores many vectors at once: exactly, or over sketches. To import it takes as long as to score
700,000 vectors without it, so callers ask for it only once they have much to score.
"""

import mmap as mmap_module
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from mmap import mmap
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from quipu.index import sketch
from quipu.index.sets import places_in
from quipu.index.sketch import Codes, decoded, sketched

__all__ = ["MOST", "Mask", "Piece", "joined", "scores_of"]

MOST = 131_072
"""Vectors beyond which pieces are not put together: so much is written at most when few came."""

_NOT_NEEDED: int | None = getattr(mmap_module, "MADV_DONTNEED", None)  # not on Windows

_BLOCK = 1024  # rows that are decoded at a time: they stay in the processor's cache

Mask = NDArray[np.bool_]


class _Guess(NamedTuple):
    """What a scan of sketches proposes: places, and about what cosine each has."""

    places: NDArray[np.intp]
    cosines: NDArray[np.float32]

    def above(self, cut: float) -> "_Guess":
        """Only those of at least `cut`."""
        some = self.cosines >= cut
        return _Guess(self.places[some], self.cosines[some])


class _ExactScan:
    """FAISS's exact index over codes uint8[n, 2 d]; it copies them."""

    def __init__(self, codes: Codes) -> None:
        with _one_thread() as faiss:
            self._index = faiss.IndexScalarQuantizer(
                codes.shape[1] // 2, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
            )
            faiss.copy_array_to_vector(np.ascontiguousarray(codes).ravel(), self._index.codes)
            self._index.ntotal = len(codes)

    def candidates(
        self, query: NDArray[np.float32], admitted: Mask, needed: int, error: float
    ) -> NDArray[np.intp]:
        """Places among which the `needed` best of the admitted are, whatever `error` the scores
        may have: FAISS is asked for more until nothing that may belong is left out."""
        count = int(np.count_nonzero(admitted))
        limit = min(needed + 16, count)
        while True:
            with _one_thread() as faiss:
                parameters = faiss.SearchParameters(sel=_selector(admitted, count, faiss))
                scores, found = self._index.search(query[None], limit, params=parameters)
            scores, found = scores[0][found[0] >= 0], found[0][found[0] >= 0]
            if len(scores) <= needed:
                return found
            bar = scores[needed - 1] - error
            if limit == count or len(scores) < limit or scores[-1] < bar:
                return found[scores >= bar]
            limit = min(limit * 4, count)


class _SketchScan:
    """FAISS's fast scan (André, Kermarrec and Le Scouarnec 2015) over sketches: two dimensions are
    one of sixteen codes, whose products with a query are looked up in a register."""

    def __init__(self, sketches: Codes, dimension: int) -> None:
        """Takes the sketches uint8[n, w] of vectors of `dimension` as they are: nothing is
        trained, to arrange 1,000,000 takes a quarter of a second."""
        width, count = sketch.turned_dimension(dimension), len(sketches)
        pairs = np.arange(16)
        levels = np.stack((sketch.LEVELS[pairs & 3], sketch.LEVELS[pairs >> 2]), axis=1)
        book = np.tile((levels / dimension**0.5).astype(np.float32), (width // 2, 1, 1))
        numbered = np.arange(count, dtype=np.int64)
        with _one_thread() as faiss:
            one_list = faiss.IndexFlatIP(width)
            one_list.add(np.zeros((1, width), dtype=np.float32))
            plain = faiss.IndexIVFPQ(one_list, width, 1, width // 2, 4, faiss.METRIC_INNER_PRODUCT)
            plain.by_residual = False
            faiss.copy_array_to_vector(book.ravel(), plain.pq.centroids)
            plain.is_trained = True
            codes = np.ascontiguousarray(sketches)
            plain.invlists.add_entries(0, count, faiss.swig_ptr(numbered), faiss.swig_ptr(codes))
            plain.ntotal = count
            self._index = faiss.IndexIVFPQFastScan(plain)
            self._lists = one_list  # which the index only points to

    def best(self, turned: NDArray[np.float32], admitted: Mask, count: int, limit: int) -> _Guess:
        """The `limit` best by sketch of the `count` places that `admitted` admits, for a turned
        query float32[1, w]."""
        with _one_thread() as faiss:
            parameters = faiss.SearchParametersIVF(sel=_selector(admitted, count, faiss), nprobe=1)
            cosines, places = self._index.search(turned, min(limit, count), params=parameters)
        there = places[0] >= 0
        return _Guess(places[0][there], cosines[0][there])


@dataclass(slots=True, eq=False)
class Piece:
    """`numbers` int64[n] ascending and `codes`, the bytes of float16[n, d]; under `name` it is
    kept in a file."""

    numbers: NDArray[np.int64]
    codes: Codes
    name: str = ""
    _sketches: Codes | None = None
    _exact: _ExactScan | None = field(default=None, repr=False)
    _scan: _SketchScan | None = field(default=None, repr=False)

    @classmethod
    def of(cls, vectors: Sequence[tuple[int, bytes]], dimension: int) -> Self:
        """The piece of (number, float16[d]) in ascending order of the numbers."""
        numbers = np.fromiter((n for n, _ in vectors), dtype=np.int64, count=len(vectors))
        together = np.frombuffer(b"".join(v for _, v in vectors), dtype=np.uint8)
        return cls(numbers, together.reshape(-1, 2 * dimension))

    def sketches(self) -> Codes:
        """The sketches of its vectors, made when they are not there."""
        if self._sketches is None:
            self._sketches = sketched(self.codes)
        return self._sketches

    def exact(self) -> _ExactScan:
        """FAISS over its vectors."""
        if self._exact is None:
            self._exact = _ExactScan(self.codes)
        return self._exact

    def scan(self) -> _SketchScan:
        """FAISS over its sketches."""
        if self._scan is None:
            self._scan = _SketchScan(self.sketches(), self.codes.shape[1] // 2)
            _give_back(self.sketches())
        return self._scan

    def find(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.intp], Mask]:
        """Where each of `numbers` stands (0 when it does not), and whether it does."""
        return places_in(self.numbers, numbers)

    def every(self, query: NDArray[np.float32], admitted: Mask) -> _Guess:
        """All admitted places, with their cosines."""
        places = np.flatnonzero(admitted)
        everything = len(places) == len(self.codes)
        return _Guess(places, scores_of(self.codes, None if everything else places, query))

    def best(
        self, query: NDArray[np.float32], admitted: Mask, needed: int, error: float
    ) -> NDArray[np.intp]:
        """Places among which the `needed` best of the admitted are, whatever `error` the scores
        may have; every admitted vector is scored here."""
        places, scores = self.every(query, admitted)
        if len(scores) <= needed:
            return places
        bar = np.partition(scores, len(scores) - needed)[len(scores) - needed] - error
        return places[scores >= bar]


def scores_of(
    codes: Codes, places: NDArray[np.intp] | None, query: NDArray[np.float32]
) -> NDArray[np.float32]:
    """float32[n]: the rows at `places` (None: all, in their order) against the query."""
    scores = np.empty(len(codes) if places is None else len(places), dtype=np.float32)
    for start in range(0, len(scores), _BLOCK):
        block = slice(start, start + _BLOCK)
        rows = codes[block] if places is None else codes[places[block]]
        np.einsum("ij,j->i", decoded(rows), query, out=scores[block])
    return scores


def joined(pieces: Sequence[tuple[Piece, Mask]]) -> Piece:
    """One piece of what the masks let stay, of which no number may be there twice."""
    numbers = np.concatenate([each.numbers[mask] for each, mask in pieces])
    order = np.argsort(numbers, kind="stable")
    codes = np.concatenate([each.codes[mask] for each, mask in pieces])
    sketches = np.concatenate([each.sketches()[mask] for each, mask in pieces])
    if (order[1:] < order[:-1]).any():
        codes, sketches = codes[order], sketches[order]
    return Piece(numbers[order], codes, _sketches=sketches)


def _give_back(array: NDArray[Any]) -> None:
    """Hold no page of a file that `array` is a map of, until it is read again."""
    base: Any = array
    while hasattr(base, "base"):
        base = base.base
    if isinstance(base, mmap) and _NOT_NEEDED is not None:
        base.madvise(_NOT_NEEDED)


def _selector(admitted: Mask, count: int, faiss: Any) -> Any:
    if count == len(admitted):
        return None
    return faiss.IDSelectorBitmap(np.packbits(admitted, bitorder="little"))


@contextmanager
def _one_thread() -> Generator[Any]:
    """FAISS on one thread: where other work fills the cores its threads wait for each other longer
    than one of them needs."""
    faiss: Any = import_module("faiss")  # its stubs describe C++, not what Python adds
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield faiss
    finally:
        faiss.omp_set_num_threads(before)

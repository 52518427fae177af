"""FAISS over many vectors at once: exact, or over sketches.

To import FAISS takes as long as to score 700,000 vectors without it, so callers ask for it only
once they have much to score.
"""

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.index import sketch
from quipu.index.codes import Codes

__all__ = ["ExactScan", "Guess", "SketchScan"]

Mask = NDArray[np.bool_]


class Guess(NamedTuple):
    """What a scan of sketches proposes: places, and about what cosine each has."""

    places: NDArray[np.intp]
    cosines: NDArray[np.float32]

    def above(self, cut: float) -> "Guess":
        """Only those of at least `cut`."""
        some = self.cosines >= cut
        return Guess(self.places[some], self.cosines[some])


class ExactScan:
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
        wanted = min(needed + 16, count)
        while True:
            with _one_thread() as faiss:
                parameters = faiss.SearchParameters(sel=_selector(admitted, count, faiss))
                scores, found = self._index.search(query[None], wanted, params=parameters)
            scores, found = scores[0][found[0] >= 0], found[0][found[0] >= 0]
            if len(scores) <= needed:
                return found
            bar = scores[needed - 1] - error
            if wanted == count or len(scores) < wanted or scores[-1] < bar:
                return found[scores >= bar]
            wanted = min(wanted * 4, count)


class SketchScan:
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

    def best(self, turned: NDArray[np.float32], admitted: Mask, count: int, wanted: int) -> Guess:
        """The `wanted` best by sketch of the `count` places that `admitted` admits, for a turned
        query float32[1, w]."""
        with _one_thread() as faiss:
            parameters = faiss.SearchParametersIVF(sel=_selector(admitted, count, faiss), nprobe=1)
            cosines, places = self._index.search(turned, min(wanted, count), params=parameters)
        there = places[0] >= 0
        return Guess(places[0][there], cosines[0][there])


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

"""The main part of a vector index, and the file that keeps it between runs.

Up to a size it is the vectors themselves, read where they lie and scored in blocks: to import
FAISS takes longer than such a search. A process that goes on searching hands them to FAISS, which
takes a quarter of the time; so does the graph beyond that size.

A file is trusted only when its header names the same database, space and dimension, a moment of
the change log that this database has too, and the sums of what lies beside it, every byte of it.
Anything else is as good as no file: the index is built again from the database.
"""

import os
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

_FORMAT = 4
_SUMMED = 1 << 20  # bytes that have a sum of their own in the header
_LINKS = 32
_BREADTH = 256
_FEW = 20_000  # rows that are scored one by one sooner than a graph is walked with a filter
_VERY_FEW = 2_000  # rows that are scored here sooner than FAISS is asked with a filter
_OFTEN = 3  # searches after which importing FAISS pays
_MOST_PIECES = 4
_PIECE_ROWS = 20_000  # rows below which a piece of its own is not worth handing over
_BLOCK = 1024  # rows that are decoded at a time: they stay in the processor's cache
_HALF_BITS = np.uint32(0x8FFFE000).view(np.int32)  # sign, exponent, mantissa in float32's places
_HALF_SCALE = np.float32(2.0**112)  # between the biases of the exponents

_beside = ThreadPoolExecutor(_MOST_PIECES, thread_name_prefix="quipu-nearest")

Codes = NDArray[np.uint8]
Mask = NDArray[np.bool_]


class _Flat:
    """FAISS's exact index over the codes, once a process has searched often enough: a piece a
    core, for one search reads all of them and a core alone cannot read as fast as memory gives."""

    __slots__ = ("_pieces", "_searches", "_starts")

    def __init__(self) -> None:
        self._searches = 0
        self._pieces: list[Any] = []
        self._starts: list[int] = []

    def is_there(self, codes: Codes) -> bool:
        """Whether to ask it; not while there were few searches."""
        self._searches += 1
        if not self._pieces and self._searches > _OFTEN:
            cores = min(os.cpu_count() or 1, _MOST_PIECES, 1 + len(codes) // _PIECE_ROWS)
            self._starts = [len(codes) * piece // cores for piece in range(cores + 1)]
            self._pieces = [_flat(codes[a:b]) for a, b in pairwise(self._starts)]
        return bool(self._pieces)

    def candidates(
        self, query: NDArray[np.float32], admitted: Mask, needed: int, error: float
    ) -> NDArray[np.intp]:
        """What each piece would have among the first."""

        def ask(piece: int) -> NDArray[np.intp]:
            start, end = self._starts[piece], self._starts[piece + 1]
            if not admitted[start:end].any():
                return np.zeros(0, dtype=np.intp)
            return start + _asked(self._pieces[piece], query, admitted[start:end], needed, error)

        others = [_beside.submit(ask, piece) for piece in range(1, len(self._pieces))]
        return np.concatenate([ask(0), *(other.result() for other in others)])


def _flat(codes: Codes) -> Any:
    faiss = _faiss()
    index = faiss.IndexScalarQuantizer(
        codes.shape[1] // 2, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )
    faiss.copy_array_to_vector(np.ascontiguousarray(codes).ravel(), index.codes)
    index.ntotal = len(codes)
    return index


@dataclass(frozen=True, slots=True)
class Main:
    """Vectors up to `sequence`: `numbers` int64[n] ascending and `codes`, the bytes of
    float16[n, d]; with `graph`, FAISS's HNSW over them."""

    numbers: NDArray[np.int64]
    sequence: int
    codes: Codes
    graph: Any = None
    flat: _Flat = field(default_factory=_Flat)

    @classmethod
    def build(
        cls, numbers: NDArray[np.int64], matrix: NDArray[np.float16], sequence: int, *, graph: bool
    ) -> Self:
        """The index of `matrix` float16[n, d]: flat (exact), or a graph (HNSW)."""
        if not graph:
            return cls(numbers, sequence, matrix.view(np.uint8))
        with _one_thread() as faiss:
            built = _graph_of(matrix, faiss)
        return cls(numbers, sequence, _codes(built), built)

    def rows(self, at: NDArray[np.intp]) -> NDArray[np.float16]:
        """float16[n, d]: the vectors at the given places."""
        return self.codes[at].view(np.float16)

    def candidates(
        self, query: NDArray[np.float32], admitted: Mask, needed: int, error: float
    ) -> NDArray[np.intp]:
        """Places among which the `needed` best of the admitted ones are (for a graph: most
        likely are), whatever `error` the scores may have."""
        count = int(np.count_nonzero(admitted))
        if not count:
            return np.zeros(0, dtype=np.intp)
        if self.graph is not None and count > _FEW:
            return _asked(self.graph, query, admitted, needed, error)
        if count > _VERY_FEW and self.flat.is_there(self.codes):
            return self.flat.candidates(query, admitted, needed, error)
        return self._one_by_one(query, np.flatnonzero(admitted), needed, error)

    def _one_by_one(
        self, query: NDArray[np.float32], places: NDArray[np.intp], needed: int, error: float
    ) -> NDArray[np.intp]:
        everything = len(places) == len(self.codes)
        scores = np.empty(len(places), dtype=np.float32)
        for start in range(0, len(places), _BLOCK):
            block = slice(start, start + _BLOCK)
            codes = self.codes[block] if everything else self.codes[places[block]]
            np.einsum("ij,j->i", decoded(codes), query, out=scores[block])
        if len(scores) <= needed:
            return places
        bar = np.partition(scores, len(scores) - needed)[len(scores) - needed] - error
        return places[scores >= bar]


def _asked(
    index: Any, query: NDArray[np.float32], admitted: Mask, needed: int, error: float
) -> NDArray[np.intp]:
    """What FAISS finds, asked for more until nothing that may belong is left out."""
    count = int(np.count_nonzero(admitted))
    wanted = min(needed + 16, count)
    while True:
        with _one_thread() as faiss:
            chosen = _selector(admitted, count, faiss)
            parameters = (
                faiss.SearchParametersHNSW(sel=chosen, efSearch=max(_BREADTH, 2 * wanted))
                if hasattr(index, "hnsw")
                else faiss.SearchParameters(sel=chosen)
            )
            scores, found = index.search(query[None], wanted, params=parameters)
        scores, found = scores[0][found[0] >= 0], found[0][found[0] >= 0]
        if len(scores) <= needed:
            return found
        bar = scores[needed - 1] - error
        if wanted == count or len(scores) < wanted or scores[-1] < bar:
            return found[scores >= bar]
        wanted = min(wanted * 4, count)


def _selector(admitted: Mask, count: int, faiss: Any) -> Any:
    if count == len(admitted):
        return None
    return faiss.IDSelectorBitmap(np.packbits(admitted, bitorder="little"))


def _graph_of(matrix: NDArray[np.float16], faiss: Any) -> Any:
    index = faiss.IndexHNSWSQ(
        matrix.shape[1], faiss.ScalarQuantizer.QT_fp16, _LINKS, faiss.METRIC_INNER_PRODUCT
    )
    index.hnsw.efConstruction = 80
    for start in range(0, len(matrix), 10_000):
        index.add(matrix[start : start + 10_000].astype(np.float32))
    return index


def _faiss() -> Any:
    return import_module("faiss")  # its stubs describe the C++ classes, not what Python adds


@contextmanager
def _one_thread() -> Generator[Any]:
    """FAISS on one thread: a graph built by several differs from run to run, and where other
    work fills the cores its threads wait for each other longer than one of them needs."""
    faiss = _faiss()
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield faiss
    finally:
        faiss.omp_set_num_threads(before)


def decoded(codes: Codes) -> NDArray[np.float32]:
    """float32[n, d] of finite float16 codes uint8[n, 2 d]; numpy's own conversion takes three
    times as long."""
    bits = np.ascontiguousarray(codes).view("<i2").astype(np.int32)
    bits <<= 13
    bits &= _HALF_BITS
    values = bits.view(np.float32)
    values *= _HALF_SCALE
    return values


def _codes(index: Any) -> Codes:
    faiss = _faiss()
    storage = faiss.downcast_index(index.storage)
    count, width = int(index.ntotal), 2 * int(index.d)
    if not count:
        return np.zeros((0, width), dtype=np.uint8)
    return faiss.rev_swig_ptr(storage.codes.data(), count * width).reshape(count, width)


class _Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: int
    space: str
    mark: str
    sequence: int
    dimension: int
    count: int
    graph: bool
    index_file: str
    numbers_file: str
    numbers_sums: tuple[int, ...]
    index_sums: tuple[int, ...]


def _read(path: Path, header: _Header) -> tuple[Any, Codes]:
    """FAISS's graph, if it is one, and the codes; neither is read before it is used."""
    if not header.graph:
        shape = (header.count, 2 * header.dimension)
        return None, np.memmap(path, dtype=np.uint8, mode="r", shape=shape).view(np.ndarray)
    faiss = _faiss()
    graph = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
    return graph, _codes(graph)


class VectorFile:
    """Where one space's index is kept: `<slug>.json` and the two files it names."""

    def __init__(self, folder: Path, slug: str, *, writable: bool) -> None:
        self._folder, self._slug, self._writable = folder, slug, writable

    def load(self, space: str, dimension: int, mark_at: Callable[[int], str]) -> Main | None:
        """The index in the file, or None when there is none that can be trusted."""
        try:
            header = msgspec.json.decode(self._header().read_bytes(), type=_Header)
            if (header.format, header.space, header.dimension) != (_FORMAT, space, dimension):
                return None
            if mark_at(header.sequence) != header.mark:
                return None
            index_path = self._folder / header.index_file
            numbers = np.fromfile(self._folder / header.numbers_file, dtype="<i8")
            found = (_sums(numbers), _sums(np.memmap(index_path, dtype=np.uint8, mode="r")))
            if found != (header.numbers_sums, header.index_sums):
                return None
            graph, codes = _read(index_path, header)
        except (OSError, msgspec.DecodeError, RuntimeError, ValueError):
            return None  # a damaged or vanished cache is no more than a missing one
        if codes.shape != (len(numbers), 2 * dimension):
            return None
        return Main(numbers, header.sequence, codes, graph)

    def save(self, main: Main, space: str, mark: str) -> None:
        """Keep `main`. Whoever renames last wins; to fail is harmless."""
        if not self._writable:
            return
        stem = f"{self._slug}.{main.sequence}.{os.getpid()}"
        index_path = self._folder / f"{stem}.index"
        numbers_path = self._folder / f"{stem}.numbers"
        try:
            self._folder.mkdir(exist_ok=True)
            if main.graph is None:
                main.codes.tofile(index_path)
            else:
                _faiss().write_index(main.graph, str(index_path))
            main.numbers.astype("<i8").tofile(numbers_path)
            header = _Header(
                format=_FORMAT,
                space=space,
                mark=mark,
                sequence=main.sequence,
                dimension=main.codes.shape[1] // 2,
                count=len(main.numbers),
                graph=main.graph is not None,
                index_file=index_path.name,
                numbers_file=numbers_path.name,
                numbers_sums=_sums(main.numbers.astype("<i8")),
                index_sums=_sums(np.memmap(index_path, dtype=np.uint8, mode="r")),
            )
            temporary = self._folder / f"{stem}.json"
            temporary.write_bytes(msgspec.json.encode(header))
            temporary.replace(self._header())
            self._sweep({self._header().name, index_path.name, numbers_path.name})
        except (OSError, RuntimeError):
            index_path.unlink(missing_ok=True)
            numbers_path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Delete what is kept."""
        self._sweep(set())

    def _sweep(self, kept: set[str]) -> None:
        for path in self._folder.glob(f"{self._slug}.*"):
            if path.name not in kept:
                path.unlink(missing_ok=True)

    def _header(self) -> Path:
        return self._folder / f"{self._slug}.json"


def _sums(data: NDArray[Any]) -> tuple[int, ...]:
    """Of every mebibyte of `data` the sum of its little-endian 64-bit words, the last filled up
    with zeros. No damaged byte leaves a sum as it was, nor does a block that stands in another's
    place."""
    flat: NDArray[np.uint8] = data.reshape(-1).view(np.uint8)
    found: list[int] = [len(flat)]
    for start in range(0, len(flat), _SUMMED):
        block = flat[start : start + _SUMMED]
        if len(block) % 8:
            block = np.concatenate([block, np.zeros(-len(block) % 8, dtype=np.uint8)])
        found.append(int(np.add.reduce(block.view("<u8"), dtype=np.uint64)))
    return tuple(found)

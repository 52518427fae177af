"""Posting segments: built from a batch of chunks, merged, and laid out as a few blobs.

A segment covers the chunks of one or more writes. A chunk's *row* is its place in the segment;
rows are in the order of the chunks' numbers. For each field it holds the chunks' lengths, the
terms as 128-bit hashes in order (so that no text of a name or word is kept, and a segment merges
without comparing strings), and for each term the rows it stands in with its frequencies.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from quipu.records.batch import Terms
from quipu.records.ids import order_key

_FAN_IN = 4
"""How many segments of one size become one of the next."""

LARGEST_TIER = 9
"""Segments of about 4 ** 9 = 262,144 chunks are not merged further."""

_EIGHT = np.dtype("<u8")


@dataclass(frozen=True, slots=True)
class FieldPart:
    """One field of a segment.

    `lengths` uint32[n]; `high`, `low` uint64[t] are the terms' hashes, ordered by both;
    `counts` uint32[t]; `rows` and `tf` [p] hold each term's postings, one term after another.
    """

    lengths: NDArray[np.uint32]
    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    rows: NDArray[np.unsignedinteger]
    tf: NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class Segment:
    """`numbers` int64[n] ascending, `order_keys` uint64[n], and the fields."""

    numbers: NDArray[np.int64]
    order_keys: NDArray[np.uint64]
    fields: dict[str, FieldPart]


@dataclass(frozen=True, slots=True)
class Posted:
    """A chunk to be indexed: its number, its id and its terms."""

    number: int
    chunk_id: str
    fields: dict[str, Terms]


@lru_cache(maxsize=1 << 18)
def _hash(term: str) -> bytes:
    return blake2b(term.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def hashes(terms: Iterable[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The 16 bytes that each term is known by, as two columns, in the order given."""
    pairs = np.frombuffer(b"".join(map(_hash, terms)), dtype=_EIGHT).reshape(-1, 2)
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def build(chunks: Sequence[Posted]) -> Segment:
    """The segment of `chunks`, which come in ascending order of their numbers."""
    names = sorted({name for chunk in chunks for name, terms in chunk.fields.items() if terms})
    return Segment(
        np.array([c.number for c in chunks], dtype=np.int64),
        np.array([order_key(c.chunk_id) for c in chunks], dtype=np.uint64),
        {name: _build_field([c.fields.get(name, {}) for c in chunks]) for name in names},
    )


def _build_field(columns: Sequence[Terms]) -> FieldPart:
    vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
    ids = np.fromiter(map(vocabulary.__getitem__, chain.from_iterable(columns)), dtype=np.int32)
    tf = np.fromiter(chain.from_iterable(c.values() for c in columns), dtype=np.uint32)
    sizes = np.fromiter(map(len, columns), dtype=np.int64, count=len(columns))
    rows = np.repeat(np.arange(len(columns), dtype=np.uint32), sizes)
    lengths = np.zeros(len(columns), dtype=np.uint32)
    np.add.at(lengths, rows, tf)
    high, low = hashes(vocabulary)
    order = np.lexsort((low, high))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    ranks = rank[ids]
    by_term = np.argsort(ranks, kind="stable")
    counts = np.bincount(ranks, minlength=len(order)).astype(np.uint32)
    return _narrowed(
        FieldPart(lengths, high[order], low[order], counts, rows[by_term], tf[by_term])
    )


def _narrowed(part: FieldPart) -> FieldPart:
    rows = part.rows.astype(np.uint16 if len(part.lengths) <= 0x10000 else np.uint32)
    small = not len(part.tf) or int(part.tf.max()) <= 0xFF
    tf = part.tf.astype(np.uint8 if small else np.uint32)
    return FieldPart(part.lengths, part.high, part.low, part.counts, rows, tf)


def merge(segments: Sequence[Segment], alive: Sequence[NDArray[np.bool_]]) -> Segment:
    """One segment in place of several neighbours, in their order, without the dead rows."""
    kept = [np.flatnonzero(a) for a in alive]
    names = sorted({name for s in segments for name in s.fields})
    fields = {name: _merge_field(segments, alive, kept, name) for name in names}
    return Segment(
        np.concatenate([s.numbers[k] for s, k in zip(segments, kept, strict=True)]),
        np.concatenate([s.order_keys[k] for s, k in zip(segments, kept, strict=True)]),
        {name: part for name, part in fields.items() if len(part.rows)},
    )


def _merge_field(
    segments: Sequence[Segment],
    alive: Sequence[NDArray[np.bool_]],
    kept: Sequence[NDArray[np.intp]],
    name: str,
) -> FieldPart:
    lengths: list[NDArray[np.uint32]] = []
    parts: list[FieldPart] = []
    base = 0
    for segment, live, rows in zip(segments, alive, kept, strict=True):
        part = segment.fields.get(name)
        lengths.append(part.lengths[rows] if part else np.zeros(len(rows), dtype=np.uint32))
        if part is not None:
            parts.append(_shifted(part, live, base))
        base += len(rows)
    high = np.concatenate([p.high for p in parts])
    low = np.concatenate([p.low for p in parts])
    counts = np.concatenate([p.counts for p in parts]).astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    order = np.lexsort((low, high))  # stable: equal terms stay in the order of their segments
    gather = ranges(starts[order], counts[order])
    rows = np.concatenate([p.rows for p in parts])[gather]
    tf = np.concatenate([p.tf.astype(np.uint32) for p in parts])[gather]
    high, low, counts = high[order], low[order], counts[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    heads = np.flatnonzero(first)
    united = np.add.reduceat(counts, heads) if len(heads) else counts
    merged = FieldPart(
        np.concatenate(lengths), high[heads], low[heads], united.astype(np.uint32), rows, tf
    )
    return _narrowed(merged)


def _shifted(part: FieldPart, live: NDArray[np.bool_], base: int) -> FieldPart:
    """`part` without dead rows and empty terms, its rows counted from `base`."""
    if live.all():
        rows = part.rows.astype(np.uint32) + np.uint32(base)
        return FieldPart(part.lengths, part.high, part.low, part.counts, rows, part.tf)
    stands = live[part.rows]
    moved = np.cumsum(live, dtype=np.uint32) - np.uint32(1) + np.uint32(base)
    counts = live_counts(part.counts, stands)
    some = counts > 0
    return FieldPart(
        part.lengths,
        part.high[some],
        part.low[some],
        counts[some].astype(np.uint32),
        moved[part.rows[stands]],
        part.tf[stands],
    )


def live_counts(counts: NDArray[np.uint32], stands: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many of each term's postings stand."""
    total = np.concatenate(([0], np.cumsum(stands)))
    ends = np.cumsum(counts, dtype=np.int64)
    return total[ends] - total[ends - counts]


def ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The integers of [start, start + count) for each pair, one after another."""
    total = int(counts.sum())
    ends = np.cumsum(counts)
    return np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - counts), counts)


def tier(size: int) -> int:
    """The size class of a segment: 0 up to 3 chunks, 1 up to 15, 2 up to 63 ..."""
    return (max(size, 1).bit_length() - 1) // 2


def due(sizes: Sequence[int]) -> int:
    """How many of the last segments should become one now; 0 when none should.

    `sizes` are in the order of their numbers. Four of one class at the end (smaller ones may
    lie between them) make one of the next, so a look-up meets at most three of each class.
    """
    found = 0
    for size_class in range(LARGEST_TIER):
        run = 0
        for size in reversed(sizes):
            if tier(size) > size_class:
                break
            run += 1
        full = sum(tier(size) == size_class for size in sizes[len(sizes) - run :])
        if full >= _FAN_IN:
            found = max(found, run)
    return found

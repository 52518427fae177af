"""Words and names of the live chunks, read from posting segments.

A reader keeps what it has read: the segments' rows, buckets of postings, and the posting lists of
late. Callers say when the blobs may have changed (`refresh`) and hold a lock
and a read transaction around every call.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from quipu.index import bm25
from quipu.index.blobs import PostingBlobs, SegmentHead
from quipu.index.segments import Segment, hashes, live_counts, ranges
from quipu.index.sets import places_in
from quipu.index.stored import Mask, Often, Part, PostingList, Rows, StoredSegment

__all__ = ["Mask", "Often", "PostingList", "Postings", "Rows", "Statistics"]

_NO_TF = np.zeros(0, dtype=np.uint8)
_CACHE_BYTES = 64 << 20  # of lists of passages that are held

S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True, slots=True)
class _Rows:
    numbers: NDArray[np.int64]
    order_keys: NDArray[np.uint64]
    alive: Mask


@dataclass(frozen=True, slots=True)
class Statistics:
    """`lengths` uint32[rows]; over the live chunks that have the field, their number, mean and
    least length."""

    lengths: NDArray[np.uint32]
    count: int
    average: float
    shortest: int
    _norms: dict[tuple[float, float], NDArray[np.float64]] = field(
        default_factory=dict[tuple[float, float], NDArray[np.float64]]
    )

    def norms(self, k1: float, b: float) -> NDArray[np.float64]:
        """float64[rows]: what each row's length adds below BM25's fraction."""
        known = self._norms.get((k1, b))
        if known is None:
            known = bm25.norm(self.lengths.astype(np.float64), self.average or 1.0, k1, b)
            self._norms[k1, b] = known
        return known


class FirstPostings(NamedTuple):
    """`df` int64[terms]; the first postings of every term, one term after another: `counts`
    int64[terms] of them, their `rows` and `tf`."""

    df: NDArray[np.int64]
    counts: NDArray[np.int64]
    rows: Rows
    tf: NDArray[np.int32]


class Postings:
    """Every segment of one namespace. Rows count through all of them."""

    def __init__(self, blobs: PostingBlobs) -> None:
        self._blobs = blobs
        self.clear()

    def clear(self) -> None:
        """Drop everything that was read (after a rollback, for example)."""
        self._stored: dict[int, StoredSegment] = {}
        self._rejoin()

    def refresh(self) -> bool:
        """Take in what changed; whether rows moved or died."""
        died = False
        stored: dict[int, StoredSegment] = {}
        for head in self._blobs.segments():
            known = self._stored.get(head.segment)
            if known is None:
                known = StoredSegment(self._blobs, head)
            elif known.update(head):
                died = True
            stored[head.segment] = known
        changed = died or list(stored) != list(self._stored)
        self._stored = stored
        if changed:
            self._rejoin()
        return changed

    def _rejoin(self) -> None:
        """Rows moved or died: what was made of all segments is made again, of what was read."""
        sizes = [len(stored.numbers) for stored in self._stored.values()]
        self._bases = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).tolist()
        self._all: _Rows | None = None
        self._statistics: dict[str, Statistics] = {}
        self._lists: dict[tuple[str, str], PostingList] = {}
        self._cached = 0

    def _joined_rows(self) -> _Rows:
        if self._all is None:
            segments = list(self._stored.values())
            self._all = _Rows(
                _joined([s.numbers for s in segments], np.int64),
                _joined([s.order_keys for s in segments], np.uint64),
                _joined([s.alive for s in segments], np.bool_),
            )
        return self._all

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The number of each row, ascending; another array when rows have moved."""
        return self._joined_rows().numbers

    @property
    def order_keys(self) -> NDArray[np.uint64]:
        """What breaks ties between rows."""
        return self._joined_rows().order_keys

    @property
    def alive(self) -> Mask:
        """Which rows are live chunks; another array when one has died."""
        return self._joined_rows().alive

    def heads(self) -> list[SegmentHead]:
        """The stored segments."""
        return [s.head for s in self._stored.values()]

    def whole(self, segment: int) -> tuple[Segment, Mask]:
        """A segment with all its postings, and which of its rows are alive."""
        stored = self._stored[segment]
        return stored.whole(), stored.alive

    def alive_in(self, segment: int) -> Mask:
        """Which rows of a segment are alive."""
        return self._stored[segment].alive

    def segment_of(self, numbers: NDArray[np.int64]) -> dict[int, NDArray[np.intp]]:
        """The rows inside its segment of each of `numbers`, by segment."""
        rows, found = self.rows_of(numbers)
        rows = rows[found]
        owner = np.searchsorted(np.array(self._bases[1:]), rows, side="right")
        segments = list(self._stored)
        return {segments[i]: rows[owner == i] - self._bases[i] for i in np.unique(owner).tolist()}

    def rows_of(self, numbers: NDArray[np.int64]) -> tuple[Rows, Mask]:
        """The row of each number (0 when it is not live), and whether it is."""
        rows, found = places_in(self.numbers, numbers)
        if len(self.numbers):
            found &= self.alive[rows]
        return np.where(found, rows, 0), found

    def statistics(self, name: str) -> Statistics:
        """What BM25 needs to know of a field."""
        known = self._statistics.get(name)
        if known is None:
            each = [stored.live_lengths(name) for stored in self._stored.values()]
            count = sum(lengths.count for lengths in each)
            total = sum(lengths.total for lengths in each)
            lengths = _joined([lengths.rows for lengths in each], np.uint32)
            shortest = min((lengths.shortest for lengths in each if lengths.count), default=0)
            known = Statistics(lengths, count, total / count if count else 0.0, shortest)
            self._statistics[name] = known
        return known

    def lists(self, name: str, terms: Sequence[str]) -> list[PostingList]:
        """Each term's posting list, in the order asked; empty when it stands nowhere."""
        missing = [term for term in dict.fromkeys(terms) if (name, term) not in self._lists]
        if missing and self._cached > _CACHE_BYTES:
            keys = [(name, term) for term in terms]
            self._lists = {key: self._lists[key] for key in keys if key in self._lists}
            self._cached = sum(map(_size, self._lists.values()))
        for term, found in zip(missing, self._read(name, missing), strict=True):
            self._lists[name, term] = found
            self._cached += _size(found)
        return [self._lists[name, term] for term in terms]

    def _expect(self, name: str, high: NDArray[np.uint64]) -> None:
        """Fetch the buckets of these terms that are not held, of all segments at once."""
        wanted: list[tuple[int, int]] = []
        due: dict[int, tuple[Part, list[int], list[bytes]]] = {}
        for segment, stored in self._stored.items():
            part = stored.part(name)
            if part is not None and (lacking := part.lacking(high)):
                due[segment] = part, lacking, [] if part.is_bucketed else part.every()
                wanted += [(segment, bucket) for bucket in lacking if part.is_bucketed]
        for segment, blob in self._blobs.buckets(name, wanted) if wanted else ():
            due[segment][2].append(blob)
        for part, lacking, blobs in due.values():
            part.take(lacking, blobs)

    def _read(self, name: str, terms: list[str]) -> list[PostingList]:
        """The lists of all terms: each segment is asked for all of them, then each term's are
        joined."""
        if not terms:
            return []
        high, low = hashes(terms)
        rows: list[list[NDArray[np.uint32]]] = [[] for _ in terms]
        tf: list[list[Often]] = [[] for _ in terms]
        self._expect(name, high)
        for base, stored in zip(self._bases, self._stored.values(), strict=False):
            part = stored.part(name)
            if part is None:
                continue
            alive = stored.alive if stored.head.dead else None
            which, starts, ends = part.find(high, low)
            places: list[int] = which.tolist()
            for term, (here, often) in zip(places, part.each(starts, ends), strict=True):
                stands: Any = slice(None) if alive is None else alive[here]
                rows[term].append(np.add(here[stands], np.uint32(base), dtype=np.uint32))
                tf[term].append(often[stands])
        return [
            PostingList(_joined(each, np.uint32), np.concatenate([_NO_TF, *often]))
            for each, often in zip(rows, tf, strict=True)
        ]

    def first(
        self, name: str, terms: Sequence[str], limit: int, mask: Mask | None = None
    ) -> FirstPostings:
        """In how many rows that `mask` admits (None: all) each term stands, and the first `limit`
        of them."""
        high, low = hashes(terms)
        self._expect(name, high)
        df = np.zeros(len(terms), dtype=np.int64)
        owners: list[Rows] = [np.zeros(0, dtype=np.intp)]
        rows: list[Rows] = [np.zeros(0, dtype=np.intp)]
        tf: list[NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
        for base, stored in zip(self._bases, self._stored.values(), strict=False):
            part = stored.part(name)
            if part is None:
                continue
            which, starts, ends = part.find(high, low)
            if mask is None and not stored.head.dead:
                sizes = np.minimum(ends - starts, np.maximum(limit - df[which], 0))
                df[which] += ends - starts
                here, often = part.together(starts, starts + sizes)
                owner = np.repeat(which, sizes)
            else:
                here, often = part.together(starts, ends)
                owner = np.repeat(which, ends - starts)
                stands = stored.alive[here] if mask is None else mask[here.astype(np.intp) + base]
                here, often, owner = here[stands], often[stands], owner[stands]
                counts = np.bincount(owner, minlength=len(terms))
                early = _places(counts) + df[owner] < limit
                df += counts
                here, often, owner = here[early], often[early], owner[early]
            owners.append(owner)
            rows.append(here.astype(np.intp) + base)
            tf.append(often.astype(np.int32))
        owner = np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        return FirstPostings(
            df,
            np.bincount(owner, minlength=len(terms)),
            np.concatenate(rows)[order],
            np.concatenate(tf)[order],
        )

    def distinct(self, name: str) -> int:
        """How many different terms stand in live chunks."""
        high: list[NDArray[np.uint64]] = []
        low: list[NDArray[np.uint64]] = []
        for stored in self._stored.values():
            part = stored.part(name)
            if part is None:
                continue
            whole = part.everything()
            some = live_counts(whole.counts, stored.alive[whole.rows]) > 0
            high.append(whole.high[some])
            low.append(whole.low[some])
        joined = np.stack((_joined(high, np.uint64), _joined(low, np.uint64)))
        if not joined.shape[1]:
            return 0
        ordered = joined[:, np.lexsort(joined)]
        return 1 + int(np.count_nonzero((ordered[:, 1:] != ordered[:, :-1]).any(axis=0)))


def _joined(arrays: Sequence[NDArray[Any]], dtype: type[S]) -> NDArray[S]:
    if len(arrays) == 1:
        return arrays[0].astype(dtype, copy=False)
    return np.concatenate([np.zeros(0, dtype=dtype), *arrays]).astype(dtype, copy=False)


def _places(counts: NDArray[np.int64]) -> Rows:
    """The place of each posting among its term's, one term after another."""
    return ranges(np.zeros(len(counts), dtype=np.int64), counts)


def _size(each: PostingList) -> int:
    return 256 + each.rows.nbytes + each.tf.nbytes + 8 * len(each.rows)  # and what they gain

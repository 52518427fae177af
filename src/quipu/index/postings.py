"""Words and names of the live chunks, read from posting segments.

A reader keeps what it has read: the segments' rows, directories of terms, pages of postings, and
the posting lists of late. Callers say when the blobs may have changed (`refresh`) and hold a lock
and a read transaction around every call.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from quipu.index.blobs import (
    FieldHead,
    PostingBlobs,
    SegmentHead,
    unpack_alive,
    unpack_arrays,
    unpack_directory,
    unpack_page,
)
from quipu.index.segments import PAGE, FieldPart, Segment, hashes, live_counts

_CACHE_BYTES = 64 << 20

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
S = TypeVar("S", bound=np.generic)


@dataclass(slots=True)
class PostingList:
    """The rows a term stands in, ascending, with its frequencies; live chunks only."""

    rows: Rows
    tf: NDArray[np.uint32]
    gains: dict[tuple[float, float], NDArray[np.float64]] = field(
        default_factory=dict[tuple[float, float], NDArray[np.float64]]
    )

    def tf_at(self, rows: Rows) -> NDArray[np.uint32]:
        """The term's frequency in each of `rows`; 0 where it does not stand."""
        at, found = self.find(rows)
        return np.where(found, self.tf[at], np.uint32(0)) if len(self.tf) else _none(rows)

    def among(self, mask: Mask) -> "PostingList":
        """Only the rows that a mask admits."""
        admitted = mask[self.rows]
        return PostingList(self.rows[admitted], self.tf[admitted])

    def find(self, rows: Rows) -> tuple[Rows, Mask]:
        """Where each of `rows` is in the list (0 when it is not), and whether it is."""
        at = np.searchsorted(self.rows, rows)
        at[at == len(self.rows)] = 0
        if not len(self.rows):
            return at, np.zeros(len(rows), dtype=np.bool_)
        found = self.rows[at] == rows
        return at, found


def _none(rows: Rows) -> NDArray[np.uint32]:
    return np.zeros(len(rows), dtype=np.uint32)


class _Part:
    """One field of one stored segment; its postings come page by page, when asked for."""

    def __init__(self, blobs: PostingBlobs, segment: int, name: str, head: FieldHead) -> None:
        self._blobs, self._segment, self._name = blobs, segment, name
        self._widths = (head.row_width, head.tf_width)
        self.lengths = np.frombuffer(head.lengths, dtype="<u4")
        self.high, self.low, self.counts = unpack_directory(head.directory)
        self.starts = np.zeros(len(self.counts) + 1, dtype=np.int64)
        np.cumsum(self.counts, out=self.starts[1:])
        total = int(self.starts[-1])
        self._rows = np.empty(total, dtype=f"<u{head.row_width}")
        self._tf = np.empty(total, dtype=f"<u{head.tf_width}")
        self._there = np.zeros((total + PAGE - 1) // PAGE, dtype=np.bool_)

    def find(
        self, high: NDArray[np.uint64], low: NDArray[np.uint64]
    ) -> tuple[NDArray[np.intp], Rows, NDArray[np.uint32]]:
        """The postings of the terms that stand here, one after the other: the term's place, the
        row and the frequency."""
        if not len(self.high):
            none = np.zeros(0, dtype=np.intp)
            return none, none, np.zeros(0, dtype=np.uint32)
        at = np.searchsorted(self.high, high)
        at[at == len(self.high)] = 0
        which = np.flatnonzero((self.high[at] == high) & (self.low[at] == low))
        at = at[which]
        starts, ends = self.starts[at], self.starts[at + 1]
        self._fetch(starts, ends)
        if len(which) == 1:
            places: Any = slice(int(starts[0]), int(ends[0]))
        else:
            sizes = ends - starts
            places = np.arange(int(sizes.sum())) + np.repeat(
                starts - np.cumsum(sizes) + sizes, sizes
            )
        owner = np.repeat(which, ends - starts)
        return owner, self._rows[places].astype(np.intp), self._tf[places].astype(np.uint32)

    def _fetch(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        first, last = starts // PAGE, (ends - 1) // PAGE
        if self._there[first].all() and self._there[last].all() and (last - first < 2).all():
            return
        wanted = {
            page
            for begin, end in zip(first.tolist(), last.tolist(), strict=True)
            for page in range(begin, end + 1)
            if not self._there[page]
        }
        self._load(sorted(wanted))

    def _load(self, pages: Sequence[int]) -> None:
        blobs = self._blobs.pages(self._segment, self._name, pages) if pages else []
        for page, blob in zip(pages, blobs, strict=True):
            rows, tf = unpack_page(blob, *self._widths)
            begin = page * PAGE
            self._rows[begin : begin + len(rows)] = rows
            self._tf[begin : begin + len(tf)] = tf
            self._there[page] = True

    def everything(self) -> FieldPart:
        """The whole field, for merging and counting."""
        self._load(np.flatnonzero(~self._there).tolist())
        return FieldPart(self.lengths, self.high, self.low, self.counts, self._rows, self._tf)


class _Stored:
    """One stored segment and what has been read of it."""

    def __init__(self, blobs: PostingBlobs, head: SegmentHead) -> None:
        self._blobs = blobs
        self.head: SegmentHead = head
        self.numbers, self.order_keys = unpack_arrays(blobs.arrays(head.segment))
        self.alive = unpack_alive(blobs.dead(head.segment) if head.dead else b"", len(self.numbers))
        self._parts: dict[str, _Part | None] = {}

    def update(self, head: SegmentHead) -> bool:
        """Take in what has died since; whether anything had."""
        if head.dead == self.head.dead:
            return False
        self.head = head
        self.alive = unpack_alive(self._blobs.dead(head.segment), len(self.numbers))
        return True

    def part(self, name: str) -> _Part | None:
        if name not in self._parts:
            head = self._blobs.field(self.head.segment, name)
            made = None if head is None else _Part(self._blobs, self.head.segment, name, head)
            self._parts[name] = made
        return self._parts[name]

    def whole(self) -> Segment:
        parts = ((name, self.part(name)) for name in self._blobs.fields(self.head.segment))
        return Segment(
            self.numbers,
            self.order_keys,
            {name: part.everything() for name, part in parts if part is not None},
        )


@dataclass(frozen=True, slots=True)
class _Rows:
    numbers: NDArray[np.int64]
    order_keys: NDArray[np.uint64]
    alive: Mask


@dataclass(frozen=True, slots=True)
class Statistics:
    """`lengths` float64[rows]; over the live chunks that have the field, their number and mean
    length."""

    lengths: NDArray[np.float64]
    count: int
    average: float


class Postings:
    """Every segment of one namespace. Rows count through all of them."""

    def __init__(self, blobs: PostingBlobs) -> None:
        self._blobs = blobs
        self.clear()

    def clear(self) -> None:
        """Drop everything that was read (after a rollback, for example)."""
        self._stored: dict[int, _Stored] = {}
        self._rejoin()

    def refresh(self) -> bool:
        """Take in what changed; whether rows moved or died."""
        heads = self._blobs.segments()
        changed = len(heads) != len(self._stored)
        stored: dict[int, _Stored] = {}
        for head in heads:
            known = self._stored.get(head.segment)
            if known is None:
                known, changed = _Stored(self._blobs, head), True
            elif known.update(head):
                changed = True
            stored[head.segment] = known
        self._stored = stored
        if changed:
            self._rejoin()
        return changed

    def _rejoin(self) -> None:
        segments = list(self._stored.values())
        sizes = [len(s.numbers) for s in segments]
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
        rows = np.searchsorted(self.numbers, numbers)
        rows[rows == len(self.numbers)] = 0
        if not len(self.numbers):
            return rows, np.zeros(len(numbers), dtype=np.bool_)
        found = (self.numbers[rows] == numbers) & self.alive[rows]
        return np.where(found, rows, 0), found

    def statistics(self, name: str) -> Statistics:
        """What BM25 needs to know of a field."""
        known = self._statistics.get(name)
        if known is None:
            columns = [
                np.zeros(len(s.numbers), dtype=np.uint32) if part is None else part.lengths
                for s, part in ((s, s.part(name)) for s in self._stored.values())
            ]
            lengths = _joined(columns, np.uint32) * self.alive
            count = int(np.count_nonzero(lengths))
            total = int(lengths.sum(dtype=np.int64))
            known = Statistics(lengths.astype(np.float64), count, total / count if count else 0.0)
            self._statistics[name] = known
        return known

    def lists(self, name: str, terms: Sequence[str]) -> list[PostingList]:
        """Each term's posting list, in the order asked; empty when it stands nowhere."""
        missing = list(dict.fromkeys(t for t in terms if (name, t) not in self._lists))
        if missing:
            made = self._read(name, missing)
            if self._cached > _CACHE_BYTES:
                kept = {(name, t): self._lists[name, t] for t in terms if (name, t) in self._lists}
                self._lists, self._cached = kept, sum(map(_size, kept.values()))
            self._lists.update(((name, t), each) for t, each in zip(missing, made, strict=True))
            self._cached += sum(map(_size, made))
        return [self._lists[name, t] for t in terms]

    def _read(self, name: str, terms: list[str]) -> list[PostingList]:
        """The lists of all terms are read, filtered and joined as one array, then cut."""
        high, low = hashes(terms)
        rows: list[Rows] = []
        tf: list[NDArray[np.uint32]] = []
        owners: list[NDArray[np.intp]] = []
        for base, stored in zip(self._bases, self._stored.values(), strict=False):
            part = stored.part(name)
            if part is None:
                continue
            which, here, often = part.find(high, low)
            if stored.head.dead:
                stands = stored.alive[here]
                which, here, often = which[stands], here[stands], often[stands]
            owners.append(which)
            rows.append(here + base)
            tf.append(often)
        owner = _joined(owners, np.intp)
        every, often = _joined(rows, np.intp), _joined(tf, np.uint32)
        if len(owners) > 1:
            order = np.argsort(owner, kind="stable")
            every, often = every[order], often[order]
        ends = np.cumsum(np.bincount(owner, minlength=len(terms))).tolist()
        return [PostingList(every[i:j], often[i:j]) for i, j in pairwise((0, *ends))]

    def distinct(self, name: str) -> int:
        """How many different terms stand in live chunks."""
        high: list[NDArray[np.uint64]] = []
        low: list[NDArray[np.uint64]] = []
        for stored in self._stored.values():
            part = stored.part(name)
            if part is None:
                continue
            some = np.ones(len(part.high), dtype=np.bool_)
            if stored.head.dead:
                whole = part.everything()
                some = live_counts(whole.counts, stored.alive[whole.rows]) > 0
            high.append(part.high[some])
            low.append(part.low[some])
        joined = np.stack((_joined(high, np.uint64), _joined(low, np.uint64)))
        if not joined.shape[1]:
            return 0
        ordered = joined[:, np.lexsort(joined)]
        return 1 + int(np.count_nonzero((ordered[:, 1:] != ordered[:, :-1]).any(axis=0)))


def _joined(arrays: Sequence[NDArray[Any]], dtype: type[S]) -> NDArray[S]:
    if len(arrays) == 1:
        return arrays[0].astype(dtype, copy=False)
    return np.concatenate([np.zeros(0, dtype=dtype), *arrays]).astype(dtype, copy=False)


def _size(each: PostingList) -> int:
    return 256 + 20 * len(each.rows)

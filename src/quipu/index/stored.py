"""Stored posting segments, and what a reader has read of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from quipu.index.blobs import (
    FieldHead,
    Hashes,
    PostingBlobs,
    SegmentHead,
    bucket_of,
    is_bucketed,
    unpack_alive,
    unpack_arrays,
    unpack_bucket,
    unpack_directory,
    unpack_page,
)
from quipu.index.segments import PAGE, FieldPart, Segment, ranges
from quipu.index.sets import places_in

__all__ = ["BucketPart", "Mask", "Often", "Part", "PostingList", "Rows", "StoredSegment"]

_HELD_BYTES = 8 << 20  # of buckets of one field of a segment

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
Often = NDArray[np.unsignedinteger]


@dataclass(slots=True)
class PostingList:
    """The rows a term stands in, ascending, with its frequencies, as narrow as they are stored;
    live chunks only."""

    rows: NDArray[np.uint32]
    tf: Often
    gains: dict[tuple[float, float], NDArray[np.float64]] = field(
        default_factory=dict[tuple[float, float], NDArray[np.float64]]
    )

    def tf_at(self, rows: Rows) -> Often:
        """The term's frequency in each of `rows`; 0 where it does not stand."""
        at, found = self.find(rows)
        return self.tf[at] * found if len(self.tf) else np.zeros(len(rows), dtype=np.uint32)

    def among(self, mask: Mask) -> "PostingList":
        """Only the rows that a mask admits."""
        admitted = mask[self.rows]
        return PostingList(self.rows[admitted], self.tf[admitted])

    def find(self, rows: Rows) -> tuple[Rows, Mask]:
        """Where each of `rows` is in the list (0 when it is not), and whether it is."""
        return places_in(self.rows, rows.astype(np.uint32))


class Part:
    """One field of one stored segment; its postings come page by page, when asked for."""

    def __init__(self, blobs: PostingBlobs, segment: int, name: str, head: FieldHead) -> None:
        self._blobs, self._segment, self._name = blobs, segment, name
        self._widths = (head.row_width, head.tf_width)
        self.lengths = np.frombuffer(head.lengths, dtype="<u4")
        self.high, self.low, self.counts = unpack_directory(head.directory)
        total = int(self.counts.sum(dtype=np.int64))
        self.starts = np.zeros(len(self.counts) + 1, dtype=_place_type(total))
        np.cumsum(self.counts, out=self.starts[1:])
        self._total = total
        self.drop()

    def drop(self) -> None:
        """Hold no page any more; `page_bytes` counts the bytes of those that were read since."""
        self.page_bytes = 0
        self._rows = np.empty(self._total, dtype=f"<u{self._widths[0]}")
        self._tf = np.empty(self._total, dtype=f"<u{self._widths[1]}")
        self._there = np.zeros((self._total + PAGE - 1) // PAGE, dtype=np.bool_)

    def find(
        self, high: NDArray[np.uint64], low: NDArray[np.uint64]
    ) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64]]:
        """Which of the terms stand here, and where the postings of each begin and end."""
        which, at = self._places(high, low)
        return which, self.starts[at].astype(np.int64), self.starts[at + 1].astype(np.int64)

    def _places(self, high: NDArray[np.uint64], low: NDArray[np.uint64]) -> tuple[Rows, Rows]:
        """Which of the terms stand here, and where among its terms each does."""
        if not len(self.high):
            return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
        at = np.searchsorted(self.high, high)
        at[at == len(self.high)] = 0
        which = np.flatnonzero((self.high[at] == high) & (self.low[at] == low))
        return which, at[which]

    def terms(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The hashes of all terms of the field."""
        return self.high, self.low

    def each(
        self, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> list[tuple[NDArray[np.unsignedinteger], Often]]:
        """The rows and frequencies of every span of postings, which are not copied."""
        self._fetch(starts, ends)
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return [(self._rows[start:end], self._tf[start:end]) for start, end in spans]

    def together(
        self, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.unsignedinteger], Often]:
        """The rows and frequencies of all spans of postings, one after another."""
        some = ends > starts
        self._fetch(starts[some], ends[some])
        places = ranges(starts, ends - starts)
        return self._rows[places], self._tf[places]

    def _fetch(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        first, last = starts // PAGE, (ends - 1) // PAGE
        if self._there[first].all() and self._there[last].all() and (last - first < 2).all():
            return
        missing = {
            page
            for begin, end in zip(first.tolist(), last.tolist(), strict=True)
            for page in range(begin, end + 1)
            if not self._there[page]
        }
        self._load(sorted(missing))

    def _load(self, pages: Sequence[int]) -> None:
        blobs = self._blobs.pages(self._segment, self._name, pages) if pages else []
        for page, blob in zip(pages, blobs, strict=True):
            rows, tf = unpack_page(blob, *self._widths)
            begin = page * PAGE
            self._rows[begin : begin + len(rows)] = rows
            self._tf[begin : begin + len(tf)] = tf
            self._there[page] = True
            self.page_bytes += len(blob)

    def everything(self) -> FieldPart:
        """The whole field, for merging and counting."""
        self._load(np.flatnonzero(~self._there).tolist())
        return FieldPart(self.lengths, self.high, self.low, self.counts, self._rows, self._tf)


class BucketPart(Part):
    """A field whose buckets come when they are asked for, and are kept until it is dropped."""

    def __init__(self, blobs: PostingBlobs, segment: int, name: str, head: FieldHead) -> None:
        self._blobs, self._segment, self._name = blobs, segment, name
        self._widths = (head.row_width, head.tf_width)
        self._bits = head.directory[0]
        self.lengths = np.frombuffer(head.lengths, dtype="<u4")
        self.drop()

    def drop(self) -> None:
        """Hold no bucket any more; `page_bytes` counts the bytes of those that were read since."""
        self.page_bytes = 0
        self._known: set[int] = set()
        self.high = self.low = np.zeros(0, dtype=np.uint64)
        self._starts = self._ends = np.zeros(0, dtype=np.int64)
        self._rows = np.zeros(0, dtype=f"<u{self._widths[0]}")
        self._tf = np.zeros(0, dtype=f"<u{self._widths[1]}")

    def lacking(self, high: Hashes) -> list[int]:
        """The buckets of these terms that are not held."""
        return sorted(set(bucket_of(high, self._bits).tolist()) - self._known)

    def take(self, buckets: Iterable[int], blobs: Iterable[bytes]) -> None:
        """Hold these buckets from now on: `blobs` are those of them that are not empty."""
        self._known.update(buckets)
        held = [(self.high, self.low, self._starts, self._ends, self._rows, self._tf)]
        place = len(self._rows)
        for blob in blobs:
            found = unpack_bucket(blob, *self._widths)
            ends = place + np.cumsum(found.counts, dtype=np.int64)
            held.append((found.high, found.low, ends - found.counts, ends, found.rows, found.tf))
            place += len(found.rows)
            self.page_bytes += len(blob)
        high, low, starts, ends, self._rows, self._tf = map(np.concatenate, zip(*held, strict=True))
        order = np.lexsort((low, high))
        self.high, self.low = high[order], low[order]
        self._starts, self._ends = starts[order], ends[order]

    def find(self, high: Hashes, low: Hashes) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64]]:
        """Which of the terms stand here, and where the postings of each begin and end."""
        if lacking := self.lacking(high):
            wanted = [(self._segment, bucket) for bucket in lacking]
            self.take(lacking, (blob for _, blob in self._blobs.buckets(self._name, wanted)))
        which, at = self._places(high, low)
        return which, self._starts[at], self._ends[at]

    def _fetch(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        """What was found is held."""

    def everything(self) -> FieldPart:
        """The whole field, for merging and counting; nothing of it is held."""
        whole = BucketPart.__new__(BucketPart)
        whole._widths, whole._bits = self._widths, self._bits
        whole.drop()
        whole.take((), self._blobs.every_bucket(self._segment, self._name))
        counts = (whole._ends - whole._starts).astype(np.uint32)
        # Buckets come in order, and terms are in order in each: so are the postings.
        return FieldPart(self.lengths, whole.high, whole.low, counts, whole._rows, whole._tf)

    def terms(self) -> tuple[Hashes, Hashes]:
        """The hashes of all terms of the field."""
        whole = self.everything()
        return whole.high, whole.low


def _place_type(total: int) -> type[np.unsignedinteger]:
    """What counts up to `total` postings."""
    return np.uint32 if total <= np.iinfo(np.uint32).max else np.uint64


@dataclass(frozen=True, slots=True)
class Lengths:
    """`rows` uint32[n], 0 where a row is dead; how many are not 0, their sum and the least."""

    rows: NDArray[np.uint32]
    count: int
    total: int
    shortest: int


class StoredSegment:
    """One stored segment and what has been read of it."""

    def __init__(self, blobs: PostingBlobs, head: SegmentHead) -> None:
        self._blobs = blobs
        self.head: SegmentHead = head
        self.numbers, self.order_keys = unpack_arrays(blobs.arrays(head.segment))
        self.alive = unpack_alive(blobs.dead(head.segment) if head.dead else b"", len(self.numbers))
        self._parts: dict[str, Part | None] = {}
        self._live: dict[str, Lengths] = {}

    def live_lengths(self, name: str) -> "Lengths":
        """The lengths that a field has in the live rows."""
        known = self._live.get(name)
        if known is None:
            part = self.part(name)
            if part is None:
                known = Lengths(np.zeros(len(self.numbers), dtype=np.uint32), 0, 0, 0)
            else:
                live = part.lengths * self.alive
                some = live[live > 0]
                shortest = int(some.min()) if len(some) else 0
                known = Lengths(live, len(some), int(some.sum(dtype=np.int64)), shortest)
            self._live[name] = known
        return known

    def update(self, head: SegmentHead) -> bool:
        """Take in what has died since; whether anything had."""
        if head.dead == self.head.dead:
            return False
        self.head, self._live = head, {}
        self.alive = unpack_alive(self._blobs.dead(head.segment), len(self.numbers))
        return True

    def part(self, name: str) -> Part | None:
        if name not in self._parts:
            head = self._blobs.field(self.head.segment, name)
            made = BucketPart if head is not None and is_bucketed(head) else Part
            self._parts[name] = head and made(self._blobs, self.head.segment, name, head)
        return self._parts[name]

    def page_bytes(self) -> int:
        """The bytes of the pages of postings that were read."""
        return sum(part.page_bytes for part in self._parts.values() if part is not None)

    def drop(self) -> None:
        """Hold no page of postings any more."""
        for part in self._parts.values():
            if part is not None:
                part.drop()

    def bound(self) -> None:
        """Hold no more buckets of a field than are let be; what is asked for next is read anew."""
        for part in self._parts.values():
            if isinstance(part, BucketPart) and part.page_bytes > _HELD_BYTES:
                part.drop()

    def whole(self) -> Segment:
        parts = ((name, self.part(name)) for name in self._blobs.fields(self.head.segment))
        return Segment(
            self.numbers,
            self.order_keys,
            {name: part.everything() for name, part in parts if part is not None},
        )

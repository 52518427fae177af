"""Stored posting segments, and what a reader has read of them."""

from collections.abc import Iterable
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
    one_bucket,
    unpack_alive,
    unpack_arrays,
    unpack_bucket,
)
from quipu.index.segments import FieldPart, Segment, ranges
from quipu.index.sets import places_in

__all__ = ["Mask", "Often", "Part", "PostingList", "Rows", "StoredSegment"]

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
    """One field of one stored segment; its buckets come when they are asked for, and are kept until
    it is dropped."""

    def __init__(self, blobs: PostingBlobs, segment: int, name: str, head: FieldHead) -> None:
        self._blobs, self._segment, self._name, self._head = blobs, segment, name, head
        self._widths = (head.row_width, head.tf_width)
        self.is_bucketed = is_bucketed(head)
        self._bits = head.directory[0] if self.is_bucketed else 0
        self.lengths = np.frombuffer(head.lengths, dtype="<u4")
        self.drop()

    def drop(self) -> None:
        """Hold no bucket any more."""
        self._bytes = 0
        self._known: set[int] = set()
        self._high = self._low = np.zeros(0, dtype=np.uint64)
        self._starts = self._ends = np.zeros(0, dtype=np.int64)
        self._rows = np.zeros(0, dtype=f"<u{self._widths[0]}")
        self._tf = np.zeros(0, dtype=f"<u{self._widths[1]}")

    def lacking(self, high: Hashes) -> list[int]:
        """The buckets of these terms that are not held; none is any more where they were many, but
        for the only one of a field, all of which would be read again."""
        if self._bytes > _HELD_BYTES and self._bits:
            self.drop()
        return sorted(set(bucket_of(high, self._bits).tolist()) - self._known)

    def take(self, buckets: Iterable[int], blobs: Iterable[bytes]) -> None:
        """Hold these buckets from now on: `blobs` are those of them that are not empty."""
        self._known.update(buckets)
        held = [(self._high, self._low, self._starts, self._ends, self._rows, self._tf)]
        place = len(self._rows)
        for blob in blobs:
            found = unpack_bucket(blob, *self._widths)
            ends = place + np.cumsum(found.counts, dtype=np.int64)
            held.append((found.high, found.low, ends - found.counts, ends, found.rows, found.tf))
            place += len(found.rows)
            self._bytes += len(blob)
        high, low, starts, ends, self._rows, self._tf = map(np.concatenate, zip(*held, strict=True))
        order = np.argsort(high, kind="stable")  # those of one `high` are of one bucket, in order
        self._high, self._low = high[order], low[order]
        self._starts, self._ends = starts[order], ends[order]

    def find(self, high: Hashes, low: Hashes) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64]]:
        """Which of the terms, whose buckets are held, stand here, and where their postings begin
        and end."""
        if not len(self._high):
            none = np.zeros(0, dtype=np.int64)
            return np.zeros(0, dtype=np.intp), none, none
        at = np.searchsorted(self._high, high)
        at[at == len(self._high)] = 0
        which = np.flatnonzero((self._high[at] == high) & (self._low[at] == low))
        return which, self._starts[at[which]], self._ends[at[which]]

    def every(self) -> list[bytes]:
        """All buckets, in order."""
        stored = self._blobs.every_bucket(self._segment, self._name)
        return stored if self.is_bucketed else [one_bucket(self._head, stored)]

    def each(
        self, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> list[tuple[NDArray[np.unsignedinteger], Often]]:
        """The rows and frequencies of every span of postings, which are not copied."""
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return [(self._rows[start:end], self._tf[start:end]) for start, end in spans]

    def together(
        self, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.unsignedinteger], Often]:
        """The rows and frequencies of all spans of postings, one after another."""
        places = ranges(starts, ends - starts)
        return self._rows[places], self._tf[places]

    def everything(self) -> FieldPart:
        """The whole field, for merging and counting; nothing of it is held."""
        whole = Part(self._blobs, self._segment, self._name, self._head)
        whole.take((), self.every())
        counts = (whole._ends - whole._starts).astype(np.uint32)
        # Buckets come in order, and terms are in order in each: so are the postings.
        return FieldPart(self.lengths, whole._high, whole._low, counts, whole._rows, whole._tf)


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
            self._parts[name] = head and Part(self._blobs, self.head.segment, name, head)
        return self._parts[name]

    def whole(self) -> Segment:
        parts = ((name, self.part(name)) for name in self._blobs.fields(self.head.segment))
        return Segment(
            self.numbers,
            self.order_keys,
            {name: part.everything() for name, part in parts if part is not None},
        )

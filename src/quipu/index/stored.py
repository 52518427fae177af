"""Stored posting segments, and what a reader has read of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

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
from quipu.index.segments import PAGE, FieldPart, Segment
from quipu.index.sets import places_in

__all__ = ["Mask", "Part", "PostingList", "Rows", "StoredSegment"]

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]


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
        return places_in(self.rows, rows)


def _none(rows: Rows) -> NDArray[np.uint32]:
    return np.zeros(len(rows), dtype=np.uint32)


class Part:
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
        """The postings of the terms that stand here, one term after the other: how many of each of
        the terms, their rows and frequencies."""
        counts = np.zeros(len(high), dtype=np.intp)
        if not len(self.high):
            return counts, np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.uint32)
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
        counts[which] = ends - starts
        return counts, self._rows[places].astype(np.intp), self._tf[places].astype(np.uint32)

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

    def everything(self) -> FieldPart:
        """The whole field, for merging and counting."""
        self._load(np.flatnonzero(~self._there).tolist())
        return FieldPart(self.lengths, self.high, self.low, self.counts, self._rows, self._tf)


@dataclass(frozen=True, slots=True)
class Lengths:
    """`rows` uint32[n], 0 where a row is dead; how many are not 0, and their sum."""

    rows: NDArray[np.uint32]
    count: int
    total: int


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
                known = Lengths(np.zeros(len(self.numbers), dtype=np.uint32), 0, 0)
            else:
                live = part.lengths * self.alive
                count, total = int(np.count_nonzero(live)), int(live.sum(dtype=np.int64))
                known = Lengths(live, count, total)
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
            made = None if head is None else Part(self._blobs, self.head.segment, name, head)
            self._parts[name] = made
        return self._parts[name]

    def whole(self) -> Segment:
        parts = ((name, self.part(name)) for name in self._blobs.fields(self.head.segment))
        return Segment(
            self.numbers,
            self.order_keys,
            {name: part.everything() for name, part in parts if part is not None},
        )

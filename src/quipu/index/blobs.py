"""How a segment becomes blobs, and what a backend must keep for the indexes.

The postings of a field are kept in pages behind a directory of all its terms, or in *buckets*, of
which a reader on a server fetches those of its terms alone. Terms are 128-bit hashes, so their
first bits deal them out evenly and say which bucket a term is in. A bucket holds, of its terms, the
hashes and counts, then the rows and the frequencies of all their postings; the directory in the
head of such a field is one byte, how many bits number its buckets.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quipu.index.segments import PAGE, FieldPart, Segment

Hashes: TypeAlias = NDArray[np.uint64]

_BUCKET_BYTES = 4096
"""About so much is in a bucket."""

_TERM = 20  # bytes of a hash and a count
_MOST_BITS = 40


class SegmentHead(NamedTuple):
    """A stored segment: `size` rows, of which `dead` have left the indexes."""

    segment: int
    size: int
    dead: int


class FieldHead(NamedTuple):
    """A stored field of a segment: the bytes of a row number and of a frequency, and blobs."""

    row_width: int
    tf_width: int
    lengths: bytes
    directory: bytes


class PostingBlobs(Protocol):
    """What a backend keeps of one namespace's segments; ids only grow and are never reused."""

    def segments(self) -> list[SegmentHead]:
        """The segments, by id: which is the order of their numbers."""
        ...

    def arrays(self, segment: int) -> bytes:
        """The chunks' numbers and order keys."""
        ...

    def dead(self, segment: int) -> bytes:
        """The bitmap of the rows that have left; empty when none has."""
        ...

    def fields(self, segment: int) -> list[str]:
        """The names of the fields the segment has."""
        ...

    def field(self, segment: int, field: str) -> FieldHead | None:
        """A field's head, or None when the segment lacks it."""
        ...

    def pages(self, segment: int, field: str, pages: Sequence[int]) -> list[bytes]:
        """The given pages of a field's postings."""
        ...

    def buckets(self, field: str, wanted: Sequence[tuple[int, int]]) -> list[tuple[int, bytes]]:
        """Of the (segment, bucket) pairs of a field those that are not empty: segment and blob,
        the buckets of a segment in order."""
        ...

    def every_bucket(self, segment: int, field: str) -> list[bytes]:
        """The buckets of a field, in order."""
        ...


def pack_arrays(segment: Segment) -> bytes:
    """The chunks' numbers and order keys as one blob."""
    return segment.numbers.astype("<i8").tobytes() + segment.order_keys.astype("<u8").tobytes()


def unpack_arrays(blob: bytes) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The numbers and order keys of `pack_arrays`."""
    half = len(blob) // 2
    return (
        np.frombuffer(blob, dtype="<i8", count=half // 8),
        np.frombuffer(blob, dtype="<u8", offset=half),
    )


def pack_dead(alive: NDArray[np.bool_]) -> bytes:
    """The bitmap of the rows that are not alive."""
    return np.packbits(~alive, bitorder="little").tobytes()


def unpack_alive(blob: bytes, size: int) -> NDArray[np.bool_]:
    """Which of `size` rows are alive."""
    if not blob:
        return np.ones(size, dtype=np.bool_)
    bits = np.frombuffer(blob, dtype=np.uint8)
    return ~np.unpackbits(bits, count=size, bitorder="little").astype(np.bool_)


def pack_head(part: FieldPart) -> FieldHead:
    """A field's head as blobs."""
    directory = _pack_directory(part.high, part.low, part.counts)
    return FieldHead(
        part.rows.dtype.itemsize,
        part.tf.dtype.itemsize,
        part.lengths.astype("<u4").tobytes(),
        directory,
    )


def _pack_directory(high: Hashes, low: Hashes, counts: NDArray[np.uint32]) -> bytes:
    arrays = high.astype("<u8"), low.astype("<u8"), counts.astype("<u4")
    return b"".join(each.tobytes() for each in arrays)


def unpack_directory(
    blob: bytes,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32]]:
    """The terms' hashes and counts of a head's directory."""
    terms = len(blob) // 20
    return (
        np.frombuffer(blob, dtype="<u8", count=terms),
        np.frombuffer(blob, dtype="<u8", count=terms, offset=8 * terms),
        np.frombuffer(blob, dtype="<u4", count=terms, offset=16 * terms),
    )


def pack_pages(part: FieldPart) -> Iterator[tuple[int, bytes]]:
    """The field's postings as numbered pages: rows, then frequencies."""
    for page, start in enumerate(range(0, len(part.rows), PAGE)):
        rows, tf = part.rows[start : start + PAGE], part.tf[start : start + PAGE]
        yield page, rows.tobytes() + tf.tobytes()


def unpack_page(
    blob: bytes, row_width: int, tf_width: int
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger]]:
    """The rows and frequencies of one page."""
    size = len(blob) // (row_width + tf_width)
    return (
        np.frombuffer(blob, dtype=f"<u{row_width}", count=size),
        np.frombuffer(blob, dtype=f"<u{tf_width}", offset=size * row_width),
    )


def is_bucketed(head: FieldHead) -> bool:
    """Whether the field is kept in buckets; a directory has twenty bytes a term."""
    return len(head.directory) == 1


def pack_buckets(part: FieldPart) -> tuple[FieldHead, list[tuple[int, bytes]]]:
    """The head of a field and its buckets by number, without those that are empty."""
    head = pack_head(part)
    posting = head.row_width + head.tf_width
    size = _TERM * len(part.high) + posting * len(part.rows)
    bits = min(max(size // _BUCKET_BYTES, 1).bit_length() - 1, _MOST_BITS)
    numbers = bucket_of(part.high, bits)
    firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
    ends = np.append(firsts[1:], len(numbers))
    places = np.concatenate(([0], np.cumsum(part.counts, dtype=np.int64)))
    packed: list[tuple[int, bytes]] = []
    for number, first, end in zip(
        numbers[firsts].tolist(), firsts.tolist(), ends.tolist(), strict=True
    ):
        terms, postings = slice(first, end), slice(int(places[first]), int(places[end]))
        directory = _pack_directory(part.high[terms], part.low[terms], part.counts[terms])
        rows, tf = part.rows[postings].tobytes(), part.tf[postings].tobytes()
        packed.append((number, struct.pack("<I", end - first) + directory + rows + tf))
    return head._replace(directory=bytes([bits])), packed


def bucket_of(high: Hashes, bits: int) -> NDArray[np.int64]:
    """The bucket of each term, where `bits` number the buckets."""
    if not bits:
        return np.zeros(len(high), dtype=np.int64)
    return (high >> np.uint64(64 - bits)).astype(np.int64)


class Bucket(NamedTuple):
    """Terms with their counts, and their postings one term after another."""

    high: Hashes
    low: Hashes
    counts: NDArray[np.uint32]
    rows: NDArray[np.unsignedinteger]
    tf: NDArray[np.unsignedinteger]


def unpack_bucket(blob: bytes, row_width: int, tf_width: int) -> Bucket:
    """A bucket of `pack_buckets`."""
    (terms,) = struct.unpack_from("<I", blob)
    end = 4 + _TERM * terms
    return Bucket(*unpack_directory(blob[4:end]), *unpack_page(blob[end:], row_width, tf_width))

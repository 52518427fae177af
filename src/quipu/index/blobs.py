"""How a segment becomes blobs, and what a backend must keep for the indexes.

The postings of a field are kept in *buckets*, of which a reader fetches those of its terms alone.
Terms are 128-bit hashes, so their first bits deal them out evenly and say which bucket a term is
in. A bucket holds, of its terms, the hashes and counts, then the rows and the frequencies of all
their postings; the directory in the head of a field is one byte, how many bits number its buckets.
0.1.0 kept a directory of all terms, with twenty bytes a term, and pages of postings.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quipu.index.segments import FieldPart, Segment

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


def _pack_directory(high: Hashes, low: Hashes, counts: NDArray[np.uint32]) -> bytes:
    arrays = high.astype("<u8"), low.astype("<u8"), counts.astype("<u4")
    return b"".join(each.tobytes() for each in arrays)


def is_bucketed(head: FieldHead) -> bool:
    """Whether the field is kept in buckets."""
    return len(head.directory) == 1


def one_bucket(head: FieldHead, pages: Iterable[bytes]) -> bytes:
    """The only bucket of a field as 0.1.0 kept it: its directory, and its pages in order."""
    posting = head.row_width + head.tf_width
    cuts = [(page, len(page) // posting * head.row_width) for page in pages]
    postings = [page[:cut] for page, cut in cuts] + [page[cut:] for page, cut in cuts]
    terms = struct.pack("<I", len(head.directory) // _TERM)
    return b"".join((terms, head.directory, *postings))


def pack_buckets(part: FieldPart) -> tuple[FieldHead, list[tuple[int, bytes]]]:
    """The head of a field and its buckets by number, without those that are empty."""
    posting = part.rows.dtype.itemsize + part.tf.dtype.itemsize
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
    lengths = part.lengths.astype("<u4").tobytes()
    widths = part.rows.dtype.itemsize, part.tf.dtype.itemsize
    return FieldHead(*widths, lengths, bytes([bits])), packed


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
    size = (len(blob) - end) // (row_width + tf_width)
    return Bucket(
        np.frombuffer(blob, dtype="<u8", count=terms, offset=4),
        np.frombuffer(blob, dtype="<u8", count=terms, offset=4 + 8 * terms),
        np.frombuffer(blob, dtype="<u4", count=terms, offset=4 + 16 * terms),
        np.frombuffer(blob, dtype=f"<u{row_width}", count=size, offset=end),
        np.frombuffer(blob, dtype=f"<u{tf_width}", offset=end + size * row_width),
    )

"""How a segment becomes blobs, and what a backend must keep for the indexes."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quipu.index.segments import PAGE, FieldPart, Segment


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
    directory = b"".join(
        (
            part.high.astype("<u8").tobytes(),
            part.low.astype("<u8").tobytes(),
            part.counts.astype("<u4").tobytes(),
        )
    )
    return FieldHead(
        part.rows.dtype.itemsize,
        part.tf.dtype.itemsize,
        part.lengths.astype("<u4").tobytes(),
        directory,
    )


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

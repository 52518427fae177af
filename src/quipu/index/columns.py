"""What a chunk keeps beside its postings: where its content words and its names stand.

Packed at write time into one blob that stores carry and never read, so that ranking needs no
text. Words are kept as hashes of their first five letters, which is how a question's words are
compared with those around a name; 32 bits leave a false match about once in 10^7 pairs.
"""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Columns", "pack", "prefix_hash", "tail", "unpack"]


@dataclass(frozen=True, slots=True)
class Columns:
    """`positions` uint32[w] and `hashes` uint32[w] of content words; `starts`, `ends` uint32[m]
    and `keys` of names, by (start, end, key)."""

    positions: NDArray[np.uint32]
    hashes: NDArray[np.uint32]
    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    keys: tuple[str, ...]


@lru_cache(maxsize=1 << 17)
def prefix_hash(word: str) -> int:
    """A 32-bit hash of the first five letters of a folded word."""
    return zlib.crc32(word[:5].encode("utf-8", "surrogatepass"))


def pack(
    words: Sequence[tuple[int, str]], mentions: Sequence[tuple[str, int, int]], tail: bytes = b""
) -> bytes:
    """Content words as (position, word) and mentions as (key, start, end), in 8 bytes a word and
    8 bytes and its key a mention; then a profile's own `tail`, after a zero."""
    positions, written = zip(*words, strict=True) if words else ((), ())
    names, starts, ends = zip(*mentions, strict=True) if mentions else ((), (), ())
    hashed = map(prefix_hash, written)
    numbers = (len(words), len(mentions), *positions, *hashed, *starts, *ends)
    keys = "\n".join(names).encode("utf-8", "surrogatepass")
    packed = struct.pack(f"<{len(numbers)}I", *numbers) + keys
    return packed + b"\0" + tail if tail else packed


def unpack(blob: bytes) -> Columns:
    """What `pack` packed; a chunk without columns has no words and no names."""
    if not blob:
        empty = np.empty(0, dtype=np.uint32)
        return Columns(empty, empty, empty, empty, ())
    words, mentions = (int(n) for n in np.frombuffer(blob, dtype="<u4", count=2))
    numbers = np.frombuffer(blob, dtype="<u4", count=2 * (words + mentions), offset=8)
    keys = blob[8 + numbers.nbytes :].partition(b"\0")[0].decode("utf-8", "surrogatepass")
    return Columns(
        positions=numbers[:words],
        hashes=numbers[words : 2 * words],
        starts=numbers[2 * words : 2 * words + mentions],
        ends=numbers[2 * words + mentions :],
        keys=tuple(keys.split("\n")) if mentions else (),
    )


def tail(blob: bytes) -> bytes:
    """The tail that `pack` was given; empty without one."""
    if not blob:
        return b""
    words, mentions = (int(n) for n in np.frombuffer(blob, dtype="<u4", count=2))
    zero = blob.find(b"\0", 8 + 8 * (words + mentions))
    return b"" if zero < 0 else blob[zero + 1 :]

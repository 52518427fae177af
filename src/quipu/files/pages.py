"""Every page of a SQLite file with checksums, verified one by one, those in nobody's use too.

The checksum is SQLite's (`cksumvfs`): over 32-bit words a, b in turn, s1 += a + s2; s2 += b + s1.
Unrolled, a word counts as often as a Fibonacci number says, so many pages are verified at once.
"""

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quipu.files.checked import RESERVED

__all__ = ["damaged_pages", "log_is_whole", "logged_pages", "page_size"]

_AT_A_TIME = 512
_HEAD, _FRAME = 32, 24
_READINGS, _MOMENT_S = 3, 0.1
_MAGIC = {0x377F0682: "<u4", 0x377F0683: ">u4"}

Words = NDArray[np.uint32]


def page_size(head: bytes) -> int:
    """Of the file that begins with `head`; 0 when that is no SQLite file."""
    size = int.from_bytes(head[16:18], "big")
    size = 65536 if size == 1 else size
    whole = head[:16] == b"SQLite format 3\0" and size >= 512 and not size & (size - 1)
    return size if whole else 0


def damaged_pages(path: Path, size: int) -> list[int]:
    """The pages (from 1) that are not as they were written; a last one that is cut is one."""
    return [page for page in _suspects(path, size) if not _is_whole(path, size, page)]


def _suspects(path: Path, size: int) -> Iterator[int]:
    with path.open("rb") as stream:
        first = 1
        while data := stream.read(size * _AT_A_TIME):
            count = len(data) // size
            pages = np.frombuffer(data, dtype="<u4", count=count * size // 4).reshape(count, -1)
            for bad in np.flatnonzero(~_verified(pages)):
                yield first + int(bad)
            if len(data) % size:
                yield first + count
            first += count


def _is_whole(path: Path, size: int, page: int) -> bool:
    """Read again: somebody may have been writing it."""
    with path.open("rb") as stream:
        stream.seek((page - 1) * size)
        data = stream.read(size)
    return len(data) == size and bool(_verified(np.frombuffer(data, dtype="<u4")[None])[0])


def _verified(pages: Words) -> NDArray[np.bool_]:
    found = sums(pages[:, : -RESERVED // 4])
    return (found == pages[:, -RESERVED // 4 :]).all(axis=1)


def sums(rows: Words) -> Words:
    """uint32[n, 2]: s1 and s2 after each row of words uint32[n, even], from zero."""
    one, two = _weights(rows.shape[1])
    with np.errstate(over="ignore"):
        return np.stack([rows @ one, rows @ two], axis=1).astype(np.uint32)


@cache
def _weights(words: int) -> tuple[Words, Words]:
    """How often each word counts in s1 and in s2."""
    ones, twos = [0] * words, [0] * words
    a1, a2, b1, b2 = 1, 1, 0, 1  # what the last pair a, b adds to s1 and s2
    for at in range(words - 2, -1, -2):
        ones[at], twos[at], ones[at + 1], twos[at + 1] = a1, a2, b1, b2
        a1, a2 = _after_pair(a1, a2)
        b1, b2 = _after_pair(b1, b2)
    return np.array(ones, dtype=np.uint32), np.array(twos, dtype=np.uint32)


def _after_pair(s1: int, s2: int) -> tuple[int, int]:
    return (s1 + s2) & 0xFFFFFFFF, (s1 + 2 * s2) & 0xFFFFFFFF


def log_is_whole(path: Path) -> bool:
    """Whether a write-ahead log holds no commit beyond a frame that is not as it was written;
    SQLite would read no further than that frame, and say nothing. https://sqlite.org/walformat.html

    A frame is written in two steps, so one that another process is writing now looks damaged for
    a moment: what is no damage is whole when it is read again.
    """
    for again in range(_READINGS):
        if again:
            time.sleep(_MOMENT_S)
        if _is_whole_now(path):
            return True
    return False


def _is_whole_now(path: Path) -> bool:
    data = path.read_bytes() if path.is_file() else b""
    order = _MAGIC.get(int.from_bytes(data[:4], "big"))
    if len(data) < _HEAD or order is None:
        return not data.strip(b"\0")
    size, frames = _frames(data)
    words = np.ascontiguousarray(np.delete(frames, slice(8, 24), axis=1)).view(order)
    added = sums(words.astype(np.uint32))
    kept = frames[:, 16:24].copy().view(">u4")
    state = sums(np.frombuffer(data[:24], dtype=order).astype(np.uint32)[None])[0]
    if (state != np.frombuffer(data[24:32], dtype=">u4")).any():
        return False
    s1, s2 = map(int, state)
    (a1, a2), (b1, b2) = (_after_frame(first, size) for first in ((1, 0), (0, 1)))
    for at in range(len(frames)):
        s1, s2 = (
            (s1 * a1 + s2 * b1 + int(added[at, 0])) & 0xFFFFFFFF,
            (s1 * a2 + s2 * b2 + int(added[at, 1])) & 0xFFFFFFFF,
        )
        if (s1, s2) != (int(kept[at, 0]), int(kept[at, 1])):
            return not frames[at:, 4:8].any()
    return True


def logged_pages(path: Path) -> frozenset[int]:
    """The pages whose present content stands in a write-ahead log that is whole: what the database
    holds of them counts no more. A checkpoint that ended inside one leaves it half put."""
    data = path.read_bytes() if path.is_file() else b""
    if len(data) < _HEAD or int.from_bytes(data[:4], "big") not in _MAGIC:
        return frozenset()
    _, frames = _frames(data)
    commits = np.flatnonzero(frames[:, 4:8].any(axis=1))
    numbers = frames[: commits[-1] + 1 if len(commits) else 0, :4].copy().view(">u4")
    return frozenset(int(page) for page in numbers.ravel())


def _frames(data: bytes) -> tuple[int, NDArray[np.uint8]]:
    """The size of a page, and the frames of a log since it was last begun anew, a row a frame."""
    size, salt = int.from_bytes(data[8:12], "big"), data[16:24]
    count = (len(data) - _HEAD) // (_FRAME + size)
    frames = np.frombuffer(data, dtype=np.uint8, offset=_HEAD, count=count * (_FRAME + size))
    frames = frames.reshape(count, _FRAME + size)
    others = np.flatnonzero((frames[:, 8:16] != np.frombuffer(salt, dtype=np.uint8)).any(axis=1))
    return size, frames[: others[0]] if len(others) else frames


def _after_frame(state: tuple[int, int], size: int) -> tuple[int, int]:
    """What a frame of zeros with a page of `size` bytes makes of the sums."""
    for _ in range((8 + size) // 8):
        state = _after_pair(*state)
    return state

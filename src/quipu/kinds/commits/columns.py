"""What a commit keeps beside its postings: when, which files, which commits it cites.

The end of its packed columns, so that a whole history is ranked without reading a message. Files,
commits and repositories stand as 64 bits of a hash.
"""

import hashlib
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["commit_hash", "file_hash", "pack_commit", "read_commits"]

COMMIT = np.dtype(
    [
        ("repository", "<u8"),
        ("sha", "<u8"),
        ("time", "<f8"),
        ("words", "<u4"),
        ("title_words", "<u4"),
        ("path_words", "<u4"),
        ("touched", "<u4"),
        ("files", "<u2"),
        ("cites", "<u2"),
        ("fixes", "<u2"),
        ("spare", "u2"),
    ]
)
"""`touched` counts every file, `files` those whose hashes are kept; lengths count terms.
`title_words` and `fixes` are of older stores."""

_HEAD = struct.Struct("<QQdIIIIHHHH")
"""The same as one row of COMMIT: a struct is packed in a tenth of the time."""


class PackedCommits(NamedTuple):
    """`heads` (dtype COMMIT), a row a commit; `files` and `cites` uint64, those of all commits
    one after another."""

    heads: NDArray[np.void]
    files: NDArray[np.uint64]
    cites: NDArray[np.uint64]


@lru_cache(maxsize=65536)
def file_hash(path: str) -> int:
    """64 bits that stand for a path, a repository's name or anything else that is compared."""
    data = path.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def commit_hash(sha: str) -> int:
    """64 bits that stand for a commit."""
    return file_hash(f"commit {sha}")


def pack_commit(
    *,
    repository: str,
    sha: str,
    time: float,
    words: int,
    path_words: int,
    files: Sequence[str],
    touched: int,
    cites: Sequence[str],
) -> bytes:
    """Return the end of one commit's columns; `time` is in seconds since 1970."""
    named = sorted({file_hash(path) for path in files})
    cited = sorted({commit_hash(each) for each in cites})
    numbers = (words, 0, path_words, touched, len(named), len(cited), 0, 0)
    head = _HEAD.pack(file_hash(repository), commit_hash(sha), time, *numbers)
    return struct.pack(f"<{len(named) + len(cited)}Q", *named, *cited) + head


def read_commits(blobs: Sequence[bytes]) -> PackedCommits:
    """The ends of packed columns."""
    size = COMMIT.itemsize
    heads = np.frombuffer(b"".join([blob[-size:] for blob in blobs]), dtype=COMMIT)
    counts = (heads["files"].astype(np.int64) + heads["cites"]).tolist()
    tails = [blob[-size - 8 * n : -size] for blob, n in zip(blobs, counts, strict=True)]
    values = np.frombuffer(b"".join(tails), dtype="<u8")
    is_file = np.repeat(
        np.tile([True, False], len(heads)),
        np.stack([heads["files"], heads["cites"]], axis=1).ravel().astype(np.int64),
    )
    return PackedCommits(heads, values[is_file], values[~is_file])

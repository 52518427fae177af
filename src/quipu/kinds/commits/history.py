"""Histories as arrays: every live commit of a store, in the order of time, without its text.

What a commit keeps beside its postings (when, which files, which commits it cites) is the end of
its packed columns; files, commits and repositories stand as 64 bits of a hash. It is read once and
kept until the store changes. What was known at a moment is the rows before it: nothing that came
later is looked at.
"""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from quipu.ports import Index, Numbers, Planner

__all__ = [
    "ALL",
    "EVERY",
    "LISTING",
    "CommitHistory",
    "TermPostings",
    "commit_hash",
    "file_hash",
    "histories",
    "pack_commit",
    "read_commits",
]

LISTING, EVERY = "commit-of", "*"
ALL = 2**62
_LENGTHS = {"commit": "words", "commit-path": "path_words"}

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


Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


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


class TermPostings(NamedTuple):
    """Where a term stands, rows ascending, and how often."""

    rows: Rows
    tf: Floats


@dataclass(frozen=True, slots=True)
class CommitHistory:
    """The commits of one repository by (time, number); a row a commit.

    `lengths` and `totals` are by field: terms of each commit, and of all up to it. `files` are the
    hashes of the kept files of all commits one after another, `touching` the row of each, `starts`
    where those of each commit begin. `citing`
    and `cited` are rows, by `citing`: only citations of what came before. `places` are the rows of
    chunks by their number, -1 for what is no commit of this history.
    """

    numbers: Numbers
    times: Floats
    lengths: dict[str, Floats]
    totals: dict[str, Floats]
    touched: Floats
    files: NDArray[np.uint64]
    touching: Rows
    starts: Rows
    citing: Rows
    cited: Rows
    places: Rows

    def known_before(self, moment: float) -> int:
        """Return how many commits stood before `moment` (seconds since 1970)."""
        return int(np.searchsorted(self.times, moment, side="left"))

    def postings(
        self, index: Index, field: str, terms: list[str], known: int
    ) -> dict[str, TermPostings]:
        """Return where each term stands among the first `known` commits; absent where nowhere."""
        found: dict[str, TermPostings] = {}
        for term, (_, numbers, tf) in index.occurrences(field, terms, limit=ALL).items():
            rows = self.rows_of(numbers)
            order = np.argsort(rows, kind="stable")
            order = order[(rows[order] >= 0) & (rows[order] < known)]
            if len(order):
                found[term] = TermPostings(rows[order], tf[order].astype(np.float64))
        return found

    def rows_of(self, numbers: Numbers) -> Rows:
        """Return the row of each chunk; -1 where it is no commit of this history."""
        inside = numbers < len(self.places)
        rows = np.full(len(numbers), -1, dtype=np.intp)
        rows[inside] = self.places[numbers[inside]]
        return rows

    def files_of(self, row: int) -> NDArray[np.uint64]:
        """Return the kept files of a commit."""
        return self.files[self.starts[row] : self.starts[row + 1]]

    def rows_with(self, file: int, known: int) -> Rows:
        """Return the commits among the first `known` that touch a file, ascending."""
        rows = self.touching[self.files == file]
        return rows[: np.searchsorted(rows, known)]


_lock = Lock()
_known: WeakKeyDictionary[Planner, tuple[int, tuple[CommitHistory, ...]]] = WeakKeyDictionary()


def histories(planner: Planner) -> tuple[CommitHistory, ...]:
    """Return the histories of a store, by the hash of their repository's name; () without any."""
    sequence = planner.sequence()
    with _lock:
        known = _known.get(planner)
    if known is None or known[0] != sequence:
        known = sequence, _read(planner)
        with _lock:
            _known[planner] = known
    return known[1]


def _read(index: Index) -> tuple[CommitHistory, ...]:
    numbers = index.occurrences(LISTING, [EVERY], limit=ALL)[EVERY].numbers
    if not len(numbers):
        return ()
    packed = read_commits(index.columns(numbers))
    order = np.lexsort((numbers, packed.heads["time"], packed.heads["repository"]))
    repositories = packed.heads["repository"][order]
    starts = np.unique(repositories, return_index=True)[1]
    return tuple(_history(numbers, packed, own) for own in np.split(order, starts[1:]))


def _history(numbers: Numbers, packed: PackedCommits, own: Rows) -> CommitHistory:
    """The history of the commits that stand in the rows `own`, in order."""
    heads, chunks = packed.heads[own], numbers[own]
    places = np.full(int(chunks.max()) + 1, -1, dtype=np.intp)
    places[chunks] = np.arange(len(own))
    lengths = {field: heads[name].astype(np.float64) for field, name in _LENGTHS.items()}
    touching, files = _of_each(own, packed.heads["files"], packed.files)
    citing, cited = _citations(heads["sha"], *_of_each(own, packed.heads["cites"], packed.cites))
    return CommitHistory(
        numbers=chunks,
        times=heads["time"].astype(np.float64),
        lengths=lengths,
        totals={field: np.cumsum(values) for field, values in lengths.items()},
        touched=heads["touched"].astype(np.float64),
        files=files,
        touching=touching,
        starts=np.searchsorted(touching, np.arange(len(own) + 1)),
        citing=citing,
        cited=cited,
        places=places,
    )


def _of_each(
    own: Rows, counts: NDArray[np.uint16], values: NDArray[np.uint64]
) -> tuple[Rows, NDArray[np.uint64]]:
    """The values of the rows `own`, in their order, each after the place of its row; all rows have
    `counts` of `values`, one after another."""
    place = np.full(len(counts), -1, dtype=np.intp)
    place[own] = np.arange(len(own))
    at = np.repeat(place, counts)
    order = np.argsort(at, kind="stable")[np.count_nonzero(at < 0) :]
    return at[order], values[order]


def _citations(
    shas: NDArray[np.uint64], citing: Rows, hashes: NDArray[np.uint64]
) -> tuple[Rows, Rows]:
    """Pairs (citing, cited) of rows, the cited one earlier."""
    order = np.argsort(shas, kind="stable")
    at = np.searchsorted(shas[order], hashes)
    cited = order[np.minimum(at, len(order) - 1)]
    sound = (shas[cited] == hashes) & (cited < citing)
    return citing[sound], cited[sound]

"""Histories as arrays: every live commit of a store, in the order of time, without its text.

Read once from the commits' columns and kept until the store changes. What was known at a moment
is the rows before it: nothing that came later is looked at.
"""

from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.commits.columns import read_commits
from quipu.ports import Index, Numbers, Planner

__all__ = ["CommitHistory", "TermPostings", "histories"]

FIELDS = ("commit", "commit-title", "commit-path")
LISTING, EVERY = "commit-of", "*"
_ALL = 2**62
_LENGTHS = dict(zip(FIELDS, ("words", "title_words", "path_words"), strict=True))

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class TermPostings(NamedTuple):
    """Where a term stands, rows ascending, and how often."""

    rows: Rows
    tf: Floats


@dataclass(frozen=True, slots=True)
class CommitHistory:
    """The commits of one repository by (time, number); a row a commit.

    `lengths` and `totals` are by field: terms of each commit, and of all up to it. `files` are
    the kept files of all commits one after another, as small integers, `file_starts` where each
    commit's begin; `file_rows` and `row_starts` the same by file. `citing` and `cited` are rows,
    by `citing`: only citations of what came before.
    """

    repository: int
    numbers: Numbers
    times: Floats
    lengths: dict[str, Floats]
    totals: dict[str, Floats]
    touched: Floats
    file_hashes: NDArray[np.uint64]
    files: Rows
    file_starts: Rows
    file_rows: Rows
    row_starts: Rows
    citing: Rows
    cited: Rows
    places: Rows
    in_order: bool

    def known_before(self, moment: float | None) -> int:
        """How many commits stood before `moment` (seconds since 1970; None: all)."""
        if moment is None:
            return len(self.times)
        return int(np.searchsorted(self.times, moment, side="left"))

    def postings(
        self, index: Index, field: str, terms: list[str], known: int
    ) -> dict[str, TermPostings]:
        """Where each term stands among the first `known` commits; absent where nowhere."""
        found: dict[str, TermPostings] = {}
        for term, (_, numbers, tf) in index.occurrences(field, terms, limit=_ALL).items():
            rows = self.rows_of(numbers)
            often = tf.astype(np.float64)
            if not self.in_order or (len(rows) and rows.min() < 0):
                order = np.argsort(rows, kind="stable")
                order = order[rows[order] >= 0]
                rows, often = rows[order], often[order]
            end = int(np.searchsorted(rows, known))
            if end:
                found[term] = TermPostings(rows[:end], often[:end])
        return found

    def rows_of(self, numbers: Numbers) -> Rows:
        """The row of each chunk; -1 where it is no commit of this history."""
        inside = numbers < len(self.places)
        rows = np.full(len(numbers), -1, dtype=np.intp)
        rows[inside] = self.places[numbers[inside]]
        return rows

    def rows_with(self, file: int, known: int) -> Rows:
        """The commits among the first `known` that touch a file, ascending."""
        rows = self.file_rows[self.row_starts[file] : self.row_starts[file + 1]]
        return rows[: np.searchsorted(rows, known)]

    def files_of(self, row: int) -> Rows:
        """The kept files of a commit."""
        return self.files[self.file_starts[row] : self.file_starts[row + 1]]

    def file_numbers(self, hashes: NDArray[np.uint64]) -> Rows:
        """The small integers of files, -1 for one that no commit touched."""
        at = np.searchsorted(self.file_hashes, hashes)
        at[at == len(self.file_hashes)] = 0
        if not len(self.file_hashes):
            return np.full(len(hashes), -1, dtype=np.intp)
        return np.where(self.file_hashes[at] == hashes, at, -1)


_lock = Lock()
_known: WeakKeyDictionary[Planner, tuple[int, tuple[CommitHistory, ...]]] = WeakKeyDictionary()


def histories(planner: Planner) -> tuple[CommitHistory, ...]:
    """The histories of a store, by the hash of their repository's name; () without commits."""
    sequence = planner.sequence()
    with _lock:
        known = _known.get(planner)
    if known is None or known[0] != sequence:
        known = sequence, _read(planner)
        with _lock:
            _known[planner] = known
    return known[1]


def _read(index: Index) -> tuple[CommitHistory, ...]:
    numbers = index.occurrences(LISTING, [EVERY], limit=_ALL)[EVERY].numbers
    if not len(numbers):
        return ()
    packed = read_commits(index.columns(numbers))
    heads = packed.heads
    files = np.split(packed.files, np.cumsum(heads["files"].astype(np.int64))[:-1])
    cites = np.split(packed.cites, np.cumsum(heads["cites"].astype(np.int64))[:-1])
    found: list[CommitHistory] = []
    for repository in np.unique(heads["repository"]).tolist():
        own = np.flatnonzero(heads["repository"] == repository)
        own = own[np.lexsort((numbers[own], heads["time"][own]))]
        found.append(
            _history(
                repository,
                numbers[own],
                heads[own],
                [files[i] for i in own.tolist()],
                [cites[i] for i in own.tolist()],
            )
        )
    return tuple(found)


def _history(
    repository: int,
    numbers: Numbers,
    heads: NDArray[np.void],
    files: list[NDArray[np.uint64]],
    cites: list[NDArray[np.uint64]],
) -> CommitHistory:
    hashes, each = np.unique(np.concatenate(files), return_inverse=True)
    touching = np.repeat(np.arange(len(files)), [len(f) for f in files])
    by_file = np.argsort(each, kind="stable")
    citing, cited = _citations(heads, cites)
    places = np.full(int(numbers.max()) + 1, -1, dtype=np.intp)
    places[numbers] = np.arange(len(numbers))
    lengths = {field: heads[name].astype(np.float64) for field, name in _LENGTHS.items()}
    return CommitHistory(
        repository=repository,
        numbers=numbers,
        times=heads["time"].astype(np.float64),
        lengths=lengths,
        totals={field: np.cumsum(values) for field, values in lengths.items()},
        touched=heads["touched"].astype(np.float64),
        file_hashes=hashes,
        files=each.astype(np.intp),
        file_starts=_starts([len(f) for f in files]),
        file_rows=touching[by_file],
        row_starts=_starts(np.bincount(each, minlength=len(hashes)).tolist()),
        citing=citing,
        cited=cited,
        places=places,
        in_order=bool((np.diff(numbers) > 0).all()),
    )


def _citations(heads: NDArray[np.void], cites: list[NDArray[np.uint64]]) -> tuple[Rows, Rows]:
    """Pairs (citing, cited) of rows, the cited one earlier."""
    order = np.argsort(heads["sha"], kind="stable")
    hashes = np.concatenate(cites)
    counts = np.array([len(each) for each in cites])
    citing = np.repeat(np.arange(len(cites)), counts)
    at = np.searchsorted(heads["sha"][order], hashes)
    at[at == len(order)] = 0
    cited = order[at]
    sound = (heads["sha"][cited] == hashes) & (cited < citing)
    return citing[sound], cited[sound]


def _starts(counts: list[int]) -> Rows:
    return np.concatenate(([0], np.cumsum(counts, dtype=np.intp))).astype(np.intp)

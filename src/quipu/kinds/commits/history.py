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

__all__ = ["ALL", "EVERY", "LISTING", "CommitHistory", "TermPostings", "histories"]

LISTING, EVERY = "commit-of", "*"
ALL = 2**62
_LENGTHS = {"commit": "words", "commit-path": "path_words"}

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


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
    heads, files, cites = read_commits(index.columns(numbers))
    order = np.lexsort((numbers, heads["time"], heads["repository"]))
    each_files: list[NDArray[np.uint64]] = np.split(
        files, np.cumsum(heads["files"].astype(np.int64))[:-1]
    )
    each_cites: list[NDArray[np.uint64]] = np.split(
        cites, np.cumsum(heads["cites"].astype(np.int64))[:-1]
    )
    found: list[CommitHistory] = []
    for repository in np.unique(heads["repository"]):
        own: Rows = order[heads["repository"][order] == repository]
        rows: list[int] = own.tolist()
        touched = [each_files[row] for row in rows]
        cited = [each_cites[row] for row in rows]
        found.append(_history(numbers[own], heads[own], touched, cited))
    return tuple(found)


def _history(
    numbers: Numbers,
    heads: NDArray[np.void],
    files: list[NDArray[np.uint64]],
    cites: list[NDArray[np.uint64]],
) -> CommitHistory:
    places = np.full(int(numbers.max()) + 1, -1, dtype=np.intp)
    places[numbers] = np.arange(len(numbers))
    lengths = {field: heads[name].astype(np.float64) for field, name in _LENGTHS.items()}
    citing, cited = _citations(heads["sha"], cites)
    return CommitHistory(
        numbers=numbers,
        times=heads["time"].astype(np.float64),
        lengths=lengths,
        totals={field: np.cumsum(values) for field, values in lengths.items()},
        touched=heads["touched"].astype(np.float64),
        files=np.concatenate(files),
        touching=np.repeat(np.arange(len(files)), list(map(len, files))),
        starts=np.cumsum([0, *map(len, files)]),
        citing=citing,
        cited=cited,
        places=places,
    )


def _citations(shas: NDArray[np.uint64], cites: list[NDArray[np.uint64]]) -> tuple[Rows, Rows]:
    """Pairs (citing, cited) of rows, the cited one earlier."""
    order = np.argsort(shas, kind="stable")
    hashes = np.concatenate(cites)
    citing = np.repeat(np.arange(len(cites)), list(map(len, cites)))
    at = np.searchsorted(shas[order], hashes)
    cited = order[np.minimum(at, len(order) - 1)]
    sound = (shas[cited] == hashes) & (cited < citing)
    return citing[sound], cited[sound]

"""How near commits are to what is asked, by the vectors of their messages and titles."""

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.commits.features import CommitNearness
from quipu.kinds.commits.history import CommitHistory, Floats, Rows
from quipu.kinds.commits.weights import COMMITS
from quipu.ports import Index
from quipu.records.scope import Scope
from quipu.when.instants import from_epoch

__all__ = ["VectorNearness"]

_COMMITS = frozenset({"commit"})


class VectorNearness(CommitNearness):
    """The better of two cosines: the message asked with a commit's title, and its title with
    the commit's message."""

    def __init__(
        self,
        index: Index,
        space: str,
        message: NDArray[np.float32],
        title: NDArray[np.float32],
        *,
        moment: float,
    ) -> None:
        """Only commits before `moment` (seconds since 1970) are looked for."""
        self._index, self._space = index, space
        self._message, self._title = message, title
        self._before = from_epoch(moment)
        self._found: dict[int, float] = {}

    def near(self, history: CommitHistory, known: int) -> Rows:
        """The nearest by the message's vector."""
        ranked = self._index.match_vector(
            self._message,
            space=self._space,
            scope=Scope(profiles=_COMMITS, before=self._before),
            limit=COMMITS.near,
        )
        rows = history.rows_of(ranked.numbers)
        return np.sort(rows[(rows >= 0) & (rows < known)])

    def cosines(self, history: CommitHistory, rows: Rows) -> Floats:
        """0 for a commit without a vector."""
        new = np.array([row for row in rows.tolist() if row not in self._found], dtype=np.intp)
        if len(new):
            numbers = history.numbers[new]
            messages = self._index.vectors(numbers, self._space) @ self._title
            titles = self._index.best_parts(numbers, self._space, self._message)
            best = np.maximum(np.maximum(messages.astype(np.float64), titles), 0.0)
            self._found.update(zip(new.tolist(), best.tolist(), strict=True))
        return np.array([self._found[row] for row in rows.tolist()], dtype=np.float64)

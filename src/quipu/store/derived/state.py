"""What both reading halves of a store stand on: its tables and this handle's indexes."""

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from quipu.index.blobs import PostingBlobs
from quipu.index.nearest import DEFAULT_SIZES, EXACT_UP_TO, Nearest, SpaceInfo, VectorSizes
from quipu.index.postings import Mask, Postings
from quipu.index.scopes import ScopeColumns
from quipu.index.vector_file import VectorFile
from quipu.ports import Numbers, Ranking, Vectors
from quipu.store import rules
from quipu.store.backend import Backend
from quipu.store.derived.known import KnownIds
from quipu.store.derived.records import Records
from quipu.store.derived.rows import IndexRows, JobTable, SegmentRows
from quipu.store.derived.session import Session


class SpaceIndex(Protocol):
    """The vectors of one embedding space, as `index/nearest.py` has them."""

    @property
    def dimension(self) -> int: ...

    def follow(self, info: SpaceInfo, sequence: int) -> None:
        """Be of this moment."""
        ...

    def search(self, vector: NDArray[np.float32], mask: Mask | None, limit: int) -> Ranking:
        """The best `limit` live chunks among the rows that `mask` admits (None: all)."""
        ...

    def gather(self, numbers: Numbers) -> Vectors:
        """float32[n, d]: the vectors of live chunks; zero rows for the others."""
        ...

    def forget(self) -> None:
        """Keep no vector that has left."""
        ...


class StoreState:
    """The tables of one namespace, and the indexes it has read, each as fresh as last asked."""

    def __init__(
        self,
        backend: Backend,
        *,
        exact_up_to: int = EXACT_UP_TO,
        vector_sizes: VectorSizes = DEFAULT_SIZES,
    ) -> None:
        """Above `exact_up_to` vectors of a space the nearest are proposed by their signs."""
        rules.require_namespace(backend.namespace)
        self._session = Session(backend)
        self.jobs: Final = JobTable(self._session)
        self._postings = Postings(self._segment_rows())
        self._records = Records(self._session, self._postings)
        self._rows = IndexRows(self._session, self._records, self._identity)
        self._scopes = ScopeColumns(self._rows, self._postings)
        self._exact_up_to = exact_up_to
        self._vector_sizes = vector_sizes
        self._spaces: dict[str, SpaceIndex] = {}
        self._ids = KnownIds()
        self._embedded_up_to: dict[tuple[int, frozenset[str]], int] = {}
        self._counted_at: tuple[int, frozenset[str]] = (-1, frozenset())
        self._counted: dict[str, int] = {}
        self._seen = -1
        self._sequence_of = self._sequence_there = 0
        self._ended_there = -1

    def _segment_rows(self) -> PostingBlobs:
        """What the segments are read by."""
        return SegmentRows(self._session)

    def _identity(self) -> str:
        """What tells this store from every other: what a vector file is known by."""
        return ""

    def _file(self, space: str) -> VectorFile | None:
        """Where the vectors of a space are kept as an index, if they are."""
        del space
        return None

    def _count_ended(self, sequence: int) -> int:
        """Another number when anything has ended; `sequence` where that is not counted."""
        return sequence

    def _sequence(self) -> int:
        snapshot = self._session.snapshot
        if snapshot and snapshot == self._sequence_of:
            return self._sequence_there
        found: int = self._session.last("sequence")
        if found != self._sequence_there or self._ended_there < 0:
            self._ended_there = self._count_ended(found)
        self._sequence_of, self._sequence_there = snapshot, found
        return found

    def _ended(self) -> int:
        """Another number when anything has ended that was live at an earlier moment."""
        self._sequence()
        return self._ended_there

    def _fresh(self) -> None:
        """Bring the postings and the known records to the moment of the transaction."""
        sequence = self._sequence()
        if sequence == self._seen:
            return
        try:
            self._postings.refresh()
            self._records.known.follow(self._ended(), self._records.observed_at)
        except BaseException:
            # A server that was lost half-way: what was taken in of the change is not known.
            self._postings.clear()
            self._records.known.clear()
            self._seen = -1
            raise
        self._seen = sequence

    def _nearest(self, space: str) -> SpaceIndex | None:
        """The space's index at the moment of the transaction; None for an unknown space."""
        info = self._rows.space(space)
        if info is None:
            self._spaces.pop(space, None)
            return None
        nearest = self._spaces.get(space)
        if nearest is None:
            nearest = self._spaces[space] = self._new_nearest(space)
        nearest.follow(info, self._sequence())
        return nearest

    def _new_nearest(self, space: str) -> SpaceIndex:
        """An index that has read nothing yet: in this process, unless the backend has one."""
        return Nearest(
            self._rows,
            self._postings,
            space,
            file=self._file(space),
            exact_up_to=self._exact_up_to,
            sizes=self._vector_sizes,
        )

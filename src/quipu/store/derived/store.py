"""A whole store over what a backend writes itself."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from quipu.records.batch import Batch, Written
from quipu.store import rules
from quipu.store.checking import check
from quipu.store.derived.forget import forget
from quipu.store.derived.graph import GraphReads
from quipu.store.derived.known import KnownIds
from quipu.store.derived.search import IndexReads
from quipu.store.derived.vectors import drop_space
from quipu.store.derived.writes import BatchWrite, log


class DerivedStore(GraphReads, IndexReads):
    """A store of one namespace over a backend; threads may share it. A backend that does
    something faster overrides it."""

    @property
    def namespace(self) -> str:
        """The namespace this handle is bound to."""
        return self._session.backend.namespace

    def write(self, batch: Batch) -> Written:
        """Store a batch, whole or not at all."""
        checked = check(batch)
        try:
            with self._session.writing():
                return Written(*BatchWrite(self._session, self._postings, checked).apply())
        except BaseException:
            self._forget_read()
            raise

    def forget(self, source_refs: Sequence[str]) -> int:
        """Erase sources, history and all."""
        try:
            with self._session.writing():
                erased = forget(self._session, self._postings, source_refs)
        except BaseException:
            self._forget_read()
            raise
        if erased:
            with self._session.reading():
                self._fresh()
                for space in self._vector_spaces():
                    if nearest := self._nearest(space):
                        nearest.forget()
                self._scopes.clear()
        return erased

    def _vector_spaces(self) -> list[str]:
        """The spaces whose vectors are held in memory, or beside the store."""
        return list(self._spaces)

    def drop_space(self, space: str) -> None:
        """Erase one space's vectors."""
        if not rules.storable(space):
            return
        try:
            with self._session.writing():
                if drop_space(self._session, space):
                    log(self._session, [("vector", space, "forget")])
        except BaseException:
            self._forget_read()
            raise

    def _forget_read(self) -> None:
        """After a rollback: what was read inside the transaction never was."""
        with self._session.lock:
            self._postings.clear()
            self._scopes.clear()
            self._ids = KnownIds()
            self._records.known.clear()
            self._seen = self._ended_there = -1

    def close(self) -> None:
        """Give back what the handle holds."""
        self._session.backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

"""A backend, and which of its moments is being read."""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from quipu.store.backend import SUPPORT, Backend, Row, Where


class Session:
    """What everything derived reads from and writes to."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.select, self.last, self.take = backend.select, backend.last, backend.take
        self.insert, self.update, self.delete = backend.insert, backend.update, backend.delete
        self.snapshot = 0
        """Which `reading` this is, no two the same; 0 outside and while writing."""
        self.lock = threading.RLock()
        self._writer = 0
        self._depth = 0
        self._snapshots = 0

    @contextmanager
    def reading(self) -> Generator[None]:
        """One moment of the store for as long as the block runs."""
        with self.lock, self.backend.reading():
            if not self._depth:
                self._snapshots += 1
                self.snapshot = self._snapshots
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if not self._depth:
                    self.snapshot = 0

    @property
    def is_writing(self) -> bool:
        """Whether this thread is inside `writing`."""
        return self._writer == threading.get_ident()

    @contextmanager
    def writing(self) -> Generator[None]:
        """All of the block's changes, or none; a block within another is part of that."""
        if self.is_writing:
            yield
            return
        with self.lock, self.backend.writing():
            self._depth += 1
            self._writer = threading.get_ident()
            try:
                yield
            finally:
                self._writer = 0
                self._depth -= 1

    def periods(
        self,
        columns: Sequence[str],
        where: Where,
        known_at: str | None = None,
        *,
        order: Sequence[str] = (),
        distinct: bool = False,
    ) -> list[Row]:
        """The rows of support that are live, or were at `known_at`."""
        if known_at is None:
            live = {**where, "known_until": None}
            return self.select(SUPPORT, columns, live, order=order, distinct=distinct)
        asked = (*columns, "recorded_at", "known_until")
        rows = self.select(SUPPORT, asked, where, order=order)
        found = [row[:-2] for row in rows if stands(row[-2], row[-1], known_at)]
        return list(dict.fromkeys(found)) if distinct else found


def stands(recorded_at: str, known_until: str | None, known_at: str | None) -> bool:
    """Whether support is live, or was at `known_at`."""
    if known_at is None:
        return known_until is None
    return recorded_at <= known_at and (known_until is None or known_at < known_until)

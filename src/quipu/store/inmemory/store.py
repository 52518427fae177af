"""The reference store: plain lists and dicts, no index, no cleverness."""

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import wraps
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from quipu.errors import StoreUnavailable
from quipu.ports import Change
from quipu.records.batch import Batch, Written
from quipu.store import rules
from quipu.store.checking import check
from quipu.store.inmemory.graph import GraphReads
from quipu.store.inmemory.reads import IndexReads
from quipu.store.inmemory.state import State
from quipu.store.inmemory.writes import Writing, forget

C = TypeVar("C", bound=type[Any])


class Shelf:
    """Namespaces in memory that several handles share."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.states: dict[str, State] = {}


def _locked(of: C) -> C:
    """Every public method of a class holds the shelf's lock while it runs."""
    for base in of.__mro__[:-1]:
        for name, method in list(vars(base).items()):
            if callable(method) and not name.startswith("_") and name not in vars(of):
                setattr(of, name, _with_lock(method))
    for name in ("write", "forget", "drop_space"):
        setattr(of, name, _with_lock(vars(of)[name]))
    return of


def _with_lock(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def held(self: "InMemoryStore", *args: Any, **options: Any) -> Any:
        with self._shelf.lock:  # pyright: ignore[reportPrivateUsage]
            return method(self, *args, **options)

    return cast("Callable[..., Any]", held)


@_locked
class InMemoryStore(GraphReads, IndexReads):
    """The reference store of one namespace. It is meant for tests and small data."""

    def __init__(self, shelf: Shelf, *, namespace: str, read_only: bool = False) -> None:
        rules.require_namespace(namespace)
        self._shelf = shelf
        self._namespace = namespace
        self._read_only = read_only
        with shelf.lock:
            self._state = shelf.states.setdefault(namespace, State())

    @contextmanager
    def moment(self) -> Generator[None]:
        """The shelf as it is: whoever writes to it waits."""
        with self._shelf.lock:
            yield

    @property
    def namespace(self) -> str:
        """The namespace this handle is bound to."""
        return self._namespace

    def write(self, batch: Batch) -> Written:
        """Store a batch."""
        self._require_writable()
        changes = Writing(self._state, check(batch)).apply()
        return Written(self.sequence(), changes)

    def forget(self, source_refs: Sequence[str]) -> int:
        """Erase sources."""
        self._require_writable()
        return forget(self._state, source_refs)

    def drop_space(self, space: str) -> None:
        """Erase one space's vectors."""
        self._require_writable()
        if self._state.spaces.pop(space, None) is not None:
            self._state.changes.append(Change(self.sequence() + 1, "vector", space, "forget"))

    def _require_writable(self) -> None:
        if self._read_only:
            raise StoreUnavailable(
                "the in-memory store was opened read-only: open it without read_only to write"
            )

    def close(self) -> None:
        """Nothing to give back; what was written stays with the shelf."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

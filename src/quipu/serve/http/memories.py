"""What is served: the memories of one store, one for each namespace that somebody may use."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Self

from quipu.errors import QuipuError, StoreUnavailable
from quipu.ledger import LEDGER, Ledger
from quipu.memory import Memory
from quipu.serve.keeping_up import kept_up
from quipu.serve.keys import ApiKeys
from quipu.trust import sealing_key

__all__ = ["Memories"]


class NoMemory(StoreUnavailable):
    """The folder has no memory yet."""


class Memories:
    """The memories of one store, each opened when it is first asked for and kept open.

    `open_` opens the memory of a namespace (None: the configured one). `make`, given where
    `folder` has no memory yet, makes one; until then asking for a memory raises NoMemory. With
    `watch` each follows what was indexed into it. `key` opens the first of them with scope
    `admin`, beside the keys that were made.
    """

    def __init__(
        self,
        open_: Callable[[str | None], Memory],
        *,
        folder: Path,
        make: Callable[[], object] | None = None,
        watch: bool = False,
        key: str = "",
    ) -> None:
        self._open, self._make, self._folder = open_, make, folder
        self._watch, self._key = watch, key
        self._memories: dict[str, Memory] = {}
        self._first: Memory | None = None
        self._keys: ApiKeys | None = None
        self._lock = threading.RLock()
        self._closing = ExitStack()
        if make is None:
            self._begin()

    @property
    def folder(self) -> Path:
        """The folder that is remembered, or will be."""
        return self._first.home.folder if self._first else self._folder

    @property
    def exist(self) -> bool:
        """Whether there is a memory."""
        return self._first is not None

    @property
    def first(self) -> Memory:
        """The memory of the configured namespace. Raises NoMemory."""
        if self._first is None:
            raise NoMemory(
                f"there is no memory in {str(self._folder)!r} yet: make one on the page, or run "
                "`quipu init` and `quipu index .` there"
            )
        return self._first

    @property
    def keys(self) -> ApiKeys | None:
        """The API keys of this store; None where there is no local state to keep them in."""
        return self._keys

    def of(self, namespace: str) -> Memory:
        """Return the memory of a namespace; empty is the configured one. Raises NoMemory,
        StoreUnavailable."""
        with self._lock:
            first = self.first
            if namespace and namespace not in self._memories:
                self._memories[namespace] = self._opened(namespace)
            return self._memories.get(namespace, first)

    def make(self) -> Memory:
        """Make the memory of a folder that has none; the one that is there, when it has."""
        with self._lock:
            if self._first is None and self._make is not None:
                self._make()
                self._begin()
            return self.first

    def close(self) -> None:
        """Let go of everything."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _opened(self, namespace: str | None) -> Memory:
        memory = self._closing.enter_context(self._open(namespace))
        self._closing.enter_context(
            kept_up(partial(self._open, namespace) if self._watch else None)
        )
        return memory

    def _begin(self) -> None:
        memory = self._opened(None)
        try:
            self._keys = _keys_of(memory, self._key)
        except QuipuError:
            self._closing.close()
            raise
        if self._keys is not None:
            self._closing.callback(self._keys.close)
        self._memories[memory.store.namespace] = memory
        self._first = memory


def _keys_of(memory: Memory, key: str) -> ApiKeys | None:
    state = None if memory.home.url == "memory:" else memory.home.state
    if state is None and not key:
        return None
    return ApiKeys(
        Ledger(state / LEDGER if state else ":memory:"),
        sealing=sealing_key(),
        clock=memory.clock,
        given=key,
        given_namespace=memory.store.namespace,
    )

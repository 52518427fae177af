"""A memory as LangGraph's long-term store (the extra `langgraph`).

    graph = builder.compile(store=QuipuStore(memory))

Values are plain JSON. What `put` indexes is found by `search(query=…)`, by its cosine with each
text, and by Quipu's own search.
"""

import asyncio
import operator
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, cast

import numpy as np
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
    get_text_at_path,
)

from quipu.agents.items import Items, KeptItem, Vectoriser, texts_in
from quipu.errors import InvalidInput, QuipuError
from quipu.memory import Memory
from quipu.ports import Vectors

__all__ = ["QuipuStore"]

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class QuipuStore(BaseStore):
    """LangGraph's store over a Quipu memory, which the caller opens and closes."""

    supports_ttl = True

    def __init__(
        self, memory: Memory, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None
    ) -> None:
        """`index` as LangGraph has it: `embed` makes the vectors (the memory's own model does
        where it is not named), `fields` are the paths that are embedded, each by itself. `ttl`
        as LangGraph has it; what is over its time is not found, whether it was swept or not."""
        self._items = Items(memory)
        self._memory = memory
        self.index_config = index
        self.ttl_config = ttl
        embed = cast("Any", (index or {}).get("embed"))
        self.embeddings = ensure_embeddings(embed) if embed is not None else None
        self._stop = threading.Event()
        self._sweeper: threading.Thread | None = None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked, in order; a read sees the writes before it."""
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """End what is over its time; how many items. Their history stays."""
        return self._items.sweep()

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweep every so many minutes (else as configured, else every 5) until it is stopped."""
        if self._sweeper is not None:
            return
        given = sweep_interval_minutes or (self.ttl_config or {}).get("sweep_interval_minutes") or 5
        self._stop.clear()
        self._sweeper = threading.Thread(
            target=self._sweep, args=(given * 60,), name="quipu-ttl", daemon=True
        )
        self._sweeper.start()

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop sweeping; whether it has stopped within `timeout` seconds."""
        self._stop.set()
        if self._sweeper is None:
            return True
        self._sweeper.join(timeout)
        stopped = not self._sweeper.is_alive()
        if stopped:
            self._sweeper = None
        return stopped

    def _sweep(self, seconds: float) -> None:
        while not self._stop.wait(seconds):
            with suppress(QuipuError):  # the next sweep meets it again, and reads leave it out
                self.sweep_ttl()

    def _do(self, op: Op) -> Result:
        match op:
            case GetOp():
                item = self._items.get(op.namespace, op.key)
                if item and op.refresh_ttl:
                    self._items.renew([item])
                return Item(**_fields(item)) if item else None
            case PutOp():
                self._put(op)
                return None
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
            case _:
                raise InvalidInput(f"{type(op).__name__} is no operation of a store")

    def _put(self, op: PutOp) -> None:
        namespace = tuple(op.namespace)
        if op.value is None:
            self._items.delete(namespace, op.key)
            return
        self._items.put(
            namespace,
            op.key,
            op.value,
            partial(self._texts, index=op.index),
            vectoriser=self._vectoriser(),
            ttl_minutes=op.ttl,
        )

    def _texts(self, value: Mapping[str, Any], index: Sequence[str] | bool | None) -> list[str]:
        """What an item is found by: the texts at the paths that are named, else at those that are
        configured, else all that it holds."""
        if index is False:
            return []
        config = cast("Mapping[str, Any]", self.index_config or {})
        paths = index if isinstance(index, list | tuple) else config.get("fields")
        if not paths:
            return ["\n".join(texts_in(value))]
        return [text for path in paths for text in get_text_at_path(dict(value), path)]

    def _vectoriser(self, text: str = "") -> Vectoriser | None:
        if self.embeddings is not None:
            return _Embeddings(self.embeddings)
        return self._memory.embedder_for(text)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        def condition(item: KeptItem) -> bool:
            asked = op.filter or {}
            return all(_matches(_at(item.value, key), given) for key, given in asked.items())

        prefix, last = tuple(op.namespace_prefix), op.offset + op.limit
        query = (op.query or "").strip()
        vectoriser = self._vectoriser(query) if query else None
        if vectoriser is not None:
            found = self._items.nearest(
                prefix, query, vectoriser, condition, limit=op.limit, offset=op.offset
            )
        elif query:
            found = self._items.search(prefix, query, condition, limit=last)[op.offset :]
        else:
            items = self._items.under(prefix, condition)[op.offset : last]
            found = [(item, None) for item in items]
        if op.refresh_ttl:
            self._items.renew([item for item, _ in found])
        return [SearchItem(**_fields(item), score=score) for item, score in found]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        kept = [n for n in self._items.namespaces() if all(_fits(n, c) for c in conditions)]
        if op.max_depth is not None:
            kept = sorted({namespace[: op.max_depth] for namespace in kept})
        return kept[op.offset : op.offset + op.limit]


class _Embeddings:
    """LangChain's embeddings, or a function, as what makes vectors."""

    def __init__(self, embeddings: Any) -> None:
        self._embeddings = embeddings

    @property
    def space(self) -> str:
        """By the class: what else may differ, an embedding does not tell."""
        kind = type(cast("object", self._embeddings))
        return f"langchain:{kind.__module__}.{kind.__qualname__}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.asarray(self._embeddings.embed_documents(list(texts)), dtype=np.float32)


def _at(value: Mapping[str, Any], key: str) -> Any:
    """What stands under a key, or at a path of keys with dots between them."""
    if key in value:
        return value[key]
    inner: Any = value
    for part in key.split("."):
        inner = cast("Any", inner).get(part) if isinstance(inner, dict) else None
    return inner


def _matches(stored: Any, given: Any) -> bool:
    if isinstance(given, dict) and any(str(key).startswith("$") for key in cast("Any", given)):
        asked = cast("dict[str, Any]", given)
        unknown = [key for key in asked if key not in _COMPARE]
        if unknown:
            raise InvalidInput(f"{unknown[0]!r} is no comparison: use {', '.join(_COMPARE)}")
        try:
            return all(_COMPARE[key](stored, value) for key, value in asked.items())
        except TypeError:  # of different kinds, so neither is larger
            return False
    return stored == given


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)]
    if condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    return all(expected in ("*", actual) for expected, actual in zip(path, part, strict=True))


def _fields(item: KeptItem) -> dict[str, Any]:
    return {
        "namespace": item.namespace,
        "key": item.key,
        "value": item.value,
        "created_at": datetime.fromisoformat(item.created_at),
        "updated_at": datetime.fromisoformat(item.updated_at),
    }

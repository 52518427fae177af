"""A memory as LangGraph's long-term store (the extra `langgraph`).

    graph = builder.compile(store=QuipuStore(memory))

Values are plain JSON. What `put` indexes is found by `search(query=…)` and by Quipu's own search.
"""

import asyncio
import operator
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from quipu.agents.items import Items, KeptItem
from quipu.errors import InvalidInput
from quipu.memory import Memory

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

    def __init__(self, memory: Memory) -> None:
        self._items = Items(memory)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked, in order; a read sees the writes before it."""
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        match op:
            case GetOp():
                held = self._items.get(op.namespace, op.key)
                return _item(held) if held else None
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
        if op.value is None:
            self._items.delete(op.namespace, op.key)
            return
        self._items.put(op.namespace, op.key, op.value, _text(op))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        def wanted(item: KeptItem) -> bool:
            return all(
                _matches(item.value.get(key), given) for key, given in (op.filter or {}).items()
            )

        last = op.offset + op.limit
        if op.query:
            among = wanted if op.filter else None
            found = self._items.search(op.namespace_prefix, op.query, among, limit=last)
            return [_found(each.item, each.score) for each in found[op.offset :]]
        held = self._items.under(op.namespace_prefix, wanted)
        return [_found(item, None) for item in held[op.offset : last]]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        kept = [n for n in self._items.namespaces() if all(_fits(n, c) for c in conditions)]
        if op.max_depth is not None:
            kept = sorted({namespace[: op.max_depth] for namespace in kept})
        return kept[op.offset : op.offset + op.limit]


def _text(op: PutOp) -> str:
    """What the item is found by: the fields that are named, else every text in it."""
    if op.index is False:
        return ""
    value = dict(op.value or {})
    if op.index is None:
        return "\n".join(_texts(value))
    return "\n".join(text for path in op.index for text in get_text_at_path(value, path))


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in cast("Mapping[str, object]", value).values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _texts(each)
    elif value is not None:
        yield str(value)


def _matches(held: Any, given: Any) -> bool:
    if isinstance(given, dict) and any(str(key).startswith("$") for key in cast("Any", given)):
        asked = cast("dict[str, Any]", given)
        unknown = [key for key in asked if key not in _COMPARE]
        if unknown:
            raise InvalidInput(f"{unknown[0]!r} is no comparison: use {', '.join(_COMPARE)}")
        try:
            return all(_COMPARE[key](held, value) for key, value in asked.items())
        except TypeError:  # of different kinds, so neither is larger
            return False
    return held == given


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)]
    if condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", held) for wanted, held in zip(path, part, strict=True))


def _item(held: KeptItem) -> Item:
    return Item(
        value=held.value,
        key=held.key,
        namespace=held.namespace,
        created_at=datetime.fromisoformat(held.created_at),
        updated_at=datetime.fromisoformat(held.updated_at),
    )


def _found(held: KeptItem, score: float | None) -> SearchItem:
    return SearchItem(
        namespace=held.namespace,
        key=held.key,
        value=held.value,
        created_at=datetime.fromisoformat(held.created_at),
        updated_at=datetime.fromisoformat(held.updated_at),
        score=score,
    )

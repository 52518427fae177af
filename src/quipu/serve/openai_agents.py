"""A memory as a session of OpenAI's Agents SDK; it needs nothing of that at run time.

    session = QuipuSession("thread-7", memory)
    await Runner.run(agent, "who owns billing?", session=session)

The items of a run are kept as they are, but for secrets, and are found by search as all else is.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from quipu.agents.items import Items, KeptItem, texts_in
from quipu.memory import Memory
from quipu.write.lock import WriteLock

__all__ = ["QuipuSession"]

_NAMESPACE = "agent session"
_SPOKEN = ("content", "text", "arguments", "output")
_IN_MEMORY = WriteLock(None)
"""Whose turn it is where no file can say so."""

T = TypeVar("T")


class QuipuSession:
    """The history of one session, in order; the protocol `agents.memory.Session`."""

    def __init__(self, session_id: str, memory: Memory, *, session_settings: Any = None) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._items = Items(memory)
        self._namespace = (_NAMESPACE, session_id)
        self._memory = memory
        self._turn = asyncio.Lock()
        state = memory.home.state
        self._ends = WriteLock(state, "sessions.lock") if state else _IN_MEMORY

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The last `limit` items, or as many as the session's settings say, or all, in order."""
        most = limit if limit is not None else getattr(self.session_settings, "limit", None)
        items = [item.value["item"] for item in await self._do(self._all)]
        return items if most is None else items[len(items) - most :] if most > 0 else []

    async def add_items(self, items: Sequence[Any]) -> None:
        """Put items at the end."""
        await self._do(self._add, items)

    async def pop_item(self) -> Any:
        """Take the last item out and give it; None where there is none. Its history stays."""
        return await self._do(self._pop)

    async def clear_session(self) -> None:
        """Take every item out. Their history stays; `Memory.forget` erases it."""
        await self._do(self._clear)

    async def _do(self, what: Callable[..., T], *given: Any) -> T:
        async with self._turn:
            return await asyncio.to_thread(what, *given)

    def _all(self) -> list[KeptItem]:
        mine = self._items.under(self._namespace, lambda item: item.namespace == self._namespace)
        return sorted(mine, key=lambda item: item.key)

    def _add(self, items: Sequence[Any]) -> None:
        with self._ends.taken():  # no other of this session looks for its end meanwhile
            known = self._all()
            first = int(known[-1].key) + 1 if known else 1
            embedder = self._memory.embedder_for("")
            for number, item in enumerate(items, first):
                kept = {"item": item}
                self._items.put(self._namespace, f"{number:09}", kept, _said, vectoriser=embedder)

    def _pop(self) -> Any:
        with self._ends.taken():
            known = self._all()
            if not known:
                return None
            self._items.delete(self._namespace, known[-1].key)
            return known[-1].value["item"]

    def _clear(self) -> None:
        for item in self._all():
            self._items.delete(self._namespace, item.key)


def _said(value: Mapping[str, Any]) -> list[str]:
    """What an item is found by: what was said, asked of a tool, or given by one."""
    item = value["item"]
    text = "\n".join(texts_in({key: item[key] for key in _SPOKEN if item.get(key)}))
    return [text] if text.strip() else []

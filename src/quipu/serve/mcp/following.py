"""Telling clients that a resource has changed, whoever changed it.

The store's log of changes is looked at while somebody listens: the writer may be another process.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_REQUEST,
    EmptyResult,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)

from quipu.errors import QuipuError
from quipu.memory import Memory

__all__ = ["Following", "Subscribing"]

LOOKED_AT_EVERY_S = 0.5


class Following(InMemorySubscriptionBus):
    """The bus of a server's events; while it has listeners, `uris` are told to have changed
    whenever the memory has."""

    def __init__(self, memory: Memory, uris: Sequence[str]) -> None:
        super().__init__()
        self._memory, self._uris = memory, uris
        self._looking: asyncio.Task[None] | None = None
        self._listening = 0

    def turn_to(self, memory: Memory) -> None:
        """Look at `memory` from now on."""
        self._memory = memory

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Register `listener`; what it gives back unregisters it, any number of times."""
        unsubscribe = super().subscribe(listener)
        self._listening += 1
        if self._looking is None or self._looking.done():
            seen = self._memory.store.sequence()
            self._looking = asyncio.get_running_loop().create_task(self._look(seen))
        gone = False

        def leave() -> None:
            nonlocal gone
            unsubscribe()
            self._listening -= not gone
            gone = True
            if not self._listening and self._looking is not None:
                self._looking.cancel()

        return leave

    async def _look(self, seen: int) -> None:
        """Until the memory cannot be read any more."""
        while True:
            await anyio.sleep(LOOKED_AT_EVERY_S)
            try:
                now = await anyio.to_thread.run_sync(self._memory.store.sequence)
            except QuipuError:
                return
            if now != seen:
                seen = now
                for uri in self._uris:
                    await self.publish(ResourceUpdated(uri=uri))


class Subscribing:
    """`resources/subscribe` and `resources/unsubscribe`, as clients of protocols before 2026-07-28
    ask for the same."""

    def __init__(self, bus: Following) -> None:
        self._bus = bus
        self._subscriptions: dict[tuple[int, str], tuple[ServerSession, Callable[[], None]]] = {}
        self._sending: set[asyncio.Task[None]] = set()

    async def subscribe(
        self, context: ServerRequestContext[Any, Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        """Tell the asking client of changes of `params.uri` from now on. Raises MCPError where
        there is no connection that stands: over HTTP every request does alone."""
        if context.request is not None:
            raise MCPError(INVALID_REQUEST, "over HTTP, follow a resource by subscriptions/listen")
        session, uri = context.session, str(params.uri)

        def notify(event: ServerEvent) -> None:
            if isinstance(event, ResourceUpdated) and event.uri == uri:
                task = asyncio.get_running_loop().create_task(self._send(session, uri))
                self._sending.add(task)
                task.add_done_callback(self._sending.discard)

        self._leave(session, uri)
        self._subscriptions[_key(session, uri)] = session, self._bus.subscribe(notify)
        return EmptyResult()

    async def unsubscribe(
        self, context: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        """Tell the asking client no more of it."""
        self._leave(context.session, str(params.uri))
        return EmptyResult()

    async def _send(self, session: ServerSession, uri: str) -> None:
        try:
            await session.send_resource_updated(uri)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._leave(session, uri)

    def _leave(self, session: ServerSession, uri: str) -> None:
        if subscription := self._subscriptions.pop(_key(session, uri), None):
            subscription[1]()


def _key(session: ServerSession, uri: str) -> tuple[int, str]:
    """What is the same in all requests of a connection: a session is made for each of them."""
    return id(session.client_params), uri

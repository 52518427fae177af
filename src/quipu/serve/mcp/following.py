"""Telling clients that a resource has changed, whoever changed it.

The store's log of changes is looked at while somebody listens: the writer may be another process.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
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

__all__ = ["Following", "follow_resources"]

LOOKED_AT_EVERY_S = 0.5


class Following(InMemorySubscriptionBus):
    """The bus of a server's events; while it has listeners, `uri` is told to have changed whenever
    the memory has."""

    def __init__(self, memory: Callable[[], Memory], uri: str) -> None:
        super().__init__()
        self._memory, self._uri = memory, uri
        self._looking: asyncio.Task[None] | None = None

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Register `listener`; what it gives back unregisters it, any number of times."""
        unsubscribe = super().subscribe(listener)
        if self._looking is None or self._looking.done():
            seen = self._memory().store.sequence()
            self._looking = asyncio.get_running_loop().create_task(self._look(seen))
        return unsubscribe

    async def _look(self, seen: int) -> None:
        """Until nobody listens, or the memory cannot be read any more."""
        while self._listeners:
            await anyio.sleep(LOOKED_AT_EVERY_S)
            try:
                now = await anyio.to_thread.run_sync(self._memory().store.sequence)
            except QuipuError:
                return
            if now != seen:
                seen = now
                await self.publish(ResourceUpdated(uri=self._uri))


def follow_resources(server: Server[Any], bus: Following) -> None:
    """Answer `resources/subscribe` and `resources/unsubscribe`, as clients of protocols before
    2026-07-28 ask for the same. Over HTTP, where every request stands alone, they are refused."""
    ends: dict[tuple[int, str], Callable[[], None]] = {}
    sending: set[asyncio.Task[None]] = set()

    async def send(session: ServerSession, uri: str, key: tuple[int, str]) -> None:
        try:
            await session.send_resource_updated(uri)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            ends.pop(key, lambda: None)()

    async def subscribe(
        context: ServerRequestContext[Any, Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        if context.request is not None:
            raise MCPError(INVALID_REQUEST, "over HTTP, follow a resource by subscriptions/listen")
        session, uri = context.session, str(params.uri)
        key = _key(session, uri)

        def notify(event: ServerEvent) -> None:
            if isinstance(event, ResourceUpdated) and event.uri == uri:
                task = asyncio.get_running_loop().create_task(send(session, uri, key))
                sending.add(task)
                task.add_done_callback(sending.discard)

        ends.pop(key, lambda: None)()
        ends[key] = bus.subscribe(notify)
        return EmptyResult()

    async def unsubscribe(
        context: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        ends.pop(_key(context.session, str(params.uri)), lambda: None)()
        return EmptyResult()

    server.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribe)
    server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, unsubscribe)


def _key(session: ServerSession, uri: str) -> tuple[int, str]:
    """What is the same in all requests of a connection: a session is made for each of them."""
    return id(session.client_params), uri

"""MCP over streamable HTTP beside the API: the same gate, the same keys, the same namespaces."""

import asyncio
from contextlib import suppress
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings

from quipu.serve.http import Options
from quipu.serve.http.caller import CALLER, ROUTE, Caller
from quipu.serve.http.gate import App, Message, Receive, Send, whole_request
from quipu.serve.http.memories import Memories
from quipu.serve.mcp import build_server

__all__ = ["Mounted"]

PATH = "/mcp"


class Mounted:
    """`app`, and at `/mcp` the tools for agents: over the memory of the caller's namespace, and
    only those that read where the key's scope is `read`."""

    def __init__(self, app: App, memories: Memories, options: Options) -> None:
        self._app, self._memories, self._options = app, memories, options
        self._served: dict[tuple[str, bool], _Served] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Hand a connection to where it belongs."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, self._until_the_end(send))
        elif scope["type"] == "http" and scope["path"].rstrip("/") == PATH:
            scope[ROUTE] = PATH
            if scope["method"] != "POST":  # there is no stream to open, no session to end
                await _only_post(send)
                return
            whole = await whole_request(receive, self._options.largest)
            served = await self._for(scope[CALLER])
            await served.app({**scope, "path": PATH}, whole, send)
        else:
            await self._app(scope, receive, send)

    def _until_the_end(self, send: Send) -> Send:
        async def stopping_send(message: Message) -> None:
            if message["type"] == "lifespan.shutdown.complete":
                for each in self._served.values():
                    await each.stop()
            await send(message)

        return stopping_send

    async def _for(self, caller: Caller) -> "_Served":
        memory = self._memories.of(caller.namespace) if caller.namespace else self._memories.first
        chosen = memory.store.namespace, not caller.may("write")
        if chosen not in self._served:
            server = build_server(memory, profile=self._options.profile, read_only=chosen[1])
            self._served[chosen] = _Served(
                server.streamable_http_app(
                    streamable_http_path=PATH,
                    stateless_http=True,
                    max_request_body_size=self._options.largest,
                    transport_security=TransportSecuritySettings(
                        enable_dns_rebinding_protection=False  # the gate has looked
                    ),
                )
            )
        served = self._served[chosen]
        await served.start()
        return served


class _Served:
    """One MCP application and the task that keeps it."""

    def __init__(self, app: Any) -> None:
        self.app: App = app
        self._starlette = app
        self._ready, self._end = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Let it work, if it does not yet."""
        if self._task is None:
            self._task = asyncio.create_task(self._live())
        await self._ready.wait()

    async def stop(self) -> None:
        """Let it end."""
        self._end.set()
        if self._task is not None:
            with suppress(asyncio.CancelledError):
                await self._task

    async def _live(self) -> None:
        async with self._starlette.router.lifespan_context(self._starlette):
            self._ready.set()
            await self._end.wait()


async def _only_post(send: Send) -> None:
    headers = [(b"allow", b"POST"), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 405, "headers": headers})
    await send({"type": "http.response.body", "body": b""})

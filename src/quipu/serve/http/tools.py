"""MCP over streamable HTTP, beside the API with its keys and namespaces.

Every request stands alone: the protocol's stateless mode. The tools keep nothing between two
calls, so there is no session that could outlive its client.
"""

import asyncio
from contextlib import suppress

from mcp.server.transport_security import TransportSecuritySettings

from quipu.serve.http import Options
from quipu.serve.http.gate import CALLER, ROUTE, App, Caller, Message, Receive, Send, whole_request
from quipu.serve.http.memories import Memories
from quipu.serve.mcp import build_server
from quipu.serve.mcp.server import Server

__all__ = ["BesideTools"]

PATH = "/mcp"


class BesideTools:
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
            await _posts(self._tools, self._options.largest)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _until_the_end(self, send: Send) -> Send:
        async def stopping_send(message: Message) -> None:
            if message["type"] == "lifespan.shutdown.complete":
                for each in self._served.values():
                    await each.stop()
            await send(message)

        return stopping_send

    async def _tools(self, scope: Message, receive: Receive, send: Send) -> None:
        caller: Caller = scope[CALLER]
        memory = self._memories.of(caller.namespace)
        chosen = memory.store.namespace, not caller.may("write")
        if chosen not in self._served:
            server = build_server(memory, profile=self._options.profile, read_only=chosen[1])
            self._served[chosen] = _Served(_tools_of(server, self._options.largest))
        served = self._served[chosen]
        await served.start()
        await served.app({**scope, "path": PATH}, receive, send)


class _Served:
    """One MCP application and the task that keeps it."""

    def __init__(self, app: App) -> None:
        self.app = app
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
        async with self.app.router.lifespan_context(self.app):  # type: ignore[attr-defined]  # it is Starlette's
            self._ready.set()
            await self._end.wait()


def _tools_of(server: Server, largest: int) -> App:
    """The SDK's application; the gate has looked at hosts already."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=largest,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def _posts(app: App, largest: int) -> App:
    """`app` for requests that are POST and whole: there is no stream to open, no session to end,
    and who leaves in the middle has asked nothing."""

    async def handed_on(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope[ROUTE] = PATH
            if scope["method"] != "POST":
                headers = [(b"allow", b"POST"), (b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 405, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
            receive = await whole_request(receive, largest)
        await app(scope, receive, send)

    return handed_on

"""MCP over streamable HTTP, beside the API with its keys and namespaces.

Every request stands alone: the protocol's stateless mode. The tools keep nothing between two
calls, so there is no session that could outlive its client.
"""

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
        self._servers: dict[tuple[str, bool], Server] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Hand a connection to where it belongs. Tools take requests that are POST and whole: there
        is no stream to open, no session to end, and who leaves in the middle has asked nothing."""
        if scope["type"] != "http" or scope["path"].rstrip("/") != PATH:
            await self._app(scope, receive, send)
            return
        scope[ROUTE] = PATH
        if scope["method"] != "POST":
            headers = [(b"allow", b"POST"), (b"content-length", b"0")]
            await send({"type": "http.response.start", "status": 405, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        receive = await whole_request(receive, self._options.largest)
        # Hosts and origins were looked at by the gate.
        security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        app = self._server(scope[CALLER]).streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            max_request_body_size=self._options.largest,
            transport_security=security,
        )
        async with app.router.lifespan_context(app):
            await app({**scope, "path": PATH}, receive, send)

    def _server(self, caller: Caller) -> Server:
        memory = self._memories.of(caller.namespace)
        chosen = memory.store.namespace, not caller.may("write")
        if chosen not in self._servers:
            self._servers[chosen] = build_server(
                memory, profile=self._options.profile, read_only=chosen[1]
            )
        return self._servers[chosen]

"""MCP over streamable HTTP, beside the API with its keys and namespaces.

Every request stands alone: the protocol's stateless mode. The tools keep nothing between two
calls, so there is no session that could outlive its client.
"""

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from quipu.serve.http import Options
from quipu.serve.http.gate import CALLER, ROUTE, Caller
from quipu.serve.http.memories import Memories
from quipu.serve.mcp import build_server
from quipu.serve.mcp.server import Server

__all__ = ["PATH", "Tools"]

PATH = "/mcp"


class Tools:
    """The tools for agents: over the memory of the caller's namespace, and only those that read
    where the key's scope is `read`."""

    def __init__(self, memories: Memories, options: Options) -> None:
        self._memories, self._options = memories, options
        self._servers: dict[tuple[str, bool], Server] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, once it is whole: who leaves in the middle has asked nothing."""
        scope[ROUTE] = PATH
        first = [{"type": "http.request", "body": await Request(scope, receive).body()}]

        async def whole() -> Message:
            return first.pop() if first else await receive()

        app = self._server(scope[CALLER]).streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            max_request_body_size=self._options.largest,
            # Hosts and origins were looked at by the gate.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        async with app.router.lifespan_context(app):
            await app({**scope, "path": PATH}, whole, send)

    def _server(self, caller: Caller) -> Server:
        memory = self._memories.of(caller.namespace)
        chosen = memory.store.namespace, not caller.may("write")
        if chosen not in self._servers:
            self._servers[chosen] = build_server(
                memory, profile=self._options.profile, read_only=chosen[1]
            )
        return self._servers[chosen]

"""Serving: over standard input and output, or over streamable HTTP."""

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any, TypeAlias

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.serve.mcp.server import Server

__all__ = ["http_app", "read_token", "serve_http", "serve_stdio"]

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]

PATH = "/mcp"
_LARGEST_REQUEST = 32 * 1024 * 1024
_SHORTEST_TOKEN = 16


def serve_stdio(server: Server) -> None:
    """Serve one client on standard input and output until it goes away.

    Meanwhile standard output carries the protocol alone: the SDK turns whatever else is printed
    to standard error.
    """
    server.run("stdio")


def serve_http(server: Server, *, host: str, port: int, token: str = "") -> None:
    """Serve many clients at http://host:port/mcp until interrupted.

    Without a `token` only this machine is served. Raises InvalidInput for an open address
    without one, StoreUnavailable when the port is taken.
    """
    import uvicorn

    app = http_app(server, host=host, token=token)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", access_log=False)
    try:
        uvicorn.Server(config).run()
    except SystemExit as error:  # uvicorn leaves the process when it cannot listen
        raise StoreUnavailable(
            f"http://{host}:{port} cannot be served: take another --port, or end what holds it"
        ) from error


def http_app(server: Server, *, host: str = "127.0.0.1", token: str = "") -> App:
    """The ASGI application; requests without the bearer `token`, if there is one, get 401."""
    if not token and not _is_this_machine(host):
        raise InvalidInput(
            f"--host {host!r} lets other machines in: give --token-file with a secret they send"
        )
    app = server.streamable_http_app(
        streamable_http_path=PATH, host=host, max_request_body_size=_LARGEST_REQUEST
    )
    return _guarded(app, token) if token else app


def read_token(file: Path) -> str:
    """The secret in `file`; InvalidInput when it is too short to be one."""
    token = file.read_text("utf-8", "replace").strip()
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or " " in token:
        raise InvalidInput(
            f"{str(file)!r} holds no token: write {_SHORTEST_TOKEN} or more letters and digits, "
            "for example with `openssl rand -hex 32`"
        )
    return token


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _guarded(app: App, token: str) -> App:
    expected = f"Bearer {token}".encode("ascii")

    async def guarded(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, expected):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        await app(scope, receive, send)

    return guarded

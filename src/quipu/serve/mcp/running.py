"""Serving: over standard input and output, or over streamable HTTP.

Over HTTP every request stands alone: the protocol's stateless mode. The tools keep nothing between
two calls, so there is no session that could outlive its client, and a server that was started anew
serves the clients of the one before.
"""

import hmac
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings

from quipu.errors import InvalidInput
from quipu.serve.listening import (
    addresses_of,
    ended_by_sigterm,
    hosts_of,
    is_this_machine,
    listening,
)
from quipu.serve.mcp.server import Server

__all__ = ["LARGEST_REQUEST", "http_app", "read_token", "serve_http", "serve_stdio"]

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]

PATH = "/mcp"
LARGEST_REQUEST = 32 * 1024 * 1024
"""Bytes that the body of a request may have; a larger one is answered with 413."""

_SHORTEST_TOKEN = 16
_GRACE_S = 5  # seconds that a request under way may still take when the server is told to stop


def serve_stdio(server: Server) -> None:
    """Serve one client on standard input and output until it goes away.

    Meanwhile standard output carries the protocol alone: the SDK turns whatever else is printed
    to standard error.
    """
    server.run("stdio")


def serve_http(server: Server, *, host: str, port: int, token: str = "") -> None:
    """Serve many clients at http://host:port/mcp until interrupted or told to end (SIGTERM).

    Without a `token` only this machine is served. Raises InvalidInput for an open address
    without one, StoreUnavailable when the address or the port is not to be had.
    """
    import uvicorn

    from quipu.serve.mcp.connections import PatientConnection

    addresses = addresses_of(host)
    config = uvicorn.Config(
        _app(server, host, addresses, token),
        http=PatientConnection,
        ws="none",
        proxy_headers=False,
        server_header=False,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    with ExitStack() as open_now:
        sockets = [open_now.enter_context(each) for each in listening(host, addresses, port)]
        open_now.enter_context(ended_by_sigterm())
        uvicorn.Server(config).run(sockets)


def http_app(server: Server, *, host: str = "127.0.0.1", token: str = "") -> App:
    """The ASGI application for `host`.

    Requests without the bearer `token`, if there is one, get 401; where `host` is this machine
    alone, those whose Host or Origin is another get 421 and 403 (a page whose name was turned to
    this machine could send them). Raises InvalidInput for an open address without a token.
    """
    return _app(server, host, addresses_of(host), token)


def read_token(file: Path) -> str:
    """The secret in `file`; InvalidInput when it is too short to be one."""
    token = file.read_text("utf-8", "replace").strip()
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or " " in token:
        raise InvalidInput(
            f"{str(file)!r} holds no token: write {_SHORTEST_TOKEN} or more letters and digits, "
            "for example with `openssl rand -hex 32`"
        )
    return token


def _app(server: Server, host: str, addresses: Sequence[str], token: str) -> App:
    local = is_this_machine(addresses)
    if not token and not local:
        raise InvalidInput(
            f"--host {host!r} lets other machines in: give --token-file with a secret they send"
        )
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=LARGEST_REQUEST,
        transport_security=_of_this_machine({host, *addresses}) if local else None,
        host=host,
    )
    return _guarded(_whole(app), token)


def _of_this_machine(names: set[str]) -> TransportSecuritySettings:
    """The Host and Origin that a client on this machine sends to a server of these names."""
    hosts = hosts_of(names)
    return TransportSecuritySettings(
        allowed_hosts=[form for host in hosts for form in (host, f"{host}:*")],
        allowed_origins=[f"http://{form}" for host in hosts for form in (host, f"{host}:*")],
    )


def _guarded(app: App, token: str) -> App:
    """Only POST, only with the token and only one length, before a byte of the body is waited
    for."""
    expected = token.encode("ascii")

    async def guarded(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
            sent = hmac.compare_digest(given.strip(), expected) and scheme.lower() == b"bearer"
            if token and not sent:
                await _refuse(send, 401, (b"www-authenticate", b"Bearer"))
                return
            if scope["method"] != "POST":  # there is no stream to open, no session to end
                await _refuse(send, 405, (b"allow", b"POST"))
                return
            if b"transfer-encoding" in headers and b"content-length" in headers:  # RFC 9112, 6.3
                await _refuse(send, 400, (b"connection", b"close"))
                return
        await app(scope, receive, send)

    return guarded


def _whole(app: App) -> App:
    """Hand on requests whose body is there: who leaves in the middle has asked nothing."""

    async def whole(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        first = [await receive()]
        if first[0]["type"] != "http.request" or first[0]["more_body"]:
            return

        async def replay() -> Message:
            return first.pop() if first else await receive()

        await app(scope, replay, send)

    return RequestBodyLimitMiddleware(whole, LARGEST_REQUEST)


async def _refuse(send: Send, status: int, header: tuple[bytes, bytes]) -> None:
    headers = [header, (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})

"""What every request passes before anything is read of it.

Its host and origin (a page of elsewhere whose name was turned to this machine could send it), its
key, how long it may take. What is refused here has cost nothing.
"""

import asyncio
import json
import logging
import re
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quipu.errors import QuipuError
from quipu.read import redact
from quipu.serve.http import REQUEST_ID, Options
from quipu.serve.http.memories import Memories
from quipu.serve.http.metrics import ServerMetrics
from quipu.serve.http.problems import PROBLEM_TYPE, TOO_LARGE, problem
from quipu.serve.keys import GIVEN, SCOPES, KeyScope

__all__ = [
    "ASKED",
    "CALLER",
    "ROUTE",
    "Caller",
    "Gate",
    "caller_of",
]

ASKED, CALLER, ROUTE = "quipu.asked", "quipu.caller", "quipu.route"
"""Where an ASGI scope holds what was asked, who asked it, and its route."""

_LOG = logging.getLogger("quipu.serve.http.requests")
_GIVEN_ID = re.compile(r"[\w.-]{1,64}")
_OPEN_TO_ALL = ("/", "/health", "/health/ready", "/api/openapi.json")
_LONGEST_METHOD = 16
_SAFE = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_CLOSES = {"connection": "close"}


class Caller(NamedTuple):
    """Whoever sent a request; an empty `key_id` is a user of this machine, or, where it is not
    known, just anybody. An empty namespace is the configured one."""

    namespace: str
    scope: KeyScope
    key_id: str = ""
    is_known: bool = True

    @property
    def is_operator(self) -> bool:
        """Whether it runs the server: a user of this machine, or the key it was started with."""
        return self.is_known and self.key_id in ("", GIVEN)

    def may(self, needs: KeyScope) -> bool:
        """Whether the caller's scope allows what needs another."""
        return SCOPES.index(self.scope) >= SCOPES.index(needs)


def caller_of(scope: Any) -> Caller:
    """Who sent the request of an ASGI scope, as the gate has found."""
    return scope[CALLER]


def _given_key(headers: Mapping[bytes, bytes]) -> str:
    """The key in a request's headers: `Authorization: Bearer` or `X-API-Key`."""
    scheme, _, bearer = headers.get(b"authorization", b"").partition(b" ")
    given = bearer.strip() if scheme.lower() == b"bearer" else headers.get(b"x-api-key", b"")
    return given.decode("latin-1")


class Gate:
    """An application behind its gate. `local` says that only this machine can reach it; `hosts`
    are what a client may write as its host then. Keys are those of the `memories`."""

    def __init__(
        self,
        app: ASGIApp,
        options: Options,
        *,
        local: bool,
        hosts: frozenset[str],
        memories: Memories,
        metrics: ServerMetrics,
    ) -> None:
        self._app, self._memories, self._options = app, memories, options
        self._local, self._hosts, self._metrics = local, hosts, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"").decode("latin-1")
        scope[REQUEST_ID] = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
        begun, sent = time.monotonic(), _Sent(send, scope[REQUEST_ID])
        try:
            _check_framing(headers, self._options.largest)
            self._check_host(headers)
            public = scope["path"] in _OPEN_TO_ALL or scope["path"].startswith("/page/")
            scope[CALLER] = self._caller(_given_key(headers), public=public)
            await self._within_time(scope, receive, sent)
        except HTTPException as refused:
            sent.begun = _nothing  # its time is over
            await sent.problem(refused.status_code, refused.detail, refused.headers or {})
        except QuipuError as error:  # the keys cannot be read
            await sent.problem(503, str(error))
        except ClientDisconnect:  # nobody is there to be answered
            pass
        finally:
            self._log(scope, sent.status, time.monotonic() - begun)

    def _check_host(self, headers: Mapping[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self._local and _without_port(host) not in self._hosts:
            raise HTTPException(
                421,
                f"this server is not {host[:200]!r}: ask it by the address it listens at, or start "
                "it with --allow-host and that name",
            )
        origin = headers.get(b"origin")
        if origin is None:
            return
        origin_host = urlsplit(origin.decode("latin-1").lower()).netloc
        if origin_host != host:
            raise HTTPException(
                403,
                f"a page of {origin.decode('latin-1')[:200]!r} may not use this server: open the "
                "server's own page",
            )

    def _caller(self, given: str, *, public: bool) -> Caller:
        keys = self._memories.keys
        if self._local and not (keys and keys.any()):
            return Caller("", "read" if self._options.read_only else "admin")
        found = keys.find(given) if keys and given else None
        if found is not None:
            scope = "read" if self._options.read_only else found.scope
            return Caller(found.namespace, scope, found.key_id)
        if public:
            return Caller("", "read", is_known=False)
        said = "this key is unknown or revoked" if given else "this server needs an API key"
        raise HTTPException(
            401,
            f"{said}: send one that `quipu key create` made, as `Authorization: Bearer …` or "
            "`X-API-Key: …`",
            {"www-authenticate": 'Bearer realm="quipu"'},
        )

    async def _within_time(self, scope: Scope, receive: Receive, sent: "_Sent") -> None:
        """Let the application answer; what has not begun to in time is answered for it. The
        thread that works on it goes on, and counts among those that are busy."""
        seconds = self._options.seconds
        try:
            async with asyncio.timeout(seconds) as limit:
                sent.begun = lambda: limit.reschedule(None)
                await self._app(scope, receive, sent)
        except TimeoutError:
            if sent.status:
                raise
            raise HTTPException(
                504,
                f"no answer within {seconds:g} s: send the body faster, ask for less (a lower "
                "limit, a narrower question), or start the server with more --timeout",
            ) from None

    def _log(self, scope: Scope, status: int, seconds: float) -> None:
        """Count and log a request: its route, and its question only where that is asked for."""
        route = str(scope.get(ROUTE) or "other")
        caller: Caller | None = scope.get(CALLER)
        self._metrics.request(route, scope["method"], status, seconds)
        if not _LOG.isEnabledFor(logging.INFO):
            return
        fields = {
            "request_id": scope[REQUEST_ID],
            "method": scope["method"][:_LONGEST_METHOD],
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "key": caller.key_id if caller else "",
        }
        if self._options.log_questions and ASKED in scope:
            fields["question"] = redact(str(scope[ASKED]))[0]
        _LOG.info(json.dumps(fields))


class _Sent:
    """What is sent to one client: with a request id and safe headers, and remembered."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send, self._request_id = send, request_id
        self.status = 0
        self.begun: Callable[[], None] = _nothing

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.begun()
            marked = (b"x-request-id", self._request_id.encode())
            message["headers"] = [*message.get("headers", ()), *_SAFE, marked]
        await self._send(message)

    async def problem(self, status: int, detail: str, headers: Mapping[str, str] = {}) -> None:
        body = msgspec.json.encode(problem(status, detail, request_id=self._request_id))
        sent = {"content-type": PROBLEM_TYPE, "content-length": str(len(body)), **headers}
        pairs = [(name.encode(), value.encode()) for name, value in sent.items()]
        await self({"type": "http.response.start", "status": status, "headers": pairs})
        await self({"type": "http.response.body", "body": body})


def _check_framing(headers: Mapping[bytes, bytes], largest: int) -> None:
    """Refuse a body that has two lengths: a proxy may go by the other one, and what follows would
    be another's request (RFC 9112, 6.3); and one that says itself that it is too large. The
    connection ends with the answer. Raises HTTPException."""
    length = headers.get(b"content-length", b"")
    if length and b"transfer-encoding" in headers:
        both = "the request has both Content-Length and Transfer-Encoding: send one of them"
        raise HTTPException(400, both, _CLOSES)
    if length.isdigit() and int(length) > largest:
        raise HTTPException(413, TOO_LARGE, _CLOSES)


def _nothing() -> None:
    return


def _without_port(host: str) -> str:
    """`[::1]:80` and `localhost:80` without their port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host

"""What every request passes before anything is read of it.

Its host and origin (a page of elsewhere whose name was turned to this machine could send it), its
key, how many came before it, how long it may take. What is refused here has cost nothing.
"""

import asyncio
import json
import logging
import re
import time
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from quipu.errors import QuipuError
from quipu.read import redact
from quipu.serve.http import Options
from quipu.serve.http.caller import ASKED, CALLER, REQUEST_ID, ROUTE, Caller, given_key
from quipu.serve.http.memories import Memories
from quipu.serve.http.metrics import ServerMetrics
from quipu.serve.http.problems import PROBLEM_TYPE, TOO_LARGE, problem

__all__ = ["App", "Gate", "Message", "Receive", "Send", "whole_request"]

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]

_LOG = logging.getLogger("quipu.serve.http.requests")
_GIVEN_ID = re.compile(r"[\w.-]{1,64}")
_OPEN_TO_ALL = ("/", "/health", "/health/ready", "/api/openapi.json")
_PAGE = "/page/"
_LONGEST_METHOD = 16
_SAFE = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class _Refused(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, detail: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers


class _Begun(NamedTuple):
    request_id: str
    at: float


class Gate:
    """An application behind its gate. `local` says that only this machine can reach it; `hosts`
    are what a client may write as its host then."""

    def __init__(
        self,
        app: App,
        memories: Memories,
        options: Options,
        *,
        local: bool,
        hosts: frozenset[str],
        metrics: ServerMetrics,
    ) -> None:
        self._app, self._memories, self._options = app, memories, options
        self._local, self._hosts, self._metrics = local, hosts, metrics
        self._rates = RateLimit(options.requests_a_minute)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"").decode("latin-1")
        begun = _Begun(given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex, time.monotonic())
        scope[REQUEST_ID] = begun.request_id
        sent = _Sent(send, begun.request_id)
        try:
            scope[CALLER] = self._admitted(scope, headers)
            await self._within_time(scope, receive, sent)
        except _Refused as refused:
            await sent.problem(refused.status, refused.detail, *refused.headers)
        except HTTPException as refused:
            sent.begun = _nothing  # its time is over
            await sent.problem(refused.status_code, refused.detail, (b"connection", b"close"))
        except QuipuError as error:  # the keys cannot be read
            await sent.problem(503, str(error))
        except ClientDisconnect:  # nobody is there to be answered
            pass
        finally:
            self._log(scope, sent.status, begun)

    def _admitted(self, scope: Message, headers: dict[bytes, bytes]) -> Caller:
        """Who asks, once their host, their key and their rate allow it. Raises _Refused."""
        address = str((scope.get("client") or ("",))[0])
        try:
            _check_framing(headers)
            self._check_host(headers)
            public = scope["path"] in _OPEN_TO_ALL or scope["path"].startswith(_PAGE)
            caller = self._caller(headers, public=public)
            self._check_length(headers)
        except _Refused:
            self._count(address)
            raise
        self._count(caller.key_id or address)
        return caller

    def _count(self, who: str) -> None:
        """Take one of somebody's requests. Raises _Refused when none is left."""
        if (wait := self._rates.take(who)) > 0:
            raise _Refused(
                429,
                f"more than {self._options.requests_a_minute} requests a minute: try again in "
                f"{wait:.0f} s",
                (b"retry-after", str(int(wait) or 1).encode()),
            )

    def _check_host(self, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self._local and _without_port(host) not in self._hosts:
            raise _Refused(
                421,
                f"this server is not {host[:200]!r}: ask it by the address it listens at, or start "
                "it with --allow-host and that name",
            )
        origin = headers.get(b"origin")
        if origin is None:
            return
        origin_host = urlsplit(origin.decode("latin-1").lower()).netloc
        if origin_host != host:
            raise _Refused(
                403,
                f"a page of {origin.decode('latin-1')[:200]!r} may not use this server: open the "
                "server's own page",
            )

    def _check_length(self, headers: dict[bytes, bytes]) -> None:
        """Refuse a body that says itself that it is too large, before any of it is read. Raises
        _Refused."""
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length) > self._options.largest:
            raise _Refused(413, TOO_LARGE, (b"connection", b"close"))

    def _caller(self, headers: dict[bytes, bytes], *, public: bool) -> Caller:
        keys = self._memories.keys
        given = given_key(headers)
        if self._local and not (keys and keys.any()):
            return Caller("", "admin")
        found = keys.find(given) if keys and given else None
        if found is not None:
            return Caller(found.namespace, found.scope, found.key_id)
        if public:
            return Caller("", "read")
        said = "this key is unknown or revoked" if given else "this server needs an API key"
        raise _Refused(
            401,
            f"{said}: send one that `quipu key create` made, as `Authorization: Bearer …` or "
            "`X-API-Key: …`",
            (b"www-authenticate", b'Bearer realm="quipu"'),
        )

    async def _within_time(self, scope: Message, receive: Receive, sent: "_Sent") -> None:
        """Let the application answer; what has not begun to in time is answered for it. The
        thread that works on it goes on, and counts among those that are busy."""
        coming = _Coming(receive)
        try:
            async with asyncio.timeout(self._options.seconds) as limit:
                sent.begun = lambda: limit.reschedule(None)
                await self._app(scope, coming, sent)
        except TimeoutError:
            if sent.status:
                raise
            sent.begun = _nothing
            if coming.waiting:
                await sent.problem(
                    408,
                    f"the body was not whole within {self._options.seconds:g} s: send it faster, "
                    "or in parts, or start the server with more --timeout",
                )
                return
            await sent.problem(
                504,
                f"no answer within {self._options.seconds:g} s: ask for less (a lower limit, a "
                "narrower question), or start the server with more --timeout",
            )

    def _log(self, scope: Message, status: int, begun: _Begun) -> None:
        """Count and log a request: its route, and its question only where that is asked for."""
        route = str(scope.get(ROUTE) or "other")
        seconds = time.monotonic() - begun.at
        caller: Caller | None = scope.get(CALLER)
        namespace = self._namespace_of(caller)
        self._metrics.request(route, scope["method"], status, seconds, namespace=namespace)
        if not _LOG.isEnabledFor(logging.INFO):
            return
        fields = {
            "request_id": begun.request_id,
            "method": scope["method"][:_LONGEST_METHOD],
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "key": caller.key_id if caller else "",
        }
        if self._options.log_questions and ASKED in scope:
            fields["question"] = redact(str(scope[ASKED]))[0]
        _LOG.info(json.dumps(fields))

    def _namespace_of(self, caller: Caller | None) -> str:
        """Whose request it is; "" where nobody is known to have sent it."""
        if caller is None or not caller.is_known:
            return ""
        first = self._memories.first.store.namespace if self._memories.exist else ""
        return caller.namespace or first


async def whole_request(receive: Receive, largest: int) -> Receive:
    """Return what gives a request whose body is there, in one piece. Raises HTTPException for one
    that is too large, ClientDisconnect where the client has left in the middle."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        body, more = body + message.get("body", b""), message.get("more_body", False)
        if len(body) > largest:
            raise HTTPException(413, TOO_LARGE)
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return first.pop() if first else await receive()

    return replay


class _Coming:
    """What comes from one client; `waiting` while its body is not whole and is asked for."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._whole = False
        self.waiting = False

    async def __call__(self) -> Message:
        self.waiting = not self._whole
        message = await self._receive()
        self._whole = self._whole or not message.get("more_body", False)
        self.waiting = False
        return message


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

    async def problem(self, status: int, detail: str, *headers: tuple[bytes, bytes]) -> None:
        body = msgspec.json.encode(problem(status, detail, request_id=self._request_id))
        all_headers = [
            (b"content-type", PROBLEM_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            *headers,
        ]
        await self({"type": "http.response.start", "status": status, "headers": all_headers})
        await self({"type": "http.response.body", "body": body})


def _check_framing(headers: dict[bytes, bytes]) -> None:
    """Refuse a body that has two lengths: a proxy may go by the other one, and what follows would
    be another's request (RFC 9112, 6.3). The connection ends with the answer. Raises _Refused."""
    if b"transfer-encoding" in headers and b"content-length" in headers:
        raise _Refused(
            400,
            "the request has both Content-Length and Transfer-Encoding: send one of them",
            (b"connection", b"close"),
        )


def _nothing() -> None:
    return


def _without_port(host: str) -> str:
    """`[::1]:80` and `localhost:80` without their port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


_MOST_CALLERS = 10_000


class RateLimit:
    """`a_minute` requests for each caller, all of them at once if need be; 0 sets no limit. The
    callers that were seen longest ago are forgotten first."""

    def __init__(self, a_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = float(a_minute), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> float:
        """Take one of a caller's requests; 0, or the seconds until there is one."""
        if self._most <= 0:
            return 0.0
        now = self._clock()
        left, since = self._left.pop(caller, (self._most, now))
        left = min(self._most, left + (now - since) * self._most / 60)
        wait = 0.0 if left >= 1 else (1 - left) * 60 / self._most
        self._left[caller] = (left if wait else left - 1, now)
        while len(self._left) > _MOST_CALLERS:
            self._left.popitem(last=False)
        return wait

"""Where a server listens, for how long, and what it is called there."""

import asyncio
import ipaddress
import signal
import socket
import threading
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from quipu.errors import StoreUnavailable

__all__ = ["addresses_of", "listening", "served_hosts", "until_interrupted"]

_RECEIVING = {h11.IDLE, h11.SEND_BODY}


class PatientConnection(H11Protocol):
    """A connection that is closed when its client keeps it waiting.

    Counted from when the request could begin, its head must arrive within `head_s` seconds, and
    from there its body within `body_s`, however steadily bytes trickle in; an answer that is not
    taken is dropped after `body_s`. A server holds `most` of them (browsers and load balancers keep
    several each): the next is closed at once.
    """

    head_s: float = 10
    body_s: float = 60
    most: int = 1024

    _deadline: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None
    _awaited: type[object] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn narrows it
        """Wait for the head of the first request, if there is room."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self._wait()

    def handle_events(self) -> None:
        """Take what has arrived, and wait for what the request still lacks."""
        super().handle_events()
        self._wait()

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        self._stuck = self.loop.call_later(self.body_s, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._stuck = _cancelled(self._stuck)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        self._deadline = _cancelled(self._deadline)
        self._stuck = _cancelled(self._stuck)

    def _wait(self) -> None:
        """One deadline for each state of receiving: what trickles in does not move it."""
        state = self.conn.their_state
        if state is self._awaited:
            return
        self._awaited = state
        self._deadline = _cancelled(self._deadline)
        if state in _RECEIVING and not self.transport.is_closing():
            patience = self.head_s if state is h11.IDLE else self.body_s
            self._deadline = self.loop.call_later(patience, self.transport.abort)


def _cancelled(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


_GRACE_S = 20  # seconds that a request under way may still take when the server is told to stop


def until_interrupted(app: Any, host: str, port: int) -> None:
    """Serve an ASGI application until interrupted or told to end (SIGTERM): what runs is finished
    then. Raises StoreUnavailable when the address or the port is not to be had."""
    config = uvicorn.Config(
        app,
        http=PatientConnection,
        ws="none",
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    with ExitStack() as open_now:
        for each in (sockets := listening(host, addresses_of(host), port)):
            open_now.enter_context(each)
        open_now.enter_context(_ended_by_sigterm())
        uvicorn.Server(config).run(sockets)


def served_hosts(host: str, more: Sequence[str] = ()) -> tuple[bool, frozenset[str]]:
    """Whether only this machine reaches `host`, and what a client may write as the host of its
    requests then, without the port; `more` are further names."""
    addresses = addresses_of(host)
    local = bool(addresses) and all(_is_loopback(each) for each in addresses)
    names = {host, *addresses, "127.0.0.1", "localhost", "::1"}
    written = (f"[{name}]" if ":" in name else name for name in names)
    return local, frozenset([*written, *(name.lower() for name in more)])


def addresses_of(host: str) -> list[str]:
    """The numbers of a host, looked up once: what was judged is what is listened at."""
    with suppress(ValueError):
        ipaddress.ip_address(host.partition("%")[0])
        return [host]
    try:
        found = socket.getaddrinfo(
            host or None, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _is_loopback(address: str) -> bool:
    number = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(number, ipaddress.IPv6Address) and number.ipv4_mapped:
        number = number.ipv4_mapped
    return number.is_loopback


def listening(host: str, addresses: Sequence[str], port: int) -> list[socket.socket]:
    """A socket for every address that can be had; of a name, one is enough. Raises
    StoreUnavailable where none can."""
    sockets: list[socket.socket] = []
    failure: Exception | None = None
    for address in addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            made = socket.create_server((address, port), family=family, backlog=128)
            # Its connections inherit this. asyncio sets it only where a socket names its protocol,
            # which these do not; without it the end of an answer waits 40 ms for the client.
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sockets.append(made)
        except (OSError, OverflowError) as error:
            failure = error
    if sockets and not isinstance(failure, PermissionError):
        return sockets
    for each in sockets:
        each.close()
    raise StoreUnavailable(
        f"{host!r}, port {port}, cannot be served ({failure or 'no such host'}): take another "
        "--port or --host, or end what holds it"
    ) from failure


@contextmanager
def _ended_by_sigterm() -> Generator[None]:
    """While serving, SIGTERM leaves by way of whoever holds the memory, who closes it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(*_: object) -> None:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

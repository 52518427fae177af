"""Where a server listens: addresses looked up once, sockets, and how it is told to end."""

import ipaddress
import signal
import socket
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress

from quipu.errors import StoreUnavailable

__all__ = ["addresses_of", "ended_by_sigterm", "hosts_of", "is_this_machine", "listening"]


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


def is_this_machine(addresses: Sequence[str]) -> bool:
    """Whether all of `addresses` (and there are some) are reached from this machine alone."""
    return bool(addresses) and all(_is_loopback(each) for each in addresses)


def _is_loopback(address: str) -> bool:
    number = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(number, ipaddress.IPv6Address) and number.ipv4_mapped:
        number = number.ipv4_mapped
    return number.is_loopback


def hosts_of(names: set[str]) -> list[str]:
    """What a client on this machine writes as the host of a server of these names, without the
    port."""
    known = sorted(names | {"127.0.0.1", "localhost", "::1"})
    return [f"[{name}]" if ":" in name else name for name in known]


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
def ended_by_sigterm() -> Generator[None]:
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

"""Which addresses a fetch may reach, and one request to such an address with its answer.

Names are resolved once and the connection goes to the very address that was checked, so a name
that changes its mind in between reaches nothing else. Everything has a bound: the time of the
whole, the bytes that come over the wire, and what they unpack to.
"""

import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple, TypeAlias

from quipu.errors import InvalidInput, Unavailable
from quipu.kinds.pages.address import WebAddress
from quipu.tables import read_table

__all__ = [
    "Address",
    "CrawlLimits",
    "Deadline",
    "Network",
    "Response",
    "addresses_of",
    "exchange",
    "is_public",
]

PORTS = (80, 443)
_PIECE = 65_536
_ANY_OF_ZLIB = 47  # gzip or zlib, told apart by their heads

Address: TypeAlias = IPv4Address | IPv6Address

_TABLE = read_table("quipu.kinds.pages", "networks.toml")
_CLOSED = tuple(map(ip_network, _TABLE["closed"]))
_OPEN_6 = IPv6Network(_TABLE["open_6"])
_HOLDING_4 = tuple(map(IPv6Network, _TABLE["holding_4"]))


def is_public(address: Address) -> bool:
    """Whether an address belongs to a host of the public internet.

    Loopback, private, link-local, shared (CGNAT), reserved, documentation and multicast ranges do
    not; an IPv4 address inside an IPv6 one (mapped, NAT64) is judged itself, 6to4 and Teredo are
    refused.
    """
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        if any(address in each for each in _HOLDING_4):
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address not in _OPEN_6:
            return False
    return not any(address in closed for closed in _CLOSED)


def _resolve(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


@dataclass(frozen=True, slots=True)
class Network:
    """What a fetch may reach: `ports`, the addresses that `may_reach` admits, as `resolve` finds
    them; `tls` verifies servers (default: the system's authorities). Proxies are never used: one
    would look names up itself, and nothing here could say where it went."""

    ports: tuple[int, ...] = PORTS
    may_reach: Callable[[Address], bool] = is_public
    resolve: Callable[[str, int], Sequence[str]] = _resolve
    tls: ssl.SSLContext | None = None


def addresses_of(network: Network, place: WebAddress, *, timeout_s: float) -> list[Address]:
    """The addresses of a host, all of which may be reached.

    Raises InvalidInput for a port or an address that is out of bounds, Unavailable for a name
    that is not found in time.
    """
    if place.port not in network.ports:
        allowed = ", ".join(map(str, network.ports))
        raise InvalidInput(
            f"port {place.port} of {place.host!r} is not allowed (those are {allowed}): set "
            "crawl.ports if it should be"
        )
    found = [ip_address(each) for each in _resolved(network, place, timeout_s)]
    for address in found:
        if not network.may_reach(address):
            raise InvalidInput(
                f"{place.host!r} is at {address}, which is no address of the public internet: "
                "pages of private networks are not fetched; save the page and index the file"
            )
    return found


def _resolved(network: Network, place: WebAddress, timeout_s: float) -> Sequence[str]:
    """The addresses as the resolver gives them; it is asked in a thread, for it knows no limit."""
    done: list[Sequence[str]] = []
    failed: list[Exception] = []

    def ask() -> None:
        try:
            done.append(network.resolve(place.host, place.port))
        except (OSError, UnicodeError) as error:
            failed.append(error)

    asking = threading.Thread(target=ask, name="quipu-resolve", daemon=True)
    asking.start()
    asking.join(max(timeout_s, 0))
    if done and done[0]:
        return done[0]
    why = failed[0] if failed else "no address" if done else f"no answer in {timeout_s:.0f} s"
    raise Unavailable(f"the host {place.host!r} is not found ({why}): check its name, and the net")


class CrawlLimits(NamedTuple):
    """`max_bytes` bounds a page, packed and unpacked; `timeout_s` the time of one page with its
    robots.txt and all its redirects."""

    max_bytes: int = 10_000_000
    timeout_s: float = 30.0
    redirects: int = 10


class Deadline:
    """The moment by which everything must be over, by the monotonic clock."""

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._end = time.monotonic() + timeout_s

    @property
    def left_s(self) -> float:
        """Seconds that are left, never below a hundredth."""
        return max(self._end - time.monotonic(), 0.01)

    @property
    def passed(self) -> bool:
        """Whether it is over."""
        return time.monotonic() >= self._end


class Response(NamedTuple):
    """What a server said. Header names are in lower case; `body` is unpacked, and whole unless it
    might be cut."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def exchange(
    place: WebAddress,
    network: Network,
    *,
    headers: Mapping[str, str],
    max_bytes: int,
    deadline: Deadline,
    may_cut: bool = False,
) -> Response:
    """Ask for `place`. With `may_cut` no more than `max_bytes` of a longer body are read.

    Raises InvalidInput for what may not be reached or is too large, Unavailable for what fails.
    """
    addresses = addresses_of(network, place, timeout_s=deadline.left_s)
    connection = _Pinned(place, addresses, network, deadline)
    # A server that sends a byte now and then would pass every time-out of a socket.
    watch = threading.Timer(deadline.left_s, connection.cut)
    watch.daemon = True
    watch.start()
    try:
        connection.request("GET", place.target, headers=dict(headers))
        with connection.getresponse() as response:
            answer = _read(response, place, max_bytes, may_cut)
        if deadline.passed:  # what was cut off looks like an end where no length was given
            raise TimeoutError
        return answer
    except (OSError, HTTPException, ValueError) as error:
        raise Unavailable(_said(place, error, deadline)) from error
    finally:
        watch.cancel()
        connection.close()


def _said(place: WebAddress, error: Exception, deadline: Deadline) -> str:
    if deadline.passed or isinstance(error, TimeoutError):
        return (
            f"{place.host!r} took longer than {deadline.timeout_s:g} s: try later, or raise "
            "crawl.timeout_s"
        )
    if isinstance(error, ssl.SSLError):
        return f"the certificate of {place.host!r} is not trusted, or TLS failed ({error})"
    reason = str(error) or type(error).__name__
    return f"{place.host!r} failed ({reason}): check the address and the net, and try later"


class _Pinned(HTTPConnection):
    """A connection to one of the given addresses, whatever the name means elsewhere."""

    def __init__(
        self, place: WebAddress, addresses: Sequence[Address], network: Network, deadline: Deadline
    ) -> None:
        super().__init__(place.host, place.port, timeout=deadline.left_s)
        self.default_port = 443 if place.scheme == "https" else 80
        self._place, self._addresses = place, addresses
        self._network, self._deadline = network, deadline
        self._open_socket: socket.socket | None = None  # http.client lets go of its own too early

    def connect(self) -> None:
        self.sock = self._open_socket = self._first()
        self.sock.settimeout(self._deadline.left_s)
        if self._place.scheme == "https":
            wrapped = (self._network.tls or ssl.create_default_context()).wrap_socket(
                self.sock, server_hostname=self._place.host, do_handshake_on_connect=False
            )
            self.sock = self._open_socket = wrapped
            wrapped.do_handshake()

    def _first(self) -> socket.socket:
        """A connection to the first address that takes one."""
        last = OSError("it has no address")
        for address in self._addresses:
            place = (str(address), self._place.port)
            try:
                return socket.create_connection(place, timeout=self._deadline.left_s)
            except OSError as error:
                last = error
        raise last

    def cut(self) -> None:
        """Cut the connection, whoever reads from it."""
        if self._open_socket is not None:
            with suppress(OSError):
                socket.socket.shutdown(self._open_socket, socket.SHUT_RDWR)


def _read(response: HTTPResponse, place: WebAddress, max_bytes: int, may_cut: bool) -> Response:
    headers = {name.lower(): value for name, value in response.getheaders()}
    if response.status in range(300, 400):
        return Response(response.status, headers, b"")
    too_large = InvalidInput(
        f"the page of {place.host!r} has more than {max_bytes:,} bytes: raise crawl.max_bytes, or "
        "save it and index the file"
    )
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > max_bytes and not may_cut:
        raise too_large
    packing = headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip", "deflate", ""):
        raise Unavailable(f"{place.host!r} answers packed as {packing!r}, which was not asked for")
    packed = packing not in ("identity", "")
    unpack = zlib.decompressobj(_ANY_OF_ZLIB) if packed else None
    body = bytearray()
    came = 0
    while len(body) <= max_bytes and came <= max_bytes and (piece := response.read1(_PIECE)):
        came += len(piece)
        try:
            room = max_bytes + 1 - len(body)
            body += unpack.decompress(piece, room) if unpack else piece
        except zlib.error as error:
            raise Unavailable(f"what {place.host!r} sends is not packed as it says") from error
    if len(body) > max_bytes or came > max_bytes or (unpack and unpack.unconsumed_tail):
        if not may_cut:
            raise too_large
    elif response.length or (unpack and came and not unpack.eof):
        raise ConnectionError("it broke off in the middle of the page")
    return Response(response.status, headers, bytes(body[:max_bytes]))

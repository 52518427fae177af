"""Which addresses a fetch may reach, and how a host becomes one of them.

Names are resolved once and the connection goes to the very address that was checked, so a name
that changes its mind in between reaches nothing else.
"""

import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from ssl import SSLContext, create_default_context
from typing import TypeAlias

from quipu.errors import InvalidInput, Unavailable
from quipu.kinds.pages.address import WebAddress
from quipu.tables import read_table

__all__ = ["Address", "Network", "addresses_of", "is_public"]

Address: TypeAlias = IPv4Address | IPv6Address

PORTS = (80, 443)

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
    tls: SSLContext | None = None

    def context(self) -> SSLContext:
        """What verifies a server's certificate against its name."""
        return self.tls or create_default_context()


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

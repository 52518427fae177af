"""URLs that may be fetched, read once and strictly: two programs must not read one differently."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from quipu.errors import InvalidInput
from quipu.limits import LONGEST_VALUE

__all__ = ["WebAddress", "is_url", "parse_url", "redirected"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\\u2028\u2029]")
_NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]*|\d+)")
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?")
_DEFAULT = {"http": 80, "https": 443}
_SAFE = "/:@!$&'()*+,;=-._~%"


class WebAddress(NamedTuple):
    """A URL taken apart. `host` is in lower case and ASCII; an IPv6 address has no brackets;
    `target` is the path and the query, as they stand in a request."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def origin(self) -> str:
        """Scheme, host and port: `https://example.org`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _DEFAULT[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def url(self) -> str:
        """The whole, without a fragment."""
        return f"{self.origin}{self.target}"


def is_url(text: str) -> bool:
    """Whether a word is meant as a URL, of any scheme."""
    return _SCHEME.match(text) is not None


def parse_url(text: str) -> WebAddress:
    """`text` as an address to fetch. Raises InvalidInput for what is not http or https, holds a
    user name or password, or has a host or port that can be read in two ways."""
    written = text.strip()
    shown = f"the URL {written[:200]!r}"
    if len(written) > LONGEST_VALUE or _FORBIDDEN.search(written):
        raise InvalidInput(
            f"{shown} holds blanks, control characters or backslashes, or more than "
            f"{LONGEST_VALUE} characters: write them as %20"
        )
    try:
        parts = urlsplit(written)
        port = parts.port
        host = parts.hostname or ""
    except ValueError as error:
        raise InvalidInput(f"{shown} cannot be read ({error}): check host and port") from error
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT:
        raise InvalidInput(f"{shown} is no page of the web: give one of http:// or https://")
    if "@" in parts.netloc:
        raise InvalidInput(
            f"the URL of {host!r} holds a user name or password: only public pages are fetched; "
            "leave it out"
        )
    target = quote(parts.path or "/", safe=_SAFE)
    if parts.query:
        target += "?" + quote(parts.query, safe=_SAFE + "?")
    chosen = _DEFAULT[scheme] if port is None else port
    return WebAddress(scheme, _host(host, shown), chosen, target)


def redirected(base: WebAddress, location: str) -> WebAddress:
    """Where a redirect from `base` leads; raises InvalidInput as `parse_url` does."""
    octets = location.strip().encode("latin-1", "replace")  # as http.client gives headers
    try:
        joined = urljoin(base.url, quote(octets, safe=_SAFE + "?#[]"))
    except ValueError as error:
        shown = location[:200]
        raise InvalidInput(f"the redirect to {shown!r} cannot be read: {error}") from error
    return parse_url(joined)


def _host(host: str, shown: str) -> str:
    if not host:
        raise InvalidInput(f"{shown} names no host: write https://example.org/page")
    if ":" in host:
        try:
            address = IPv6Address(host)
        except AddressValueError as error:
            raise InvalidInput(f"{shown} has no such IPv6 address: {error}") from error
        if address.scope_id is not None:
            raise InvalidInput(f"{shown} has an address of one interface: it is not public")
        return address.compressed
    try:
        ascii_host = host.encode("idna").decode().lower().rstrip(".")
    except UnicodeError as error:
        raise InvalidInput(f"{shown} has a host that is no name: {error}") from error
    if not _HOST.fullmatch(ascii_host):
        raise InvalidInput(f"{shown} has a host that is no name: letters, digits, dots, hyphens")
    if _NUMBER.fullmatch(ascii_host.rpartition(".")[2]):
        try:
            return str(IPv4Address(ascii_host))
        except AddressValueError as error:
            raise InvalidInput(
                f"{shown} has a number for a host, which can be read in several ways: write an "
                "address as four decimal numbers, for example 93.184.215.14"
            ) from error
    return ascii_host

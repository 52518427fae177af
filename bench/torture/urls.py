"""Addresses of this machine and of private networks, in every spelling: no page of them is fetched.

A server on this machine counts who connects. Whatever is named, or is redirected to, `quipu
ingest` refuses it before a connection is made.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import ClassVar, Self

from tests.servers.page_server import PageServer

from bench.torture.trial import NO_MODEL, Hands, Trial, demand, honest
from bench.torture.warm import Warm
from quipu.errors import QuipuError
from quipu.kinds.pages.crawl import CrawlLimits, Fetcher, Network, is_public

__all__ = ["Urls", "redirects", "spellings"]

PRIVATE = (
    "127.0.0.1 127.0.0.2 127.255.255.254 0.0.0.0 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 "
    "192.168.0.1 192.168.255.1 169.254.169.254 100.64.0.1 168.63.129.16 192.0.0.1 192.0.2.1 "
    "198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255"
).split()
_SIX = (
    ":: ::1 fc00::1 fd12:3456::1 fe80::1 ff02::1 2001:db8::1 2002:7f00:1:: 2001::1 64:ff9b::7f00:1 "
    "::ffff:127.0.0.1 ::127.0.0.1 64:ff9b:1::1"
).split()
_OTHER = (
    *(
        f"http://{place}:{{port}}/"
        for place in (
            "localhost LOCALHOST localhost. a.localhost user@127.0.0.1 a:b@127.0.0.1 "
            "example.org\\@127.0.0.1 example.org@127.0.0.1 ①②⑦.⓪.⓪.① 127。0。0。1 [::1%25lo] 0 "
            "0.0.0.0 127.1 127.0.1"
        ).split()
    ),
    *(f"{scheme}://127.0.0.1:{{port}}/" for scheme in "gopher ftp HTTP dict ldap".split()),
    "http://127.0.0.1:{port}\\.example.org/",
    "http://127.0.0.1:{port}#.example.org/",
    "http://127.0.0.1:{port}\t/",
    "http://127.0.0.1%2f:{port}/",
    "file:///etc/passwd",
    "http:127.0.0.1:{port}",
    "http:///127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "jar:http://127.0.0.1:{port}!/",
    "unix:///tmp/x",
    "data:text/html,<p>a",
    "javascript:alert(1)",
)
_REDIRECTS = {"/a": 301, "/b": 302, "/c": 303, "/d": 307, "/e": 308}


class Urls(Trial):
    """See the module."""

    name: ClassVar[str] = "urls"
    what: ClassVar[str] = "private addresses and redirects to them"
    cases: ClassVar[int] = 220

    def __init__(self, prepared: Path, seed: int, warm: Warm) -> None:
        super().__init__(prepared, seed, warm)
        self._server = PageServer()

    def __enter__(self) -> Self:
        self._server.__enter__()
        self._server.lay("/", "<p>A secret of this machine.")
        port = self._server.port
        self._named = [each.format(port=port) for each in (*spellings(), *_OTHER)]
        self._redirected = list(redirects(port))
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__(None, None, None)

    def case(self, number: int, dice: random.Random, hands: Hands) -> int:
        """One address by the command line, or by a redirect of a server that may be reached."""
        if number % 4 == 3:
            return self._follow(self._redirected[(number // 4) % len(self._redirected)])
        url = self._named[(number - number // 4) % len(self._named)]
        before = len(self._server.asked)
        env = NO_MODEL | {"QUIPU_CRAWL_PORTS": f"80,443,{self._server.port}"}
        hands.warm.quipu("init", cwd=hands.folder, env=env)
        done = hands.warm.quipu("ingest", "--json", url, cwd=hands.folder, env=env)
        demand(len(self._server.asked) == before, f"{url!r} was fetched from this machine")
        honest(done, f"{url!r}:", codes=(1, 2))
        demand("A secret of" not in done.out, f"{url!r} gave a page of this machine")
        return 1

    def _follow(self, to: str) -> int:
        with PageServer() as outside:
            for path, status in _REDIRECTS.items():
                outside.redirect(path, to, status=status)
            network = outside.network(private=("inside.example",))
            ports = (*network.ports, 80, 443, self._server.port)

            def resolve(host: str, port: int) -> list[str]:
                numbered = host.replace(".", "").isdigit() or ":" in host
                return [host] if numbered else list(network.resolve(host, port))

            # The outside server alone is taken to be public, under its own name.
            asked = len(self._server.asked)
            for path in _REDIRECTS:
                seen: list[str] = []

                def may_reach(address: IPv4Address | IPv6Address, seen: list[str] = seen) -> bool:
                    seen.append(str(address))
                    return len(seen) <= 2 or is_public(address)  # robots.txt and the page itself

                reached = Network(ports=ports, may_reach=may_reach, resolve=resolve)
                fetcher = Fetcher(reached, CrawlLimits(timeout_s=5), user_agent="Quipu/0.1")
                page = None
                with suppress(QuipuError):
                    page = fetcher.fetch(outside.url(path))
                followed = page is not None or len(self._server.asked) > asked
                demand(not followed, f"a redirect to {to!r} was followed")
        return len(_REDIRECTS)


def spellings() -> Iterator[str]:
    """Every private address as it can be written, `{port}` for the port."""
    for text in PRIVATE:
        number = int(ip_address(text))
        octets = ".".join(f"{int(octet):#x}" for octet in text.split("."))
        octal = f"{number:#o}".replace("0o", "0")
        for said in (text, number, f"{number:#x}", octal, octets, f"[::ffff:{text}]", f"{text}."):
            yield f"http://{said}:{{port}}/"
    for text in _SIX:
        yield f"http://[{text}]:{{port}}/"


def redirects(port: int) -> Iterator[str]:
    """Where a redirect leads that is not to be followed."""
    as_octets = [each.format(port=port).encode().decode("latin-1") for each in _OTHER]
    yield from (each for each in as_octets if "example.org\\" not in each)
    yield "http://inside.example/"
    yield from (f"http://{text}:{port}/" for text in PRIVATE)
    yield from (f"http://[{text}]:{port}/" for text in _SIX)

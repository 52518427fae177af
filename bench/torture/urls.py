"""Addresses of this machine and of private networks, in every spelling: no page of them is fetched.

A server on this machine counts who connects. Whatever is named, or is redirected to, `quipu
ingest` refuses it before a connection is made.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import ClassVar, Self

from tests.servers.page_server import PageServer

from bench.torture.trial import Broken, Hands, Trial
from bench.torture.warm import Warm
from quipu.errors import QuipuError
from quipu.kinds.pages.crawl import CrawlLimits, Fetcher, Network, is_public

__all__ = ["Urls", "redirects", "spellings"]

PRIVATE = (
    "127.0.0.1",
    "127.0.0.2",
    "127.255.255.254",
    "0.0.0.0",
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.1",
    "169.254.169.254",
    "100.64.0.1",
    "168.63.129.16",
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
)
_SIX = (
    "::",
    "::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "ff02::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2001::1",
    "64:ff9b::7f00:1",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b:1::1",
)
_OTHER = (
    "http://localhost:{port}/",
    "http://LOCALHOST:{port}/",
    "http://localhost.:{port}/",
    "http://a.localhost:{port}/",
    "http://user@127.0.0.1:{port}/",
    "http://a:b@127.0.0.1:{port}/",
    "http://example.org\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\.example.org/",
    "http://example.org@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#.example.org/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://127。0。0。1:{port}/",
    "http://127.0.0.1:{port}\t/",
    "http://127.0.0.1%2f:{port}/",
    "http://[::1%25lo]:{port}/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/",
    "ftp://127.0.0.1:{port}/",
    "HTTP://127.0.0.1:{port}/",
    "http:127.0.0.1:{port}",
    "http:///127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "http://0:{port}/",
    "dict://127.0.0.1:{port}/",
    "ldap://127.0.0.1:{port}/",
    "jar:http://127.0.0.1:{port}!/",
    "http://0.0.0.0:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "unix:///tmp/x",
    "data:text/html,<p>a",
    "javascript:alert(1)",
)


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
        hands.warm.quipu("init", cwd=hands.folder, env={"QUIPU_EMBED_MODEL": "none"})
        env = {"QUIPU_EMBED_MODEL": "none", "QUIPU_CRAWL_PORTS": f"80,443,{self._server.port}"}
        done = hands.warm.quipu("ingest", "--json", url, cwd=hands.folder, env=env)
        if len(self._server.asked) > before:
            raise Broken(f"{url!r} was fetched from this machine")
        if done.code not in (1, 2) or "Traceback" in done.err or "A secret of" in done.out:
            raise Broken(f"{url!r}: exit {done.code}: {(done.err or done.out).strip()[-300:]}")
        return 1

    def _follow(self, to: str) -> int:
        with PageServer() as outside:
            for status, path in enumerate(("/a", "/b", "/c", "/d", "/e"), 0):
                outside.redirect(path, to, status=(301, 302, 303, 307, 308)[status])
            network = outside.network(private=("inside.example",))
            ports = (*network.ports, 80, 443, self._server.port)

            def resolve(host: str, port: int) -> list[str]:
                numbered = host.replace(".", "").isdigit() or ":" in host
                return [host] if numbered else list(network.resolve(host, port))

            # The outside server alone is taken to be public, under its own name.
            asked = len(self._server.asked)
            for path in ("/a", "/b", "/c", "/d", "/e"):
                seen: list[str] = []

                def may_reach(address: IPv4Address | IPv6Address, seen: list[str] = seen) -> bool:
                    seen.append(str(address))
                    return len(seen) <= 2 or is_public(address)  # robots.txt and the page itself

                reached = Network(ports=ports, may_reach=may_reach, resolve=resolve)
                fetcher = Fetcher(reached, CrawlLimits(timeout_s=5), user_agent="Quipu/0.1")
                try:
                    page = fetcher.fetch(outside.url(path))
                except QuipuError:
                    page = None
                if page is not None or len(self._server.asked) > asked:
                    raise Broken(f"a redirect to {to!r} was followed")
        return 5


def spellings() -> Iterator[str]:
    """Every private address as it can be written, `{port}` for the port."""
    for text in PRIVATE:
        number = int(ip_address(text))
        a, b, c, d = text.split(".")
        yield f"http://{text}:{{port}}/"
        yield f"http://{number}:{{port}}/"
        yield f"http://{number:#x}:{{port}}/"
        yield f"http://{number:#o}:{{port}}/".replace("0o", "0")
        yield f"http://{int(a):#x}.{int(b):#x}.{int(c):#x}.{int(d):#x}:{{port}}/"
        yield f"http://[::ffff:{text}]:{{port}}/"
        yield f"http://{text}.:{{port}}/"
    for text in _SIX:
        yield f"http://[{text}]:{{port}}/"


def redirects(port: int) -> Iterator[str]:
    """Where a redirect leads that is not to be followed."""
    as_octets = [each.format(port=port).encode().decode("latin-1") for each in _OTHER]
    yield from (each for each in as_octets if "example.org\\" not in each)
    yield "http://inside.example/"
    yield from (f"http://{text}:{port}/" for text in PRIVATE)
    yield from (f"http://[{text}]:{port}/" for text in _SIX)

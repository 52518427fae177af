"""A web server on this machine for tests: it serves what the test laid ready, as badly as told.

with PageServer() as server:
    server.lay("/guide", "<h1>Guide</h1>", etag='"1"')
    job = memory.ingest_urls(server.url("/guide"), network=server.network())
    assert [asked.path for asked in server.asked] == ["/robots.txt", "/guide"]
"""

import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from typing import NamedTuple, Self

from quipu.kinds.pages.network import Address, Network, is_public

__all__ = ["Laid", "PageRequest", "PageServer"]


class Laid(NamedTuple):
    """What a path gives. `drip_s` waits before every byte, `cut` closes after so many."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    drip_s: float = 0.0
    cut: int | None = None


class PageRequest(NamedTuple):
    """A request as it came; header names are in lower case."""

    path: str
    headers: Mapping[str, str]


class PageServer:
    """Serves pages until it is closed; what is not laid is not there (404)."""

    def __init__(self, tls: SSLContext | None = None) -> None:
        self.asked: list[PageRequest] = []
        self._laid: dict[str, Laid] = {}
        self._tls = tls
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        if tls is not None:
            self._http.socket = tls.wrap_socket(
                self._http.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = int(self._http.server_address[1])
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def lay(
        self,
        path: str,
        body: str | bytes = b"",
        *,
        status: int = 200,
        type: str = "text/html; charset=utf-8",  # noqa: A002 - the header's own word
        drip_s: float = 0.0,
        cut: int | None = None,
        **headers: str,
    ) -> None:
        """Give `body` at `path`; `content_encoding="gzip"` and the like are headers. With an
        `etag` or `last_modified` a conditional request is answered 304."""
        data = body.encode() if isinstance(body, str) else body
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        self._laid[path] = Laid(data, status, {"content-type": type, **named}, drip_s, cut)

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        """Send whoever asks for `path` to another address."""
        self.lay(path, status=status, location=to)

    def url(self, path: str, *, host: str = "pages.example") -> str:
        """The address of a path; `network` finds every host here."""
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    def network(self, *, tls: SSLContext | None = None, private: tuple[str, ...] = ()) -> Network:
        """A network on which every name is this machine, and it counts as public; hosts in
        `private` are at 10.0.0.1, which does not."""

        def resolve(host: str, _port: int) -> list[str]:
            return ["10.0.0.1"] if host in private else ["127.0.0.1"]

        def may_reach(address: Address) -> bool:
            return str(address) == "127.0.0.1" or is_public(address)

        return Network(ports=(self.port,), may_reach=may_reach, resolve=resolve, tls=tls)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server._answer(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

        return Handler

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        heard = {name.lower(): value for name, value in handler.headers.items()}
        self.asked.append(PageRequest(handler.path, heard))
        laid = self._laid.get(handler.path, Laid(b"there is no such page", 404))
        same = any(
            laid.headers.get(mark) and heard.get(asked) == laid.headers[mark]
            for mark, asked in (("etag", "if-none-match"), ("last-modified", "if-modified-since"))
        )
        try:
            handler.send_response(304 if same else laid.status)
            for name, value in laid.headers.items():
                handler.send_header(name, value)
            if "content-length" not in laid.headers and not same:
                handler.send_header("content-length", str(len(laid.body)))
            handler.end_headers()
            _send(handler, Laid(b"") if same else laid)
        except OSError:
            return


def _send(handler: BaseHTTPRequestHandler, laid: Laid) -> None:
    body = laid.body if laid.cut is None else laid.body[: laid.cut]
    if not laid.drip_s:
        handler.wfile.write(body)
        return
    for octet in body:
        time.sleep(laid.drip_s)
        handler.wfile.write(bytes([octet]))
        handler.wfile.flush()

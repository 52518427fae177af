"""The web page: files of the package, and nothing else; nothing that they load is elsewhere."""

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException

from quipu.serve.http.given import Ref

__all__ = ["ROUTES"]

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}


@get("/", include_in_schema=False, sync_to_thread=False)
def page(request: Request[Any, Any, Any]) -> Response[bytes]:
    """The page itself."""
    return _sent(request, "index.html")


@get("/page/{name:path}", include_in_schema=False, sync_to_thread=False)
def page_file(request: Request[Any, Any, Any], name: Ref) -> Response[bytes]:
    """A file that the page loads."""
    return _sent(request, name.removeprefix("/"))


def _sent(request: Request[Any, Any, Any], name: str) -> Response[bytes]:
    file = _files().get(name)
    if file is None:
        raise NotFoundException(f"there is no {name[:200]!r} here: the page is at /")
    data, tag = file
    kind = _TYPES[name.rpartition(".")[2]]
    headers = {"content-security-policy": POLICY, "cache-control": "no-cache", "etag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(b"", status_code=304, media_type=kind, headers=headers)
    return Response(data, media_type=kind, headers=headers)


@cache
def _files() -> dict[str, tuple[bytes, str]]:
    """Every file of the page by its name, with its tag: what is not here is not served."""
    return {name: (data, f'"{hashlib.sha256(data).hexdigest()[:24]}"') for name, data in _found()}


def _found() -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []

    def look(folder: Traversable, before: str) -> None:
        for each in folder.iterdir():
            if each.is_dir():
                look(each, f"{before}{each.name}/")
            elif each.name.rpartition(".")[2] in _TYPES:
                found.append((before + each.name, each.read_bytes()))

    look(files("quipu.serve.http").joinpath("page"), "")
    return found


ROUTES = [page, page_file]

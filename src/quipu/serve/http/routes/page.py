"""The web page: files of the package, and nothing else; nothing that they load is elsewhere."""

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from quipu.errors import UnknownRecord
from quipu.serve.http.problems import response_of

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


def page_file(request: Request) -> Response:
    """A file that the page loads; without a name the page itself."""
    name = request.path_params.get("name", "index.html")
    file = _files().get(name)
    if file is None:
        missing = UnknownRecord(f"there is no {name[:200]!r} here: the page is at /")
        return response_of(request, missing)
    data, tag = file
    headers = {
        "content-security-policy": POLICY,
        "cache-control": "no-cache",
        "etag": tag,
        "content-type": _TYPES[name.rpartition(".")[2]],
    }
    if request.headers.get("if-none-match") == tag:
        return Response(b"", 304, headers)
    return Response(data, 200, headers)


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


ROUTES = [Route("/", page_file), Route("/page/{name:path}", page_file)]

"""The web page: files of the package, and nothing else; nothing that they load is elsewhere."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

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


class _Files(StaticFiles):
    def file_response(self, *args: Any, **how: Any) -> Response:
        """A file that may run nothing of elsewhere, and is asked for again each time."""
        response = super().file_response(*args, **how)
        response.headers["content-security-policy"] = POLICY
        response.headers["cache-control"] = "no-cache"
        return response


_FILES = _Files(packages=[("quipu.serve.http", "page")])


async def index(request: Request) -> Response:
    """The page itself."""
    return await _FILES.get_response("index.html", request.scope)


ROUTES = [Route("/", index), Mount("/page", _FILES)]

"""From an error to problem+json (RFC 9457), with the command line's words."""

import logging
from http import HTTPStatus
from typing import Annotated

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quipu.errors import (
    InvalidConfig,
    Mistake,
    QuipuError,
    Unavailable,
    UnknownRecord,
    UntrustedFolder,
)
from quipu.read import redact
from quipu.serve.http import REQUEST_ID
from quipu.serve.shapes import without_middle

__all__ = ["PROBLEM_TYPE", "TOO_LARGE", "ProblemDetails", "problem", "response_of"]

PROBLEM_TYPE = "application/problem+json"
_LOG = logging.getLogger("quipu.serve.http")
_STATUS: tuple[tuple[type[QuipuError], int], ...] = (
    (UnknownRecord, 404),
    (UntrustedFolder, 409),
    (InvalidConfig, 409),
    (Mistake, 400),
    (Unavailable, 503),
    (QuipuError, 500),
)
TOO_LARGE = (
    "the body is larger than this server takes: send it in parts, or index the files where they lie"
)
_WAYS = {
    404: "there is no {path!r} here: /api/openapi.json names what is",
    405: "{path!r} does not take {method}: /api/openapi.json says what it takes",
    413: TOO_LARGE,
}
"""What is said where the framework gives the status alone."""


class ProblemDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Any request that failed."""

    type: Annotated[str, "`about:blank`: the status says what kind of problem it is"] = (
        "about:blank"
    )
    title: Annotated[str, "the status, in words"]
    status: Annotated[int, "the status"]
    detail: Annotated[str, "what failed, with which value, and what to do next"]
    kind: Annotated[str, "a class of `quipu.errors`, as `quipu --json` names it, or `Request`"]
    request_id: Annotated[str, "what the log calls the request"]


def problem(
    status: int, detail: str, *, kind: str = "Request", request_id: str = ""
) -> ProblemDetails:
    """A problem with a status; secrets are taken out of its detail."""
    return ProblemDetails(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=without_middle(redact(detail)[0]),
        kind=kind,
        request_id=request_id,
    )


def response_of(request: Request, error: Exception) -> Response:
    """The response to a request that failed with `error`."""
    request_id = request.scope.get(REQUEST_ID, "")
    status, kind, detail = _explained(error)
    if (isinstance(error, HTTPException) and detail == HTTPStatus(status).phrase) or status == 413:
        detail = _WAYS.get(status, detail).format(method=request.method, path=request.url.path)
    if status >= 500 and not isinstance(error, Unavailable):
        _LOG.error("request %s failed", request_id, exc_info=error)
    headers = dict(getattr(error, "headers", None) or {})
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["retry-after"] = "1"
    details = problem(status, detail, kind=kind, request_id=request_id)
    return Response(msgspec.json.encode(details), status, headers, PROBLEM_TYPE)


def _explained(error: Exception) -> tuple[int, str, str]:
    """The status, the kind and the words of an error."""
    name = type(error).__name__
    if isinstance(error, QuipuError):
        return next(s for family, s in _STATUS if isinstance(error, family)), name, str(error)
    if isinstance(error, HTTPException):
        return error.status_code, "Request", error.detail
    if isinstance(error, OSError):
        message = f"{error.strerror or name}; check the disk, its rights and the free space"
        return 503, "System", message
    if isinstance(error, MemoryError):
        return 503, "System", "out of memory; ask for less at once"
    return 500, "Internal", f"{name}; this should not happen: report it with its id"

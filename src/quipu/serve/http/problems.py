"""From an error to problem+json (RFC 9457), with the command line's words."""

import logging
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Annotated, Any, cast

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from quipu.errors import (
    InvalidConfig,
    InvalidInput,
    Mistake,
    QuipuError,
    Unavailable,
    UnknownRecord,
    UntrustedFolder,
)
from quipu.read import redact
from quipu.serve.http.caller import request_id_of
from quipu.serve.results import without_middle

__all__ = ["PROBLEM_TYPE", "ProblemDetails", "problem", "response_of"]

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
_WAYS = {
    "Not Found": "there is no {path!r} here: /api/openapi.json names what is",
    "Method Not Allowed": "{path!r} does not take {method}: /api/openapi.json says what it takes",
}
"""What is said where Litestar gives the status alone."""

_LEFT = "client disconnected prematurely"


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


class ChatProblem(ProblemDetails, frozen=True, kw_only=True):
    """A problem of `/v1`, with what OpenAI's clients look for beside it."""

    error: Annotated[dict[str, str], "`message`, `type` and `code`"]


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


def response_of(request: Request[Any, Any, Any], error: Exception) -> Response[ProblemDetails]:
    """The response to a request that failed with `error`."""
    request_id = request_id_of(request.scope)
    status, kind, detail = _explained(error)
    if detail in _WAYS:
        detail = _WAYS[detail].format(method=request.method, path=request.url.path)
    if status >= 500 and not isinstance(error, Unavailable) and not _has_left(error):
        _LOG.error("request %s failed", request_id, exc_info=error)
    headers = dict(cast("Mapping[str, str]", getattr(error, "headers", None) or {}))
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["retry-after"] = "1"
    details = problem(status, detail, kind=kind, request_id=request_id)
    if request.url.path.startswith("/v1/"):
        said = {"message": details.detail, "type": details.kind, "code": str(status)}
        details = ChatProblem(**msgspec.structs.asdict(details), error=said)
    return Response(
        details,
        status_code=status,
        media_type=PROBLEM_TYPE,
        headers=headers,
    )


def _has_left(error: Exception) -> bool:
    """Whether the client went before its body was whole: no fault of ours. Litestar tells it by a
    plain status 500."""
    return isinstance(error, HTTPException) and error.detail == _LEFT


def _explained(error: Exception) -> tuple[int, str, str]:
    """The status, the kind and the words of an error."""
    name = type(error).__name__
    if isinstance(error, QuipuError):
        return next(s for family, s in _STATUS if isinstance(error, family)), name, str(error)
    if isinstance(error, HTTPException):
        if error.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            message = "the body is larger than this server takes: send it in parts"
            return error.status_code, "Request", f"{message}, or index the files where they lie"
        kind = InvalidInput.__name__ if error.status_code == 400 else "Request"
        return error.status_code, kind, "; ".join(_said(error))
    if isinstance(error, OSError):
        message = f"{error.strerror or name}; check the disk, its rights and the free space"
        return 503, "System", message
    if isinstance(error, MemoryError):
        return 503, "System", "out of memory; ask for less at once"
    return 500, "Internal", f"{name}; this should not happen: report it with its id"


def _said(error: HTTPException) -> Iterator[str]:
    """What a request lacks, field by field where the fields are known."""
    if not isinstance(error.extra, list) or not error.extra:
        yield str(error.detail)
        return
    for each in cast("list[dict[str, str]]", error.extra):
        message = each.get("message", "").strip("'\"")
        where, source = each.get("key", ""), each.get("source", "")
        if where == message == "data":
            yield "there is no body: send a JSON object"
        elif where in ("", "data"):
            yield f"the {source or 'request'} cannot be used: {message}"
        else:
            yield f"{where!r} in the {source or 'request'} cannot be used: {message}"

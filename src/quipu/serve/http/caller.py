"""Who calls: the namespace and the scope of a request, from its key or from where it comes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from litestar.connection import ASGIConnection
from litestar.exceptions import PermissionDeniedException
from litestar.handlers import BaseRouteHandler

from quipu.serve.keys import SCOPES, KeyScope

__all__ = [
    "ASKED",
    "CALLER",
    "REQUEST_ID",
    "Caller",
    "QuestionLog",
    "caller_of",
    "given_key",
    "guard",
    "request_id_of",
]

ASKED = "quipu.asked"
CALLER = "quipu.caller"
REQUEST_ID = "quipu.request_id"


class Caller(NamedTuple):
    """Whoever sent a request; an empty `key_id` is a user of this machine. An empty namespace is
    the configured one."""

    namespace: str
    scope: KeyScope
    key_id: str = ""

    @property
    def is_known(self) -> bool:
        """Whether it has a key or is a user of this machine, and not just anybody."""
        return bool(self.key_id) or self.scope == "admin"

    def may(self, needs: KeyScope) -> bool:
        """Whether the caller's scope allows what needs another."""
        return SCOPES.index(self.scope) >= SCOPES.index(needs)


class QuestionLog(NamedTuple):
    """Where a route leaves the question of its request, for the log of those who ask for it."""

    scope: Any

    def note(self, question: str) -> None:
        """Remember the question with its request."""
        self.scope[ASKED] = question


def caller_of(scope: Any) -> Caller:
    """Who sent the request of an ASGI scope, as the gate has found."""
    return scope[CALLER]


def request_id_of(scope: Any) -> str:
    """What the log calls the request of an ASGI scope."""
    return scope.get(REQUEST_ID, "")


def given_key(headers: Mapping[bytes, bytes]) -> str:
    """The key in a request's headers: `Authorization: Bearer` or `X-API-Key`."""
    scheme, _, bearer = headers.get(b"authorization", b"").partition(b" ")
    given = bearer.strip() if scheme.lower() == b"bearer" else headers.get(b"x-api-key", b"")
    return given.decode("latin-1")


def guard(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Let a request reach its route only when its caller's scope allows what the route needs."""
    needs: KeyScope | None = handler.opt.get("needs")
    if needs is None:  # what anybody may see: liveness, the page, the description of the API
        return
    caller = caller_of(connection.scope)
    if not caller.may(needs):
        raise PermissionDeniedException(
            f"this needs a key of scope {needs!r}, and yours is {caller.scope!r}: make one with "
            f"`quipu key create --scope {needs}`"
        )

"""Who calls: the namespace and the scope of a request, from its key or from where it comes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from quipu.serve.keys import GIVEN, SCOPES, KeyScope

__all__ = ["ASKED", "CALLER", "REQUEST_ID", "ROUTE", "Caller", "caller_of", "given_key"]

ASKED, CALLER, REQUEST_ID, ROUTE = (
    "quipu.asked",
    "quipu.caller",
    "quipu.request_id",
    "quipu.route",
)
"""Where an ASGI scope holds what was asked, who asked it, what the log calls it, and its route."""


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

    @property
    def is_operator(self) -> bool:
        """Whether it runs the server: a user of this machine, or the key it was started with."""
        return self.is_known and self.key_id in ("", GIVEN)

    def may(self, needs: KeyScope) -> bool:
        """Whether the caller's scope allows what needs another."""
        return SCOPES.index(self.scope) >= SCOPES.index(needs)


def caller_of(scope: Any) -> Caller:
    """Who sent the request of an ASGI scope, as the gate has found."""
    return scope[CALLER]


def given_key(headers: Mapping[bytes, bytes]) -> str:
    """The key in a request's headers: `Authorization: Bearer` or `X-API-Key`."""
    scheme, _, bearer = headers.get(b"authorization", b"").partition(b" ")
    given = bearer.strip() if scheme.lower() == b"bearer" else headers.get(b"x-api-key", b"")
    return given.decode("latin-1")

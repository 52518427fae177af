"""API keys: made once, shown once, kept as a seal; and one that a server is started with.

A key is `quipu_<id>_<secret>`. The ledger keeps its namespace, its scope and a seal over all of it
and the secret, made with this user's own key: neither the secret nor a wider scope can be got out
of the file, and a key that somebody else put into it opens nothing. The key that a server is
started with stands in a file of whoever runs it and is kept nowhere.
"""

import hashlib
import hmac
import secrets
from pathlib import Path
from typing import Annotated

import msgspec

from quipu.errors import CorruptStore, InvalidInput, UnknownRecord
from quipu.ledger import KEYS_MAY_BE_LOST, Ledger
from quipu.limits import LONGEST_TITLE
from quipu.serve.operations import SCOPES, KeyScope
from quipu.when.instants import Clock

__all__ = ["GIVEN", "SCOPES", "ApiKey", "ApiKeys", "KeyList", "KeyScope", "MadeKey", "read_key"]

GIVEN = "given"
"""The id of the key that a server was started with, in logs and figures."""

_KIND = "api_key"
_PREFIX = "quipu"
_SHORTEST_GIVEN = 16
"""Characters of a key that somebody makes up: 64 bits where it is written in hexadecimal."""


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key, without its secret."""

    key_id: Annotated[str, "what names it"]
    namespace: Annotated[str, "the only namespace that it opens"]
    scope: Annotated[KeyScope, "what it allows: `read`, `write` or `admin`"]
    note: Annotated[str, "what it is for"]
    created_at: Annotated[str, "when it was made"]
    revoked_at: Annotated[str | None, "when it was revoked, or null"] = None


class MadeKey(ApiKey, frozen=True, kw_only=True):
    """`quipu key create`: the only time that the secret is seen."""

    key: Annotated[str, "what a client sends; it cannot be shown again"]


class KeyList(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu key list`."""

    keys: Annotated[tuple[ApiKey, ...], "the keys, the earliest first"]


class _Kept(ApiKey, frozen=True, kw_only=True):
    seal: str


def read_key(file: Path) -> str:
    """Return the key or token in `file`, which a server is started with. Raises InvalidInput for a
    file that cannot be read, and for a key that could be guessed."""
    advice = "put a key into it: openssl rand -hex 32"
    try:
        key = file.read_text("utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = f"the key in {str(file)!r} cannot be read ({error})"
        raise InvalidInput(f"{why}: {advice}") from error
    if len(key) < _SHORTEST_GIVEN or not key.isascii() or not key.isprintable() or " " in key:
        raise InvalidInput(
            f"the key in {str(file)!r} has {len(key)} characters, it needs {_SHORTEST_GIVEN} or "
            f"more, of ASCII and without blanks: {advice}"
        )
    return key


class ApiKeys:
    """The keys in one ledger; `sealing` is this user's own key (`quipu.trust.sealing_key`).

    `given`, if any, opens the namespace `given_namespace` with scope `admin` beside them.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        sealing: bytes,
        clock: Clock,
        given: str = "",
        given_namespace: str = "",
    ) -> None:
        self._ledger, self._sealing, self._clock = ledger, sealing, clock
        self._given, self._given_namespace = given, given_namespace

    def create(self, namespace: str, scope: KeyScope, *, note: str = "") -> MadeKey:
        """Make a key for one namespace. Raises InvalidInput for a blank namespace."""
        if not namespace.strip():
            raise InvalidInput("the namespace is blank: name the one that the key opens")
        if len(note) > LONGEST_TITLE:
            raise InvalidInput(f"the note has {len(note)} characters, at most {LONGEST_TITLE}")
        key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        made = ApiKey(
            key_id=key_id, namespace=namespace, scope=scope, note=note, created_at=self._clock()
        )
        kept = _Kept(**msgspec.structs.asdict(made), seal=self._seal(made, secret))
        self._ledger.put_if(_KIND, key_id, 0, msgspec.json.encode(kept))
        return MadeKey(**msgspec.structs.asdict(made), key=f"{_PREFIX}_{key_id}_{secret}")

    def all(self) -> list[ApiKey]:
        """The keys, revoked ones included, the earliest first."""
        kept = [_read(entry.value) for entry in self._ledger.list(_KIND)]
        return sorted(map(_plain, kept), key=lambda key: (key.created_at, key.key_id))

    def any(self) -> bool:
        """Whether a key was ever made or given, or may have been lost with a damaged ledger: from
        then on nobody comes in without one."""
        kept = self._ledger.list(_KIND, limit=1) or self._ledger.get(*KEYS_MAY_BE_LOST)
        return bool(self._given or kept)

    def revoke(self, key_id: str) -> ApiKey:
        """End a key; again changes nothing. Raises UnknownRecord."""
        while True:
            entry = self._ledger.get(_KIND, key_id)
            if entry is None:
                raise UnknownRecord(f"there is no key {key_id!r}: `quipu key list` shows them")
            kept = _read(entry.value)
            if kept.revoked_at is not None:
                return _plain(kept)
            ended = msgspec.structs.replace(kept, revoked_at=self._clock())
            if self._ledger.put_if(_KIND, key_id, entry.version, msgspec.json.encode(ended)):
                return _plain(ended)

    def find(self, given: str) -> ApiKey | None:
        """The key that a client sent; None for one that is unknown, altered or revoked."""
        if self._given and hmac.compare_digest(given.encode(), self._given.encode()):
            return ApiKey(
                key_id=GIVEN,
                namespace=self._given_namespace,
                scope="admin",
                note="the key that the server was started with",
                created_at=self._clock(),
            )
        prefix, _, rest = given.partition("_")
        key_id, _, secret = rest.partition("_")
        if prefix != _PREFIX or not key_id or not secret:
            return None
        entry = self._ledger.get(_KIND, key_id)
        if entry is None:
            return None
        kept = _read(entry.value)
        key = _plain(kept)
        if not hmac.compare_digest(kept.seal, self._seal(key, secret)) or kept.revoked_at:
            return None
        return key

    def close(self) -> None:
        """Let go of the ledger."""
        self._ledger.close()

    def _seal(self, key: ApiKey, secret: str) -> str:
        text = "\0".join((key.key_id, key.namespace, key.scope, secret))
        return hmac.new(self._sealing, text.encode(), hashlib.sha256).hexdigest()


def _read(value: bytes) -> _Kept:
    try:
        return msgspec.json.decode(value, type=_Kept)
    except msgspec.DecodeError as error:
        raise CorruptStore(
            f"an API key in ops.db cannot be read ({error}): `quipu jobs --salvage` begins another"
        ) from error


def _plain(kept: _Kept) -> ApiKey:
    fields = msgspec.structs.asdict(kept)
    del fields["seal"]
    return ApiKey(**fields)

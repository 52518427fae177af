"""What the server and its driver raise, as errors of Quipu: all of them come through here."""

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, EIO, ENOSPC, EROFS

import msgspec
import psycopg
from psycopg import errors

from quipu.errors import CorruptStore, QuipuError, StoreUnavailable
from quipu.store.postgres.address import Address
from quipu.store.retry import TransientFailure

__all__ = ["mapped"]


@contextmanager
def mapped(address: Address) -> Generator[None]:
    """A block whose errors are Quipu's own."""
    try:
        yield
    except QuipuError:
        raise
    except psycopg.Error as error:
        raise _mapped(error, address) from error
    except (UnicodeDecodeError, msgspec.DecodeError) as error:
        raise CorruptStore(
            f"a record in {address.shown!r} cannot be read ({type(error).__name__}: {error}): "
            "restore a backup (pg_restore)"
        ) from error


_AGAIN = "run the same command again; nothing was changed"
_TOO_LONG = (
    errors.QueryCanceled,
    errors.IdleInTransactionSessionTimeout,
    errors.TransactionTimeout,
)
_MEANINGS: tuple[tuple[tuple[type[psycopg.Error], ...], type[QuipuError], str], ...] = (
    (
        (errors.SerializationFailure, errors.DeadlockDetected),
        TransientFailure,
        "{name} had two writers in each other's way ({error}): " + _AGAIN,
    ),
    (
        (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow),
        TransientFailure,
        (
            "the server of {name} is stopping or starting ({error}): wait for it, then run the "
            "same command again"
        ),
    ),
    (
        _TOO_LONG,
        StoreUnavailable,
        (
            "the server of {name} ended what it lets take no longer ({error}): raise that timeout "
            "of the role or the database, then " + _AGAIN
        ),
    ),
    (
        (errors.LockNotAvailable,),
        StoreUnavailable,
        "{name} is being written by somebody else ({error}): wait for it to finish, then try again",
    ),
    (
        (errors.DiskFull, errors.OutOfMemory, errors.ConfigurationLimitExceeded),
        StoreUnavailable,
        "the server of {name} has no room left ({error}): free some and " + _AGAIN,
    ),
    (
        (errors.TooManyConnections,),
        StoreUnavailable,
        (
            "the server of {name} takes no more connections ({error}): raise max_connections, or "
            "put a pooler before it"
        ),
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        StoreUnavailable,
        "{name} can only be read ({error}): write to the primary server, or open it read-only",
    ),
    (
        (errors.InsufficientPrivilege,),
        StoreUnavailable,
        (
            "the role in {name} may not do this ({error}): grant it the rights that "
            "docs/how-to/postgres.md lists, or open the store read-only"
        ),
    ),
    (
        (errors.UndefinedTable, errors.UndefinedColumn, errors.InvalidSchemaName),
        CorruptStore,
        (
            "{name} lacks what its version has ({error}): restore it whole, or drop the schema and "
            "index again"
        ),
    ),
    (
        (errors.DataCorrupted, errors.IndexCorrupted),
        CorruptStore,
        "the server says that {name} is damaged ({error}): restore a backup (pg_restore)",
    ),
)

_NO_FILES = re.compile(
    "|".join(map(re.escape, map(os.strerror, (EDQUOT, EFBIG, ENOSPC, EROFS, EIO))))
)
"""What a server says of its own files that it can write no more: it has one code for all but one
of these."""

_REFUSALS = (
    (
        ("password", "scram", "pg_hba", "role ", "Peer authentication", "Ident authentication"),
        (
            "check the user and the password (PGPASSWORD and ~/.pgpass count where the address has "
            "none) and what pg_hba.conf lets in"
        ),
    ),
    (('database "',), "check the name, or make the database with CREATE DATABASE"),
    (("SSL", "TLS", "certificate"), "check sslmode and the certificates that the address names"),
)


def _mapped(error: psycopg.Error, address: Address) -> QuipuError:
    said = _said(error)
    for kinds, meant, text in _MEANINGS:
        if isinstance(error, kinds):
            return meant(text.format(name=repr(address.shown), error=said))
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        return _unreached(said, address)
    if _NO_FILES.search(said):
        return StoreUnavailable(
            f"the server of {address.shown!r} cannot write its files ({said}): look at its disk, "
            "quota and limits, then run the same command again; nothing was changed"
        )
    return CorruptStore(
        f"{address.shown!r} refused a statement ({said}): run the same command again with -vv and "
        "report it"
    )


def _unreached(said: str, address: Address) -> QuipuError:
    """Of a server that was not reached or lost, or that let nobody in."""
    refused = any(word in said for word in ("FATAL", "no password", "SSL"))
    for words, remedy in _REFUSALS if refused else ():
        if any(word in said for word in words):
            return StoreUnavailable(f"{address.shown!r} lets nobody in ({said}): {remedy}")
    return TransientFailure(
        f"{address.shown!r} is not reached ({said}): check that the server runs and the address, "
        "then run the same command again"
    )


def _said(error: psycopg.Error) -> str:
    """The first lines of what the server says, in one."""
    text = error.diag.message_primary or str(error)
    return " ".join(text.split())

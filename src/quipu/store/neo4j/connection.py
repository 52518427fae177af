"""The way to a Neo4j server: its address, its driver, and errors mapped in one place."""

import logging
import os
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, LiteralString, Self, TypeVar, cast
from urllib.parse import unquote, urlsplit

from neo4j import READ_ACCESS, WRITE_ACCESS, Driver, GraphDatabase, Session
from neo4j.exceptions import AuthError, DriverError, IncompleteCommit, Neo4jError

from quipu.errors import CorruptStore, InvalidInput, QuipuError, StoreUnavailable
from quipu.store.addresses import shown
from quipu.store.retry import TransientFailure, again

__all__ = ["Address", "Connection", "patiently", "statement"]

POOL = 50
OLDEST = (5, 15)
RETRY_S = 60.0
T = TypeVar("T")
_CONNECT_S = 15.0
# What the driver has to say of a server that is away is said by whoever asked it.
logging.getLogger("neo4j").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is, and who asks."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None = None

    @classmethod
    def of(cls, url: str, environment: Mapping[str, str] = os.environ) -> Self:
        """Return what `url` says; what it leaves out is read from the environment variables
        NEO4J_URI, NEO4J_USER (or NEO4J_USERNAME), NEO4J_PASSWORD and NEO4J_DATABASE."""
        try:
            parts = urlsplit(url)
            if not parts.hostname:
                parts = urlsplit(environment.get("NEO4J_URI", "neo4j://localhost:7687"))
            uri = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
            user, password = unquote(parts.username or ""), unquote(parts.password or "")
        except ValueError as error:
            raise InvalidInput(
                f"{shown(url)!r} is no address ({error}): write "
                "neo4j://USER@HOST:PORT/DATABASE, and the password into NEO4J_PASSWORD"
            ) from error
        names = environment.get("NEO4J_USER") or environment.get("NEO4J_USERNAME")
        return cls(
            uri,
            user or names or "neo4j",
            password or environment.get("NEO4J_PASSWORD", ""),
            parts.path.strip("/") or environment.get("NEO4J_DATABASE") or None,
        )

    def __str__(self) -> str:
        return f"{self.uri}/{self.database}" if self.database else self.uri


class Connection:
    """A driver with its pool of connections, for one database."""

    def __init__(self, address: Address, *, pool: int = POOL) -> None:
        self.address = address
        with self.errors():
            self._driver: Driver = GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - its options are untyped
                address.uri,
                auth=(address.user, address.password) if address.password else None,
                max_connection_pool_size=pool,
                connection_timeout=_CONNECT_S,
                max_transaction_retry_time=0,
                notifications_min_severity="OFF",
                telemetry_disabled=True,
                user_agent="quipu",
            )
            try:
                with self.session(writes=False) as session:
                    agent = session.run("RETURN 1 as n").consume().server.agent
                require_version(agent, str(address))
            except BaseException:
                self._driver.close()
                raise

    @contextmanager
    def session(self, *, writes: bool) -> Generator[Session]:
        """A session that sees what others of this driver have written."""
        with self._driver.session(  # pyright: ignore[reportUnknownMemberType] - its options are untyped
            database=self.address.database,
            default_access_mode=WRITE_ACCESS if writes else READ_ACCESS,
            bookmark_manager=self._driver.execute_query_bookmark_manager,
            fetch_size=5_000,
        ) as session:
            yield session

    def run(self, cypher: str, **values: Any) -> list[list[Any]]:
        """The rows of one statement, in a transaction of its own; tried again while that helps.
        Only for what may be done twice."""

        def once() -> list[list[Any]]:
            with self.errors(), self.session(writes=True) as session:
                return session.run(statement(cypher), values).values()

        return patiently(once)

    def close(self) -> None:
        """Give the connections back."""
        self._driver.close()

    @contextmanager
    def errors(self) -> Generator[None]:
        """Errors of the driver and of the server, as Quipu's own."""
        try:
            yield
        except QuipuError:
            raise
        except (DriverError, Neo4jError) as error:
            raise _mapped(error, self.address) from error
        except (OSError, ValueError) as error:
            if not hasattr(self, "_driver"):
                raise StoreUnavailable(
                    f"{self.address} cannot be reached ({error}): check the address"
                ) from error
            raise


def statement(cypher: str) -> LiteralString:
    """A statement that is put together of our own words alone."""
    return cast("LiteralString", cypher)


def patiently(do: Callable[[], T]) -> T:
    """What `do` gives, called again for a minute while the failure may pass."""
    return again(do, within_s=RETRY_S)


def require_version(agent: str, address: str) -> None:
    """StoreUnavailable when what answers is no Neo4j that is new enough; `agent` is as it calls
    itself, `Neo4j/5.26.0`."""
    found = re.match(r"Neo4j/(\d+)\.(\d+)", agent)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise StoreUnavailable(
            f"{address} is {agent}, and Quipu needs Neo4j {oldest} or newer: upgrade the server"
        )


_MEANINGS: tuple[tuple[str, type[QuipuError], str], ...] = (
    (
        "Security.(Unauthorized|AuthenticationRateLimit|CredentialsExpired|TokenExpired)",
        StoreUnavailable,
        "{to} refused the user {user!r} or the password: set NEO4J_USER and NEO4J_PASSWORD",
    ),
    (
        "Database.DatabaseNotFound",
        StoreUnavailable,
        "there is no database {database!r} at {uri}: name one that `SHOW DATABASES` lists",
    ),
    (
        r"^\S*(Forbidden|ReadOnly)|in read-only mode",
        StoreUnavailable,
        (
            "the user {user!r} may not write to {to} ({said}): open it read-only, or grant the "
            "user the role publisher and, to make the indexes once, architect"
        ),
    ),
    (
        r"needs to be restarted|Could not (append|apply)|No space left|TransactionLogError",
        StoreUnavailable,
        (
            "the server of {to} has stopped this database, most often for a full disk ({said}):"
            " make room, look into its debug.log, restart it, then run the same command again;"
            " what was under way is there whole or not at all"
        ),
    ),
    (
        r"^\S*Memory",
        TransientFailure,
        "{to} has too little memory for this ({said}): raise server.memory.heap.max_size",
    ),
    (r"^\S*(Statement|Schema|Request)", CorruptStore, "{to} refused a statement ({said})"),
    (
        "",
        StoreUnavailable,
        (
            "{to} failed ({said}): look into its logs, then run the same command again; what was"
            " under way is there whole or not at all"
        ),
    ),
)


def _mapped(error: DriverError | Neo4jError, address: Address) -> QuipuError:
    said = " ".join(str(getattr(error, "message", None) or error).split())
    if isinstance(error, DriverError) and "closed" in said.lower() and not error.is_retryable():
        return InvalidInput(f"the handle on {address} was closed: open the store again")
    # A commit whose answer was lost may have been made: what is written may be written twice.
    passing = error.is_retryable() or isinstance(error, IncompleteCommit)
    if passing and not isinstance(error, AuthError):
        return TransientFailure(
            f"{address} cannot be reached or is busy ({said}): see that the server runs, then run "
            "the same command again; nothing is half written"
        )
    code = getattr(error, "code", None) or type(error).__name__
    meant, text = next(
        (to, text) for kind, to, text in _MEANINGS if re.search(kind, f"{code} {said}")
    )
    return meant(
        text.format(
            to=address, uri=address.uri, user=address.user, database=address.database, said=said
        )
    )

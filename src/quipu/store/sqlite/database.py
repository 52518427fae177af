"""One SQLite connection a handle: opening, transactions, and errors mapped in one place."""

import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import msgspec

from quipu.errors import CorruptStore, NewerStore, QuipuError, StoreUnavailable
from quipu.store.rules import storable
from quipu.store.sqlite import schema

BUSY_TIMEOUT_S = 10.0


class Database:
    """A connection, its lock, and the namespace's number.

    Every public call of a store runs inside `reading` or `writing`: one thread at a time, in one
    snapshot of the file.
    """

    def __init__(
        self, path: Path, *, namespace: str, read_only: bool, timeout_s: float = BUSY_TIMEOUT_S
    ) -> None:
        self.path = path
        self.read_only = read_only
        self.namespace = namespace
        self._timeout_s = timeout_s
        self.lock = threading.RLock()
        self._depth = 0
        self._ns = -1
        with self._errors():
            self._connection: Any = self._open()
            if not read_only:
                self._make_namespace()

    def _open(self) -> Any:
        if self.read_only:
            return _open_read_only(self.path, self._timeout_s)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection: Any = apsw.Connection(str(self.path))
        try:
            connection.set_busy_timeout(int(self._timeout_s * 1000))
            found = schema.version(connection)
            _refuse_newer(found, self.path)
            if not found:
                connection.execute("PRAGMA page_size = 8192")
            # What any write deletes may be forgotten later: no page keeps a copy of it.
            connection.execute("PRAGMA secure_delete = ON")
            mode = connection.execute("PRAGMA journal_mode = WAL").get
            if mode not in ("wal", "memory"):
                raise StoreUnavailable(
                    f"{str(self.path)!r} cannot keep a write-ahead log (journal mode {mode!r}): "
                    "put the database on a local disk, or open it read-only"
                )
            connection.execute(
                "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
                "PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY;"
                "PRAGMA wal_autocheckpoint = 2000"
            )
            schema.migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    @property
    def ns(self) -> int:
        """The namespace's number in this file; -1 while it is not there."""
        if self._ns < 0:
            found = self.value("SELECT ns FROM namespace WHERE name = ?", self.namespace)
            self._ns = -1 if found is None else found
        return self._ns

    def _make_namespace(self) -> None:
        if self.ns < 0:
            self.run("INSERT OR IGNORE INTO namespace (name) VALUES (?)", self.namespace)

    @contextmanager
    def reading(self) -> Generator[None]:
        """One snapshot of the file for as long as the block runs."""
        with self.lock, self._errors():
            if self._depth:
                yield
                return
            self._connection.execute("BEGIN")
            self._depth = 1
            try:
                yield
            finally:
                self._depth = 0
                self._finish("COMMIT")

    @contextmanager
    def writing(self) -> Generator[None]:
        """All of the block's changes, or none; waits for other writers."""
        with self.lock, self._errors():
            if self.read_only:
                raise StoreUnavailable(
                    f"{str(self.path)!r} was opened read-only: open it without read_only to write"
                )
            self._connection.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._finish("ROLLBACK")
                raise
            finally:
                self._depth = 0

    def _finish(self, how: str) -> None:
        if self._connection.in_transaction:
            self._connection.execute(how)

    def rows(self, sql: str, *values: Any) -> list[Any]:
        """All rows, each a tuple. Text that is not valid Unicode equals nothing stored."""
        try:
            return self._connection.execute(sql, values).fetchall()
        except UnicodeEncodeError:
            bound = [v.encode(errors="surrogatepass") if isinstance(v, str) else v for v in values]
            return self._connection.execute(sql, bound).fetchall()

    def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row, or None."""
        found = self.rows(sql, *values)
        return found[0][0] if found else None

    def run(self, sql: str, *values: Any) -> None:
        """Execute a statement that returns nothing."""
        self._connection.execute(sql, values)

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute a statement for every row."""
        self._connection.executemany(sql, rows)

    def erase(self) -> None:
        """Leave no copy of deleted content behind, in the file or in its log."""
        with self.lock, self._errors():
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def pragma(self, sql: str) -> Any:
        """Run a pragma; its first value."""
        with self.lock, self._errors():
            return self._connection.execute(sql).get

    def close(self) -> None:
        """Give the file back."""
        with self.lock, self._errors():
            self._connection.close()

    @contextmanager
    def _errors(self) -> Generator[None]:
        try:
            yield
        except QuipuError:
            raise
        except apsw.Error as error:
            raise _mapped(error, self.path) from error
        except OSError as error:
            raise StoreUnavailable(
                f"{str(self.path)!r} cannot be opened ({error}): check the path and its rights"
            ) from error


def as_list(texts: Iterable[str]) -> str:
    """Ids for `IN (SELECT value FROM json_each(?))`; what no store can hold is left out."""
    return msgspec.json.encode([t for t in texts if "\0" not in t and storable(t)]).decode()


def _refuse_newer(found: int, path: Path) -> None:
    if found > schema.LATEST:
        raise NewerStore(
            f"{str(path)!r} has schema {found} and this Quipu knows {schema.LATEST}: "
            "update Quipu (pip install -U quipu-memory)"
        )


def _open_read_only(path: Path, timeout_s: float) -> Any:
    """A connection that cannot write. Where SQLite may not even make its shared-memory file
    (a read-only folder), the file is read as immutable, provided no log waits beside it."""
    if not path.is_file():
        raise StoreUnavailable(f"{str(path)!r} is not there: make it with quipu init, or index")
    try:
        return _ready_read_only(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY), path)
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError) as error:
        log = path.with_name(path.name + "-wal")
        if log.is_file() and log.stat().st_size:
            raise StoreUnavailable(
                f"{str(path)!r} lies in a folder that cannot be written and its log "
                f"{log.name!r} holds changes not yet in it: open it once where it can be written"
            ) from error
    uri = path.absolute().as_uri() + "?immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = _ready_read_only(apsw.Connection(uri, flags=flags), path)
    connection.set_busy_timeout(int(timeout_s * 1000))
    return connection


def _ready_read_only(connection: Any, path: Path) -> Any:
    try:
        found = schema.version(connection)
        _refuse_newer(found, path)
        if found < schema.LATEST:
            raise StoreUnavailable(
                f"{str(path)!r} has schema {found} and this Quipu needs {schema.LATEST}: "
                "open it once without read_only, which upgrades it"
            )
        connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -32768")
    except BaseException:
        connection.close()
        raise
    return connection


def _mapped(error: apsw.Error, path: Path) -> QuipuError:
    name = repr(str(path))
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return StoreUnavailable(
                f"{name} is locked by another process ({error}): wait for it to finish, then "
                "try again"
            )
        case apsw.FullError():
            return StoreUnavailable(
                f"{name} cannot grow, the disk is full ({error}): free some space and run the "
                "same command again; nothing was changed"
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return CorruptStore(
                f"{name} is damaged or not a Quipu database ({error}): move it away and index "
                "again, or restore a copy (quipu export keeps one)"
            )
        case apsw.ReadOnlyError():
            return StoreUnavailable(
                f"{name} cannot be written ({error}): check its rights, or open it read-only"
            )
        case apsw.CantOpenError() | apsw.IOError() | apsw.PermissionsError():
            return StoreUnavailable(
                f"{name} cannot be opened ({error}): check that the path exists and its rights"
            )
        case _:
            return CorruptStore(f"{name} refused a statement ({error}): run quipu doctor")

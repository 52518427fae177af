"""One SQLite connection a handle: opened only where the file is Quipu's or empty, of a schema that
this program knows; transactions; and errors mapped in one place."""

import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import msgspec

from quipu.errors import CorruptStore, InvalidInput, NewerStore, QuipuError, StoreUnavailable
from quipu.files import checked, private
from quipu.files.checked import Identity
from quipu.store import rules
from quipu.store.sqlite import schema

BUSY_TIMEOUT_S = 10.0

_OURS = ("file", "namespace", "support")


class Database:
    """A connection, its lock, and the namespace's number.

    Every public call of a store runs inside `reading` or `writing`: one thread at a time, in one
    snapshot of the file.
    """

    def __init__(
        self, path: Path, *, namespace: str, read_only: bool, timeout_s: float = BUSY_TIMEOUT_S
    ) -> None:
        rules.require_namespace(namespace)
        self.path = path
        self.read_only = read_only
        self.namespace = namespace
        self.lock = threading.RLock()
        self._depth = 0
        self._ns = -1
        self._verified = True
        with self._errors():
            before = Identity(path)
            opened = _open_read_only if read_only else _open_writable
            self._connection: Any = opened(path, timeout_s)
            before.require()
            self._verified = checked.verifies(self._connection)
            if not read_only:
                self._make_namespace()
        self._files = Identity(path, path.with_name(path.name + "-wal"))

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
        """One snapshot of the file for as long as the block runs; a block within another reads the
        same."""
        with self.lock, self._errors():
            if not self._depth:
                self._files.require(self.path)
                self._connection.execute("BEGIN")
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if not self._depth:
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
            self._depth += 1
            try:
                self._files.require()
                yield
                self._connection.execute("COMMIT")
                self._files.require()
            except BaseException:
                self._finish("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    @contextmanager
    def synced(self) -> Generator[None]:
        """What is committed in the block outlives a power cut, not only a killed process."""
        with self.lock:
            self.pragma("PRAGMA synchronous = FULL")
            try:
                yield
            finally:
                self.pragma("PRAGMA synchronous = NORMAL")

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
        """Leave no copy of deleted content behind, in the file or in its log; StoreUnavailable
        while somebody still reads from the log."""
        with self.lock, self._errors():
            busy, *_ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreUnavailable(
                f"what was asked is forgotten, but another process reads {str(self.path)!r} and "
                "keeps the old text in its log: let it finish, then run the same command again"
            )

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
        except BaseException as error:
            self._tell(error)
            raise

    def _tell(self, error: BaseException) -> None:
        """Raise what `error` means to whoever reads or writes the file, if it is not said yet."""
        if isinstance(error, QuipuError):
            return
        if isinstance(error, apsw.Error):
            raise _mapped(error, self.path) from error
        if isinstance(error, OSError):
            raise StoreUnavailable(
                f"{str(self.path)!r} cannot be opened ({error}): check the path and its rights"
            ) from error
        if isinstance(error, UnicodeDecodeError | msgspec.DecodeError):
            raise _unreadable(error, self.path) from error
        # Where pages have checksums this is a fault in the program, and shown as such.
        if isinstance(error, _FAULTS) and not self._verified:
            raise _unreadable(error, self.path) from error


_FAULTS = (LookupError, ValueError, TypeError, ArithmeticError, AssertionError)


def as_list(texts: Iterable[str]) -> str:
    """Ids for `IN (SELECT value FROM json_each(?))`; what no store can hold is left out."""
    return msgspec.json.encode([t for t in texts if "\0" not in t and rules.storable(t)]).decode()


_DAMAGED = (
    "{name} is damaged ({error}): `quipu doctor` says where; restore a backup (quipu restore), "
    "keep what can be read (quipu doctor --salvage), or move it away and index again"
)

_MEANINGS: tuple[tuple[tuple[type[apsw.Error], ...], type[QuipuError], str], ...] = (
    (
        (apsw.ConnectionClosedError,),
        InvalidInput,
        "the handle on {name} was closed: open the store again",
    ),
    (
        (apsw.BusyError, apsw.LockedError),
        StoreUnavailable,
        "{name} is locked by another process ({error}): wait for it to finish, then try again",
    ),
    (
        (apsw.FullError,),
        StoreUnavailable,
        (
            "{name} cannot grow, the disk is full ({error}): nothing was changed by this write, "
            "and what was written before it is kept (quipu status); free some space and run "
            "the same command again: it goes on from there"
        ),
    ),
    (
        (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError),
        StoreUnavailable,
        (
            "{name} cannot be opened or cannot be written ({error}): check that the path exists "
            "and its rights, or open it read-only"
        ),
    ),
    (
        (apsw.IOError,),
        StoreUnavailable,
        (
            "{name} cannot be read or written ({error}): check the disk and its free space, then "
            "run the same command again; nothing was changed"
        ),
    ),
    ((apsw.Error,), CorruptStore, "{name} refused a statement ({error}): run quipu doctor"),
)


def _unreadable(error: Exception, path: Path) -> CorruptStore:
    detail = f"a record in it cannot be read, {type(error).__name__}: {error}"
    return CorruptStore(_DAMAGED.format(name=repr(str(path)), error=detail))


def _mapped(error: apsw.Error, path: Path) -> QuipuError:
    if checked.is_damage(error):
        detail = "a page is not as it was written" if isinstance(error, apsw.IOError) else error
        return CorruptStore(_DAMAGED.format(name=repr(str(path)), error=detail))
    meant, text = next((to, text) for kinds, to, text in _MEANINGS if isinstance(error, kinds))
    return meant(text.format(name=repr(str(path)), error=error))


def _open_writable(path: Path, timeout_s: float) -> Any:
    """A connection that reads and writes; the file is made, or brought to the latest schema."""
    checked.ready(path, schema.migrate)
    connection = checked.connect(path)
    try:
        connection.set_busy_timeout(int(timeout_s * 1000))
        _recognise(connection, path)
        private.narrow(checked.database_files(path))
        # What any write deletes may be forgotten later: no page keeps a copy of it.
        connection.execute("PRAGMA secure_delete = ON")
        mode = connection.execute("PRAGMA journal_mode = WAL").get
        if mode != "wal":
            raise StoreUnavailable(
                f"{str(path)!r} cannot keep a write-ahead log (journal mode {mode!r}): "
                "put the database on a local disk, or open it read-only"
            )
        connection.execute(
            "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
            "PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY;"
            "PRAGMA wal_autocheckpoint = 2000"
        )
        schema.migrate(connection)
        _require_verified(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _require_verified(connection: Any, path: Path) -> None:
    """A byte of the header says whether there are checksums: it may be the damaged one."""
    if not checked.verifies(connection):
        raise CorruptStore(
            f"{str(path)!r} is damaged (its pages have checksums and its header denies it): "
            "restore a backup (quipu restore), or keep what can be read (quipu doctor --salvage)"
        )


def _open_read_only(path: Path, timeout_s: float) -> Any:
    """A connection that cannot write. Where SQLite may not even make its shared-memory file
    (a read-only folder), the file is read as immutable, provided no log waits beside it."""
    if not path.is_file():
        raise StoreUnavailable(f"{str(path)!r} is not there: make it with quipu init, or index")
    checked.require_whole(path)
    try:
        return _ready_read_only(str(path), path, timeout_s, apsw.SQLITE_OPEN_READONLY)
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError) as error:
        if checked.is_damage(error):
            raise
        uri = checked.unshared(path)
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return _ready_read_only(uri, path, timeout_s, flags)


def _ready_read_only(name: str, path: Path, timeout_s: float, flags: int) -> Any:
    connection = checked.connect(name, flags=flags)
    try:
        connection.set_busy_timeout(int(timeout_s * 1000))
        _recognise(connection, path)
        connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -32768")
        _require_verified(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _recognise(connection: Any, path: Path) -> None:
    """Raises, before anything was written, for what is no database that this version knows."""
    connection.execute("PRAGMA trusted_schema = OFF")  # a file may have come with a folder
    checked.require_whole_log(connection, path)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema").fetchall()}
    mark = connection.execute("PRAGMA application_id").get
    found = schema.version(connection)
    ours = mark == schema.APPLICATION_ID or (not mark and tables.issuperset(_OURS))
    if not (ours if tables else mark in (0, schema.APPLICATION_ID)):
        # Its log stays as it was found, too.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        raise InvalidInput(
            f"{str(path)!r} is a database of another program, nothing was changed in it: "
            "name Quipu's own, or another path where one can be made"
        )
    if found > schema.LATEST:
        raise NewerStore(
            f"{str(path)!r} has schema {found} and this Quipu knows {schema.LATEST}: "
            "update Quipu (pip install -U quipu-memory)"
        )
    if tables and found < schema.OLDEST:
        raise StoreUnavailable(
            f"{str(path)!r} has schema {found}, which no release made: move it away and index again"
        )

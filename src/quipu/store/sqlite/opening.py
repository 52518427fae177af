"""Opening a file: only one that is Quipu's or empty, of a schema that this program knows."""

from pathlib import Path
from typing import Any

import apsw

from quipu.errors import CorruptStore, InvalidInput, NewerStore, StoreUnavailable
from quipu.files import checked, private
from quipu.store.sqlite import schema

_OURS = ("file", "namespace", "support")


def open_writable(path: Path, timeout_s: float) -> Any:
    """A connection that reads and writes; the file is made, or brought to the latest schema."""
    checked.ready(path, _begin)
    connection = _ready_writable(path, timeout_s)
    if schema.is_checked(connection):
        return connection
    connection.close()
    checked.add_checksums(path, schema.mark_checked)
    return _ready_writable(path, timeout_s)


def _begin(connection: Any) -> None:
    schema.migrate(connection)
    schema.mark_checked(connection)


def _ready_writable(path: Path, timeout_s: float) -> Any:
    connection = checked.connect(path)
    try:
        connection.set_busy_timeout(int(timeout_s * 1000))
        _recognise(connection, path)
        private.narrow(checked.beside(path))
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
    if schema.is_checked(connection) and not checked.verifies(connection):
        raise CorruptStore(
            f"{str(path)!r} is damaged (its pages have checksums and its header denies it): "
            "restore a backup (quipu restore), or keep what can be read (quipu doctor --salvage)"
        )


def open_read_only(path: Path, timeout_s: float) -> Any:
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
        log = path.with_name(path.name + "-wal")
        if log.is_file() and log.stat().st_size:
            raise StoreUnavailable(
                f"{str(path)!r} lies in a folder that cannot be written and its log "
                f"{log.name!r} holds changes not yet in it: open it once where it can be written"
            ) from error
    uri = path.absolute().as_uri() + "?immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return _ready_read_only(uri, path, timeout_s, flags)


def _ready_read_only(name: str, path: Path, timeout_s: float, flags: int) -> Any:
    connection = checked.connect(name, flags=flags)
    try:
        connection.set_busy_timeout(int(timeout_s * 1000))
        found = _recognise(connection, path)
        if found < schema.READABLE:
            raise StoreUnavailable(
                f"{str(path)!r} has schema {found} and this Quipu needs {schema.READABLE}: "
                "open it once without read_only, or run `quipu index`, which upgrades it"
            )
        connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -32768")
        _require_verified(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _recognise(connection: Any, path: Path) -> int:
    """The schema's version; 0 for an empty file. Raises before anything was written."""
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
    return found

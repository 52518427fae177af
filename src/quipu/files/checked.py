"""SQLite files in which no damaged byte goes unnoticed: every page ends with a checksum.

SQLite's own extension (`cksumvfs`, which apsw brings along) writes the checksum with the page and
verifies it when the page is read: what was damaged is an error, whatever is stored there. It
becomes SQLite's default way to files in this process; a file that reserves no bytes for checksums
is read and written as before. https://sqlite.org/cksumvfs.html
"""

import os
import stat
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from quipu.errors import CorruptStore, StoreUnavailable
from quipu.files import private

__all__ = [
    "Identity",
    "connect",
    "copy",
    "database_files",
    "is_damage",
    "make",
    "page_size",
    "ready",
    "require_whole",
    "require_whole_log",
    "verifies",
]


class Identity:
    """The files at `paths` as they are now; those that are not there are not watched.

    A database that was replaced or removed under an open process goes on being written where nobody
    will read it: what was given to it is acknowledged only while this says that it is there.
    """

    def __init__(self, *paths: Path) -> None:
        self._known = {
            str(path): named for path in paths if (named := _named(str(path))) is not None
        }

    def require(self, path: Path | None = None) -> None:
        """StoreUnavailable when another file, or none, is at `path` (default: at any of all)."""
        watched = self._known if path is None else self._known.keys() & {str(path)}
        for place in watched:
            if _named(place) != self._known[place]:
                raise StoreUnavailable(
                    f"{place!r} was replaced or removed while it was open: what was just "
                    "asked is not stored there and nothing more is written; put it back or "
                    "open the store again, then do it again"
                )


def _named(path: str) -> tuple[int, int] | None:
    """The device and the inode; each statement of a ledger asks, so no `Path` is made."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_dev, found.st_ino


PAGE_BYTES = 8192
RESERVED = 8
"""Bytes at the end of a page that hold its checksum."""

_MAGIC = b"SQLite format 3\0"
LOG_HEAD, FRAME_HEAD = 32, 24
_LOG_MAGIC = {b"\x37\x7f\x06\x82": "<", b"\x37\x7f\x06\x83": ">"}
"""How a log begins, with the order of the bytes that its checksums are made of."""
_INDEX_SALTS = slice(32, 40)
"""Where the shared index has the salts: https://sqlite.org/walformat.html, 2.1."""
_LOOKS, _MOMENT_S = 10, 0.1
_loading = threading.Lock()


def connect(name: str | Path, **options: Any) -> Any:
    """A connection that verifies what it reads, where the file has checksums."""
    _load()
    return apsw.Connection(str(name), **options)


def _load() -> None:
    with _loading:
        if "cksmvfs" in apsw.vfs_names():
            return
        extension = Path(apsw.__file__).parent / "sqlite_extra_binaries" / "cksumvfs"
        dummy = apsw.Connection(":memory:")
        try:
            dummy.enable_load_extension(True)
            dummy.load_extension(str(extension))
        except apsw.Error as error:
            raise StoreUnavailable(
                f"this build of apsw brings no checksums for SQLite files ({error}): install the "
                "one from PyPI (pip install --force-reinstall --only-binary apsw apsw)"
            ) from error
        finally:
            dummy.close()


def verifies(connection: Any) -> bool:
    """Whether every page that is read is verified."""
    return connection.execute("PRAGMA checksum_verification").get == "1"


def is_damage(error: BaseException) -> bool:
    """Whether SQLite says that the file is damaged, itself or before what it complained of last
    (a transaction that damage ended is not there any more when it is to be rolled back)."""
    if error.__context__ is not None and is_damage(error.__context__):
        return True
    return isinstance(error, (apsw.CorruptError, apsw.NotADBError)) or (
        isinstance(error, apsw.IOError)
        and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA
    )


def database_files(path: Path) -> list[Path]:
    """The database and what SQLite keeps beside it."""
    return [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))]


def require_whole(path: Path) -> None:
    """CorruptStore for a file that is empty or was cut inside a page; one that is there."""
    size = path.stat().st_size
    if not size:
        raise CorruptStore(
            f"{str(path)!r} is empty: was it truncated? Restore a backup (quipu restore), or "
            "remove it to begin anew"
        )
    with path.open("rb") as stream:
        page = page_size(stream.read(18))
    if page and not has_log(path) and size % page:
        raise CorruptStore(
            f"{str(path)!r} is damaged: it ends inside a page ({size:,} bytes), was it truncated? "
            "Restore a backup (quipu restore), or keep what can be read (quipu doctor --salvage)"
        )


def page_size(head: bytes) -> int:
    """The page size of the file that begins with `head`; 0 when that is no SQLite file."""
    size = int.from_bytes(head[16:18], "big")
    size = 65536 if size == 1 else size
    return size if head.startswith(_MAGIC) and size >= 512 and not size & (size - 1) else 0


def has_log(path: Path) -> bool:
    """Whether changes wait beside the database that are not in it yet."""
    return any(_log_bytes(path, end) for end in ("-wal", "-journal"))


def _log_bytes(path: Path, end: str) -> int:
    """The size of the log of the database at `path`; whoever closes it last may remove it now."""
    try:
        status = path.with_name(path.name + end).stat()
    except FileNotFoundError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def require_whole_log(connection: Any, path: Path) -> None:
    """CorruptStore when a commit stands in the log behind a frame that is not as it was written:
    SQLite reads no further than that, and says nothing. https://sqlite.org/walformat.html
    A log that was cut behind a commit, or removed, is not told from one that never had more.

    A commit that another process is bringing to the disk stands there too, for a moment, before
    SQLite reads it: damage is what is the same whenever it is looked at.
    """
    log, found = path.with_name(path.name + "-wal"), set[tuple[int, int]]()
    for again in range(_LOOKS):
        time.sleep(_MOMENT_S if again else 0)
        try:
            unread = _unread(connection, log)
        except (OSError, apsw.Error):
            return
        if unread is None or len(found | {unread}) > 1:
            return
        found.add(unread)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # the log stays as it is
    raise CorruptStore(
        f"the log of {str(path)!r} is damaged, and writes stand behind the damage: restore a "
        "backup (quipu restore), or keep what stands before it (quipu doctor --salvage)"
    )


def _unread(connection: Any, log: Path) -> tuple[int, int] | None:
    """How many frames SQLite reads of this log, and where a commit stands behind them; None where
    none does."""
    _, frames, _ = connection.execute("PRAGMA wal_checkpoint(NOOP)").fetchone()
    with log.open("rb") as stream:
        head, end = stream.read(LOG_HEAD), os.fstat(stream.fileno()).st_size
        if end > LOG_HEAD and not (_log_begins_well(head) and any(head)):
            return frames, 0  # it is written, and brought to the disk, before any frame
        frame_bytes = FRAME_HEAD + int.from_bytes(head[8:12], "big")
        begin = LOG_HEAD + frames * frame_bytes
        for at in range(begin, end - frame_bytes + 1, frame_bytes):
            stream.seek(at)
            frame = stream.read(FRAME_HEAD)
            if frame[8:16] != head[16:24]:
                break  # of before the log was begun anew
            if any(frame[4:8]):
                return (frames, at) if _salts_read(log) == head[16:24] else None
    return None


def _salts_read(log: Path) -> bytes:
    """The salts of the log that SQLite reads, as the shared index beside it has them: others as
    soon as a writer has begun the log anew, while the file is as it was until its first frame."""
    with log.with_name(f"{log.name.removesuffix('wal')}shm").open("rb") as stream:
        return stream.read(_INDEX_SALTS.stop)[_INDEX_SALTS]


def _log_begins_well(head: bytes) -> bool:
    """Whether the first 32 bytes of a log are as they were written, or there are none."""
    order = _LOG_MAGIC.get(head[:4])
    if order is None or len(head) < LOG_HEAD:
        return not head.strip(b"\0")
    one = two = 0
    for first, second in struct.iter_unpack(f"{order}2I", head[:24]):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return head[24:] == struct.pack(">2I", one, two)


def unshared(path: Path) -> str:
    """The name by which SQLite reads a database where it may not make files beside it: a folder
    that is read-only, a full disk. Raises StoreUnavailable where a log waits to be moved in."""
    if _log_bytes(path, "-wal"):
        raise StoreUnavailable(
            f"{str(path)!r} lies in a folder that cannot be written and its log "
            f"'{path.name}-wal' holds changes not yet in it: open it once where it can be written"
        )
    return path.absolute().as_uri() + "?immutable=1"


def make(path: Path, begin: Callable[[Any], None]) -> None:
    """A new database at `path`, with checksums and with what `begin` puts into it: whole or not
    at all. One that is there by then stays as it is."""
    made = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    private.write(made, b"")
    try:
        connection = connect(made)
        try:
            _reserve(connection)
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode = WAL")
            begin(connection)
        finally:
            connection.close()
        _put(made, path)
    finally:
        for left in database_files(made):
            left.unlink(missing_ok=True)


def ready(path: Path, begin: Callable[[Any], None]) -> None:
    """Let there be a database at `path`; raises CorruptStore for an empty or truncated one."""
    if not path.exists():
        private.make_folder(path.parent)
        make(path, begin)
    require_whole(path)


def copy(source: Any, target: Path) -> None:
    """Write what the connection `source` reads now to the file `target`, as one moment.

    Where `source` verifies its pages, the copy is made with checksums *before* the first page
    arrives: the extension computes none until it has seen a header that asks for them, and SQLite
    writes the header last, after every page that did not fit into its cache (so does `VACUUM INTO`,
    which has no file to make first). Pages that are out of use come along.
    """
    made = connect(target)
    try:
        made.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").fetchall()
        if verifies(source):
            _reserve(made)
            made.execute(f"PRAGMA page_size = {PAGE_BYTES}; CREATE TABLE t(x); DROP TABLE t")
        with made.backup("main", source, "main") as copying:
            copying.step(-1)
    finally:
        made.close()


def _put(made: Path, path: Path) -> None:
    try:
        os.link(made, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            made.replace(path)


def _reserve(connection: Any) -> None:
    import ctypes  # only where a file is made: it takes a while to import

    reserved = ctypes.c_int(RESERVED)
    connection.file_control("main", apsw.SQLITE_FCNTL_RESERVE_BYTES, ctypes.addressof(reserved))

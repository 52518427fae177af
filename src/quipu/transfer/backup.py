"""A memory's files as one file, taken while others write, and put back elsewhere.

A backup is an uncompressed tar file: `manifest.json` first, then `ops.db` (keys, runs and
checkpoints), `quipu.db`, and the reports of the last run. Each database is a copy of one moment,
page by page.
"""

import hashlib
import io
import os
import shutil
import tarfile
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import apsw
import msgspec

from quipu.errors import CorruptStore, InvalidInput, NewerStore, StoreUnavailable
from quipu.files import checked, private
from quipu.files.target import require_target
from quipu.files.whole import faults
from quipu.ledger import LEDGER
from quipu.when.instants import Clock

__all__ = ["BackedUp", "backup", "restore"]

VERSION = 1
DATABASE = "quipu.db"
_MANIFEST = "manifest.json"
_REPORTS = ("index_metadata.json", "index_errors.json")
_NAMES = (*_REPORTS, LEDGER, DATABASE)  # the database last: with it, the memory is there
_MANIFEST_BYTES = 1 << 20
_SOON_S = 10_000


class BackedUpFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file in a backup."""

    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup says of itself; `counts` are the rows by kind, of all namespaces and history
    included, `open` the accepted writes that were not done yet."""

    quipu: Literal["backup"] = "backup"
    version: int = VERSION
    created_at: str
    store: str
    counts: dict[str, int]
    open: int
    files: dict[str, BackedUpFile]


class BackedUp(msgspec.Struct, frozen=True, kw_only=True):
    """A backup that was written or put back: where it is now and what it holds."""

    path: Annotated[str, "where the backup, or the restored database, is"]
    bytes: Annotated[int, "how large the backup is"]
    created_at: Annotated[str, "when the backup was taken"]
    counts: Annotated[dict[str, int], "rows by kind, of all namespaces and history included"]
    open: Annotated[int, "writes that were accepted and not done yet"]


def backup(
    database: Path, state: Path | None, path: Path, *, store: str, clock: Clock, overwrite: bool
) -> BackedUp:
    """Write `database` and what `state` keeps beside it to `path`, for its owner's eyes: whole
    and checked, or not at all.

    Writers may go on meanwhile. Raises InvalidInput for a file that is there when it is not to be
    overwritten, CorruptStore for a memory that is damaged, StoreUnavailable when `path` cannot be
    written.
    """
    require_target(path, overwrite=overwrite)
    ledger = [] if state is None else [state / LEDGER]
    copied = [f for each in (database, *ledger) for f in checked.database_files(each)[:2]]
    # Copies first, then the archive of them.
    require_room(path.parent, 2 * sum(f.stat().st_size for f in copied if f.is_file()))
    with _scratch_folder(path) as scratch:
        if state is not None and (state / LEDGER).is_file():
            _copy(state / LEDGER, scratch / LEDGER)
        _copy(database, scratch / DATABASE)
        for name in _REPORTS if state is not None else ():
            if state is not None and (state / name).is_file():
                private.write(scratch / name, (state / name).read_bytes())
        made = _manifest(scratch, store, clock())
        written = scratch / "backup.tar"
        _pack(scratch, made, written)
        size = written.stat().st_size
        _place(written, path, overwrite=overwrite)
    return _report(path, made, size)


def restore(
    path: Path,
    database: Path,
    state: Path,
    *,
    begin: Callable[[], None],
) -> BackedUp:
    """Put the backup at `path` back as `database`, with its ledger and reports in `state`.

    Its sizes are compared before anything is written, then `begin` is called. It is unpacked
    beside and verified. The database takes its place last, in one step; after a kill the same
    command goes on. Raises InvalidInput where something else is in the place, CorruptStore for a
    backup that is damaged.
    """
    made = read_manifest(path)
    _require_members(path, made)
    require_room(database.parent, sum(each.bytes for each in made.files.values()))
    _require_free(database)
    begin()
    private.make_folder(state)
    places = {name: database if name == DATABASE else state / name for name in made.files}
    with _scratch_folder(database) as scratch:
        _unpack(path, made, scratch)
        if not _is_copy(state / LEDGER, scratch / LEDGER):
            _require_free(state / LEDGER)
        if _counts(scratch / DATABASE) != made.counts:
            raise CorruptStore(f"{str(path)!r} does not hold what its manifest says: {_OTHER}")
        for left in checked.database_files(database)[1:]:
            left.unlink(missing_ok=True)
        for name in (name for name in _NAMES if name in places):
            _place(scratch / name, places[name], overwrite=name != DATABASE)
    return _report(database, made, path.stat().st_size)


def _require_free(place: Path) -> None:
    if place.exists():
        raise InvalidInput(
            f"{str(place)!r} is there already: move it away, or name an empty place with "
            "--store; nothing was changed"
        )


def _is_copy(place: Path, unpacked: Path) -> bool:
    """Whether a restore that was killed had put the file there."""
    both = place.is_file() and unpacked.is_file()
    return both and _sha256(place) == _sha256(unpacked)


_OTHER = "take another backup"


def read_manifest(path: Path) -> Manifest:
    """What the backup at `path` says of itself."""
    with _opened(path) as archive:
        first = archive.next()
        stream = archive.extractfile(first) if first and first.name == _MANIFEST else None
        data = stream.read(_MANIFEST_BYTES) if stream else b""
    try:
        made = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _no_backup(path) from error
    if made.version > VERSION:
        raise NewerStore(
            f"{str(path)!r} is a backup of version {made.version} and this Quipu reads up to "
            f"{VERSION}: update Quipu (pip install -U quipu-memory)"
        )
    if DATABASE not in made.files or not made.files.keys() <= set(_NAMES):
        raise _no_backup(path)
    return made


def _require_members(path: Path, made: Manifest) -> None:
    """Raise for an archive that does not hold just the manifest and the files that it names, each
    once, whole and as large as it says; nothing is unpacked to find out."""
    size = path.stat().st_size
    expected = {name: each.bytes for name, each in made.files.items()}
    with _opened(path) as archive:
        for member in archive.getmembers()[1:]:  # the manifest is the first
            plain = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not member.issparse()
            whole = plain and member.offset_data + member.size <= size
            if not whole or expected.pop(member.name, None) != member.size:
                raise CorruptStore(
                    f"{str(path)!r} is damaged or no backup: {member.name!r} in it "
                    f"({member.size:,} bytes) is not what its manifest names; nothing was "
                    f"written; {_OTHER}"
                )
    if expected:
        raise CorruptStore(
            f"{str(path)!r} is damaged: {', '.join(expected)} is not in it; nothing was written; "
            f"{_OTHER}"
        )


def require_room(folder: Path, needed_bytes: int) -> None:
    """Raise StoreUnavailable where less than that is free for `folder` (or where it will be)."""
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    free = shutil.disk_usage(there).free
    if needed_bytes > free:
        raise StoreUnavailable(
            f"{needed_bytes:,} bytes are needed in {str(folder)!r} and {free:,} are free: make "
            "room or choose another place; nothing was written"
        )


def _no_backup(path: Path) -> InvalidInput:
    return InvalidInput(f"{str(path)!r} is no backup: give a file that `quipu backup` wrote")


@contextmanager
def _opened(path: Path) -> Generator[tarfile.TarFile]:
    try:
        with tarfile.open(path, "r:") as archive:
            yield archive
    except FileNotFoundError as error:
        raise InvalidInput(f"{str(path)!r} is not there: name a backup") from error
    except tarfile.TarError as error:
        raise _no_backup(path) from error


def _copy(source: Path, target: Path) -> None:
    """One moment of a database, while others write; every page that is read is verified."""
    private.write(target, b"")
    connection = _reading(source)
    try:
        checked.copy(connection, target)
    except apsw.Error as error:
        if checked.is_damage(error):
            raise CorruptStore(
                f"{str(source)!r} is damaged and was not backed up ({error}): `quipu doctor` says "
                "where; keep what can be read (quipu doctor --salvage)"
            ) from error
        raise StoreUnavailable(
            f"{str(source)!r} cannot be copied ({error}): check its rights and the free space "
            f"beside {str(target.parent)!r}"
        ) from error
    finally:
        connection.close()
    if found := faults(target):
        raise CorruptStore(f"the copy of {str(source)!r} is not whole: {'; '.join(found)}")


def _reading(source: Path) -> Any:
    """A connection that reads a database, where nothing can be written beside it too."""
    connection = checked.connect(source, flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(_SOON_S)
    try:
        connection.execute("PRAGMA schema_version").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError, apsw.FullError) as error:
        if checked.is_damage(error):
            return connection
        connection.close()
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return checked.connect(checked.unshared(source), flags=flags)
    return connection


def _manifest(folder: Path, store: str, now: str) -> Manifest:
    files = {
        name: BackedUpFile(bytes=(folder / name).stat().st_size, sha256=_sha256(folder / name))
        for name in _NAMES
        if (folder / name).is_file()
    }
    return Manifest(
        created_at=now,
        store=store,
        counts=_counts(folder / DATABASE),
        open=_open(folder / DATABASE, folder / LEDGER if LEDGER in files else None),
        files=files,
    )


def _counts(database: Path) -> dict[str, int]:
    kinds = ("episode", "chunk", "entity", "relation", "fact")
    rows = _rows(database, "SELECT kind, count(*) FROM support GROUP BY kind ORDER BY kind")
    vectors = _rows(database, "SELECT count(*) FROM vector")
    counts: dict[str, int] = {kinds[kind]: count for kind, count in rows}
    return counts | {"vector": vectors[0][0]}


def _open(database: Path, ledger: Path | None) -> int:
    """The writes that are accepted and not done, in the ledger too: an earlier version's."""
    count = 0
    if _rows(database, "SELECT 1 FROM sqlite_schema WHERE name = 'job'"):
        count += _rows(database, "SELECT count(*) FROM job WHERE live = 1")[0][0]
    if ledger is not None:
        count += _rows(ledger, "SELECT count(*) FROM entry WHERE kind = 'open'")[0][0]
    return count


def _rows(path: Path, sql: str) -> list[Any]:
    name = path.absolute().as_uri() + "?immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with closing(checked.connect(name, flags=flags)) as connection:
        return connection.execute(sql).fetchall()


def _pack(folder: Path, made: Manifest, target: Path) -> None:
    text = msgspec.json.format(msgspec.json.encode(made, order="deterministic"), indent=2)
    with private.open_new(target) as stream:
        with tarfile.open(fileobj=stream, mode="w:", format=tarfile.USTAR_FORMAT) as archive:
            archive.addfile(_member(_MANIFEST, len(text)), io.BytesIO(text))
            for name in (name for name in _NAMES if name in made.files):
                with (folder / name).open("rb") as content:
                    archive.addfile(_member(name, made.files[name].bytes), content)
        stream.flush()
        os.fsync(stream.fileno())


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, private.FILE
    return member


def _unpack(path: Path, made: Manifest, folder: Path) -> None:
    """The files of the backup, each with the checksum that the manifest names."""
    with _opened(path) as archive:
        for member in archive:
            known = made.files.get(member.name)
            content = archive.extractfile(member) if known and member.isfile() else None
            if content is not None:
                with private.open_new(folder / member.name) as stream:
                    shutil.copyfileobj(content, stream)
                    stream.flush()
                    os.fsync(stream.fileno())
    for name, known in made.files.items():
        if not (folder / name).is_file() or _sha256(folder / name) != known.sha256:
            raise CorruptStore(f"{str(path)!r} is damaged: {name} in it is not whole; {_OTHER}")
    for name in (LEDGER, DATABASE):
        if name in made.files and (found := faults(folder / name)):
            raise CorruptStore(f"{name} in {str(path)!r} is damaged: {'; '.join(found)}; {_OTHER}")


def _place(made: Path, path: Path, *, overwrite: bool) -> None:
    if overwrite:
        made.replace(path)
        return
    try:
        os.link(made, path)
    except FileExistsError as error:
        raise InvalidInput(f"{str(path)!r} is there already: nothing was changed") from error
    except OSError:  # a file system without hard links
        made.replace(path)


@contextmanager
def _scratch_folder(path: Path) -> Generator[Path]:
    """A folder of one's own on the same disk, gone afterwards; what a killed process left of the
    same kind goes too."""
    mine = path.with_name(f".{path.name}.making.{os.getpid()}")
    try:
        for left in path.parent.glob(f".{path.name}.making.*"):
            if not _lives(left.suffix[1:]):
                shutil.rmtree(left, ignore_errors=True)
        private.make_folder(mine)
        yield mine
    except OSError as error:
        raise StoreUnavailable(
            f"{str(path)!r} cannot be written: {error.strerror or error}; choose another place"
        ) from error
    finally:
        shutil.rmtree(mine, ignore_errors=True)


def _lives(pid: str) -> bool:
    if os.name != "posix" or not pid.isdigit():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return int(pid) != os.getpid()


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _report(path: Path, made: Manifest, size: int) -> BackedUp:
    return BackedUp(
        path=str(path), bytes=size, created_at=made.created_at, counts=made.counts, open=made.open
    )

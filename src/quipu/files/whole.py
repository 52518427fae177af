"""Whether a SQLite file is as it was written: what `doctor` and a backup ask."""

from pathlib import Path

import apsw

from quipu.errors import CorruptStore
from quipu.files import checked
from quipu.files.pages import damaged_pages, logged_pages, page_size

__all__ = ["faults", "has_checksums"]

_NAMED = 8


def has_checksums(path: Path) -> bool:
    """Whether the pages of the file carry checksums."""
    with path.open("rb") as stream:
        return stream.read(21)[20:] == bytes([checked.RESERVED])


def faults(path: Path) -> list[str]:
    """What is damaged in the file at `path` and its log, in words; nothing when it is whole.

    Every page is read, those that nothing uses too. Where there are no checksums yet, only what
    SQLite itself notices.
    """
    try:
        checked.require_whole(path)
    except CorruptStore as error:
        return [str(error)]
    with path.open("rb") as stream:
        size = page_size(stream.read(100))
    if not size:
        return [f"{str(path)!r} is no SQLite database"]
    found: list[str] = []
    log = path.with_name(path.name + "-wal")
    log_is_sound = _log_is_sound(path, log)
    bad = damaged_pages(path, size) if has_checksums(path) else []
    if bad and log_is_sound:
        bad = sorted({*bad} - logged_pages(log))
    if bad:
        named = ", ".join(map(str, bad[:_NAMED])) + (", …" if len(bad) > _NAMED else "")
        found.append(f"{len(bad)} of {path.stat().st_size // size:,} pages ({named})")
    if not log_is_sound:
        found.append(f"the log {log.name}, with changes after the damage")
    return found + _noticed(path)


def _log_is_sound(path: Path, log: Path) -> bool:
    if not log.is_file():
        return True
    with log.open("rb") as stream:
        if not checked.log_begins_well(stream.read(32)):
            return False
    try:
        connection = checked.connect(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            checked.require_whole_log(connection, path)
        finally:
            connection.close()
    except apsw.Error:
        return True  # what is damaged there is found page by page
    except CorruptStore:
        return False
    return True


def _noticed(path: Path) -> list[str]:
    """What SQLite's own check says."""
    try:
        connection = checked.connect(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            rows = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
        finally:
            connection.close()
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        return []  # opening it as a store says why
    except apsw.Error as error:
        return [str(error)] if checked.is_damage(error) else []
    return [] if rows == ["ok"] else rows

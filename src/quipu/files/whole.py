"""Whether a SQLite file is as it was written: what `doctor` and a backup ask. Every page with a
checksum is verified, those in nobody's use too."""

from contextlib import closing
from functools import partial
from io import SEEK_CUR, BytesIO
from pathlib import Path

import apsw

from quipu.errors import CorruptStore
from quipu.files import checked
from quipu.files.checked import FRAME_HEAD, LOG_HEAD
from quipu.limits import NAMED

__all__ = ["damaged_pages", "faults", "has_checksums"]


def damaged_pages(path: Path, size: int) -> list[int]:
    """The pages (from 1) that are not as they were written; a last one that is cut is one."""
    connection = checked.connect(":memory:")
    try:

        def is_whole(data: bytes) -> bool:
            return connection.execute("SELECT verify_checksum(?)", (data,)).get == 1

        with path.open("rb") as stream:
            pages = enumerate(iter(partial(stream.read, size), b""), 1)
            suspects = [number for number, data in pages if not is_whole(data)]
            found: list[int] = []
            for number in suspects:  # somebody may have been writing it
                stream.seek((number - 1) * size)
                if not is_whole(stream.read(size)):
                    found.append(number)
            return found
    finally:
        connection.close()


def _logged_pages(path: Path) -> frozenset[int]:
    """The pages whose present content stands in a write-ahead log that is whole: what the database
    holds of them counts no more. A checkpoint that ended inside one leaves it half put."""
    pages: list[int] = []
    committed = 0
    with path.open("rb") if path.is_file() else BytesIO() as stream:
        head = stream.read(LOG_HEAD)
        size = int.from_bytes(head[8:12], "big")
        while len(frame := stream.read(FRAME_HEAD)) == FRAME_HEAD and frame[8:16] == head[16:24]:
            stream.seek(size, SEEK_CUR)
            pages.append(int.from_bytes(frame[:4], "big"))
            if any(frame[4:8]):
                committed = len(pages)
    return frozenset(pages[:committed])


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
        size = checked.page_size(stream.read(100))
    if not size:
        return [f"{str(path)!r} is no SQLite database"]
    log = path.with_name(path.name + "-wal")
    log_is_sound, noticed = _noticed(path)
    bad = damaged_pages(path, size) if has_checksums(path) else []
    if bad and log_is_sound:
        bad = sorted({*bad} - _logged_pages(log))
    found: list[str] = []
    if bad:
        named = ", ".join(map(str, bad[:NAMED])) + (", …" if len(bad) > NAMED else "")
        found.append(f"{len(bad)} of {path.stat().st_size // size:,} pages ({named})")
    if not log_is_sound:
        found.append(f"the log {log.name}, with changes after the damage")
    return found + noticed


def _noticed(path: Path) -> tuple[bool, list[str]]:
    """Whether no commit is lost in the log, and what SQLite's own check says. What cannot be opened
    says why where it is opened as a store."""
    log_is_sound = True
    try:
        with closing(checked.connect(path, flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            try:
                checked.require_whole_log(connection, path)
            except CorruptStore:
                log_is_sound = False
            rows = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
    except apsw.Error as error:
        return log_is_sound, [str(error)] if checked.is_damage(error) else []
    return log_is_sound, [] if rows == ["ok"] else rows

"""A file's bytes with what is known about where they come from."""

import errno
import hashlib
import os
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from quipu.errors import InvalidInput
from quipu.records.document import Problem
from quipu.when.instants import UNKNOWN_TIME, from_epoch, past_midnight

__all__ = [
    "DEFAULT_MAX_BYTES",
    "CredentialEntry",
    "FileEntry",
    "LeftOut",
    "SourceFile",
    "content_hash",
    "escaped",
    "files_in",
    "git_blob_id",
    "read_source",
    "read_stable",
    "read_whole",
    "source_of",
]


def files_in(
    folder: Path, suffixes: Collection[str] | None = None
) -> tuple[list[Path], list[Problem]]:
    """The regular files in a folder and below it, by path, and what cannot be looked at, as
    warnings by its place there. Links are not followed. Of the files those with one of `suffixes`
    (in lower case; None: all), and then a warning for what has one and is no regular file; what is
    no folder is given as it is."""
    if not folder.is_dir():
        return [folder], []
    closed: list[OSError] = []
    found: list[Path] = []
    for root, _, names in os.walk(folder, onerror=closed.append):
        for file in (Path(root, name) for name in names):
            if suffixes is not None and file.suffix.lower() not in suffixes:
                continue
            try:
                plain = stat.S_ISREG(file.lstat().st_mode)
            except OSError as error:
                closed.append(error)
                continue
            if plain:
                found.append(file)
            elif suffixes is not None:
                closed.append(OSError(errno.EINVAL, "it is no regular file", str(file)))
    return sorted(found), [_problem(folder, error) for error in closed]


def _problem(folder: Path, error: OSError) -> Problem:
    shown = escaped(os.path.relpath(str(error.filename), folder))
    return Problem(shown, f"cannot be read: {error.strerror or error}", "warning")


DEFAULT_MAX_BYTES = 5_000_000


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file found under a root, not read yet. `path` is relative to the root, with slashes.

    `in_git` says that it lies in a git work tree, `head_blob` what HEAD holds for it and
    `committed_at` when that version was committed (an instant); None for an untracked file.
    `is_wanted` says that it was named, or taken back in a `.quipuignore`: it is read whatever it
    looks like.
    """

    path: str
    absolute: Path
    size: int
    mtime_ns: int
    ctime_ns: int = 0
    inode: int = 0
    in_git: bool = False
    head_blob: str | None = None
    committed_at: str | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    is_wanted: bool = False


class CredentialEntry(NamedTuple):
    """A file found under a root that exists to hold credentials, by its name; it is not read.

    `of` says what such files hold."""

    path: str
    of: str


class LeftOut(NamedTuple):
    """A file or folder found under a root that is not read, and the pattern that says so, or what
    it looks like (`shape_of`)."""

    path: str
    pattern: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was read. `source_sha` is the git blob id inside a work tree, else the
    content hash; `updated_at` the last commit's time, else the file's own."""

    path: str
    data: bytes
    content_hash: str
    source_sha: str
    updated_at: str


def content_hash(data: bytes) -> str:
    """The SHA-256 of `data`, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def git_blob_id(data: bytes) -> str:
    """The id git gives to a file with these bytes."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def escaped(path: str) -> str:
    """`path` fit for a report: control characters, and bytes that are no text, are written out."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in path
    )


def read_stable(path: Path, *, shown: str, max_bytes: int) -> bytes | Problem:
    """The bytes of `path`, or why they cannot be had; a file that changes is tried twice.

    `path` is as it was resolved: what has become a link, a pipe or a device meanwhile is not read.
    """
    for _ in range(2):
        try:
            with open(path, "rb", opener=_opened) as stream:
                before = os.fstat(stream.fileno())
                if not stat.S_ISREG(before.st_mode):
                    return Problem(shown, "is no regular file")
                data = stream.read(max_bytes + 1)
                after = os.fstat(stream.fileno())
        except OSError as error:
            return Problem(shown, f"cannot be read: {error.strerror or error}")
        if len(data) > max_bytes:
            return Problem(
                shown,
                f"has {after.st_size} bytes, more than the cap of {max_bytes}; raise max_bytes or "
                "list it in .quipuignore",
            )
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns) and len(
            data
        ) == after.st_size:
            return data
    return Problem(shown, "changed while it was being read; index again when it is at rest")


def read_whole(path: Path, *, max_bytes: int) -> bytes:
    """The bytes of a file that somebody named; InvalidInput says why they cannot be had."""
    try:
        resolved = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error}") from error
    data = read_stable(resolved, shown=str(path), max_bytes=max_bytes)
    if isinstance(data, Problem):
        raise InvalidInput(f"{str(path)!r} {data.error}")
    return data


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def read_source(entry: FileEntry) -> SourceFile | Problem:
    """The file that `entry` names, with its hashes and time, or why it cannot be had."""
    data = read_stable(entry.absolute, shown=escaped(entry.path), max_bytes=entry.max_bytes)
    if isinstance(data, Problem):
        return data
    return source_of(entry, data)


def source_of(entry: FileEntry, data: bytes) -> SourceFile:
    """The source that `entry` is when its bytes are `data`. Pure."""
    hashed = content_hash(data)
    blob = git_blob_id(data) if entry.in_git else None
    committed = entry.committed_at if blob is not None and blob == entry.head_blob else None
    return SourceFile(
        path=entry.path,
        data=data,
        content_hash=hashed,
        source_sha=blob or hashed,
        updated_at=past_midnight(committed or _file_time(entry.mtime_ns)),
    )


def _file_time(mtime_ns: int) -> str:
    """The file's own time; a file system can hold times that no calendar has."""
    try:
        return from_epoch(mtime_ns / 1e9)
    except InvalidInput:
        return UNKNOWN_TIME

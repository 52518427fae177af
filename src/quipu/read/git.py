"""What git knows of the files below a folder: their blobs at HEAD and their last commits."""

import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from quipu.errors import InvalidInput, MissingExtra
from quipu.read.git_program import Git, opened_git
from quipu.when.instants import UNKNOWN_TIME, from_epoch

_TIMEOUT_S = 60
_NAMED = 200
_COMMIT = re.compile(rb"\n*\x01[0-9a-f]{40,64} (-?\d{1,20})\n*")  # no file is called so


class Committed(NamedTuple):
    """A tracked file at HEAD: its blob and, where history is there, its last commit's time."""

    blob: str
    at: str | None


def _moment(seconds: float) -> str:
    """The instant `seconds` after 1970, UNKNOWN_TIME when that lies outside of all years."""
    try:
        return from_epoch(seconds)
    except InvalidInput:
        return UNKNOWN_TIME


def work_tree_of(folder: Path) -> Path | None:
    """The git work tree that `folder` (resolved) lies in, or None."""
    for candidate in (folder, *folder.parents):
        if os.path.exists(candidate / ".git"):  # noqa: PTH110 - which raises for long paths
            return candidate
    return None


def committed_files(root: Path, among: Collection[str] | None = None) -> dict[str, Committed]:
    """Every file below `root` (or of those, `among` the paths given) that HEAD holds, by its path
    from `root`; {} without git.

    History is read once for the whole tree, newest commit first, and no further than needed.
    """
    named = sorted(among) if among is not None and len(among) <= _NAMED else []
    try:
        with opened_git(root) as git:
            blobs = _blobs(git, named)
            if among is not None:
                blobs = {path: blob for path, blob in blobs.items() if path in among}
            times = _times(git, set(blobs), named) if blobs else {}
    except (InvalidInput, MissingExtra):
        return {}
    return {path: Committed(blob, times.get(path)) for path, blob in blobs.items()}


def _blobs(git: Git, named: Sequence[str]) -> dict[str, str]:
    blobs: dict[str, str] = {}
    for row in git.run(
        "--literal-pathspecs",
        "ls-tree",
        "-r",
        "-z",
        "HEAD",
        "--",
        *(named or "."),
        timeout_s=_TIMEOUT_S,
    ).split("\0"):
        head, tab, path = row.partition("\t")
        fields = head.split()
        if tab and len(fields) == 3 and fields[1] == "blob":
            blobs[path] = fields[2]
    return blobs


def _times(git: Git, wanted: set[str], named: Sequence[str]) -> dict[str, str]:
    times: dict[str, str] = {}
    at = ""
    rest = b""
    with git.stream(
        "--literal-pathspecs", "log", "--format=%x01%H %ct", "--name-only", "--no-renames",
        "--relative", "-m",
        "--first-parent", "--no-ext-diff", "--no-textconv", "-z", "--", *(named or "."),
    ) as out:  # fmt: skip
        while wanted and (block := out.read(1 << 16)):
            *rows, rest = (rest + block).split(b"\0")
            for row in rows:
                at = _take(row, at, wanted, times)
        if rest and wanted:
            _take(rest, at, wanted, times)
    return times


def _take(row: bytes, at: str, wanted: set[str], times: dict[str, str]) -> str:
    """Take one field of the log: a commit's time (returned), or a path of the commit at `at`."""
    if head := _COMMIT.match(row):
        at = _moment(int(head[1]))
        row = row[head.end() :]
    if row:
        path = os.fsdecode(row)
        if path not in wanted:  # a line end stands before the first path of a commit
            path = path.removeprefix("\n")
        if path in wanted:
            wanted.discard(path)
            times[path] = at
    return at

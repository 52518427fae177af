"""What git knows of the files below a folder: their blobs at HEAD and their last commits."""

import os
import re
import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from quipu.domain.instants import UNKNOWN_TIME, from_epoch
from quipu.errors import InvalidInput

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
    blobs = _blobs(root, named)
    if among is not None:
        blobs = {path: blob for path, blob in blobs.items() if path in among}
    if not blobs:
        return {}
    times = _times(root, set(blobs), named)
    return {path: Committed(blob, times.get(path)) for path, blob in blobs.items()}


def _environment() -> dict[str, str]:
    return {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def _blobs(root: Path, named: Sequence[str]) -> dict[str, str]:
    command = ["git", "-C", str(root), "ls-tree", "-r", "-z", "HEAD", "--", *(named or ".")]
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments, no shell
            command, capture_output=True, timeout=_TIMEOUT_S, check=False, env=_environment()
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    if done.returncode:
        return {}
    blobs: dict[str, str] = {}
    for row in done.stdout.split(b"\0"):
        head, tab, path = row.partition(b"\t")
        fields = head.split()
        if tab and len(fields) == 3 and fields[1] == b"blob":
            blobs[os.fsdecode(path)] = fields[2].decode()
    return blobs


def _times(root: Path, wanted: set[str], named: Sequence[str]) -> dict[str, str]:
    command = ["git", "--literal-pathspecs", "-C", str(root)]
    command += ["-c", "core.quotePath=false", "log", "--format=%x01%H %ct"]
    command += [
        "--name-only",
        "--no-renames",
        "--relative",
        "-m",
        "--first-parent",
        "-z",
        "--",
        *(named or "."),
    ]
    times: dict[str, str] = {}
    try:
        process = subprocess.Popen(  # noqa: S603 - fixed arguments, no shell
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()
        )
    except OSError:
        return {}
    assert process.stdout is not None
    at = ""
    rest = b""
    try:
        while wanted and (block := process.stdout.read(1 << 16)):
            *rows, rest = (rest + block).split(b"\0")
            for row in rows:
                at = _take(row, at, wanted, times)
        if rest and wanted:
            _take(rest, at, wanted, times)
    finally:
        process.stdout.close()
        process.terminate()
        process.wait()
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

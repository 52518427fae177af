"""A repository's commits, read by git itself: streamed, oldest first, no shell, no network.

Fields end with NUL, which neither a message nor a path can hold, so whatever a message says
stays a message. Nothing that the repository's configuration names is run (`git_program`).
"""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

from quipu.errors import InvalidInput
from quipu.kinds.commits.model import CommitInput
from quipu.limits import LARGEST_TEXT_FILE
from quipu.read.git_program import Git, opened_git
from quipu.read.redact import redacted_path
from quipu.read.source import escaped
from quipu.records.document import Problem
from quipu.when.instants import from_epoch

__all__ = ["Repository", "open_repository", "reachable", "read_commits"]

_BLOCK = 1 << 16
_FIELDS = "%x00%H%x00%P%x00%ct%x00%aN%x00%aE%x00%B%x00"
_COUNT = 6
_MOST_FILES = 20_000


class Repository(NamedTuple):
    """A repository: the folder git runs in, its top (None when bare), the hash of its HEAD
    ("" before the first commit), and the commits whose past a shallow clone lacks."""

    folder: Path
    top: Path | None
    head: str
    cut: frozenset[str]


def open_repository(folder: Path) -> Repository:
    """The repository that `folder` is in.

    Raises InvalidInput when it is in none, MissingExtra when there is no git.
    """
    if not folder.is_dir():
        raise InvalidInput(f"there is no folder {str(folder)!r}: give the folder of a repository")
    with _git_in(folder) as git:
        try:
            head = git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").strip()
        except InvalidInput:
            head = ""
        shallow = git.located.shared / "shallow"
        cut = shallow.read_text("ascii", "replace").split() if shallow.is_file() else []
        return Repository(folder, git.top, head, frozenset(cut))


def reachable(repository: Repository) -> list[str]:
    """The hashes of the commits that HEAD leads to, each after its parents."""
    if not repository.head:
        return []
    with _git_in(repository.folder) as git:
        return git.run("rev-list", "--topo-order", "--reverse", repository.head).split()


def read_commits(
    repository: Repository, shas: Sequence[str], *, name: str
) -> Iterator[CommitInput | Problem]:
    """These commits, in the order given; `name` is what the repository is called.

    A merge names no files; a commit whose past was cut off neither, for git would say that it
    made them all. What git cannot read ends the stream with InvalidInput.
    """
    if not shas:
        return
    asked = "\n".join((*shas, "")).encode("ascii")
    with (
        _git_in(repository.folder) as git,
        git.stream(
            "log",
            "--no-walk=unsorted",
            "--stdin",
            "-z",
            "--name-only",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-notes",
            "--no-color",
            f"--format=tformat:{_FIELDS}",
            given=asked,
        ) as out,
    ):
        for fields, files in _records(out):
            yield _commit(fields, files, repository, name)


@contextmanager
def _git_in(folder: Path) -> Generator[Git]:
    try:
        with opened_git(folder) as git:
            yield git
    except InvalidInput as error:
        raise InvalidInput(
            f"git cannot read the history in {str(folder)!r}: {error}: give the folder of a "
            "repository that is whole"
        ) from error


def _records(stream: IO[bytes]) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Each commit's fields and files.

    On the wire: an empty piece, the fields, an empty piece, then the files, the first of them
    after a line break, then the empty piece that begins the next commit.
    """
    fields: list[bytes] = []
    files: list[bytes] = []
    state = 0  # 0: before a commit, 1: in its fields, 2: after them, 3: in its files
    for piece in _pieces(stream):
        if state == 0 or (state == 3 and not piece):
            if state == 3:
                yield fields, files
            fields, files, state = [], [], 1
        elif state == 1:
            fields.append(piece)
            state = 2 if len(fields) == _COUNT else 1
        elif state == 2:
            state = 3
        else:
            files.append(piece if files else piece.removeprefix(b"\n"))
    if len(fields) == _COUNT:
        yield fields, files


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """What stands between NULs; a piece longer than a block is joined once."""
    begun: list[bytes] = []
    while block := stream.read(_BLOCK):
        first, *more = block.split(b"\0")
        begun.append(first)
        if more:
            yield b"".join(begun)
            yield from more[:-1]
            begun = [more[-1]]
    if any(begun):
        yield b"".join(begun)


def _commit(
    fields: Sequence[bytes], files: Sequence[bytes], repository: Repository, name: str
) -> CommitInput | Problem:
    sha, parents, time = (field.decode("ascii", "replace") for field in fields[:3])
    try:
        moment = from_epoch(int(time))
    except (ValueError, InvalidInput):
        return Problem(f"commit:{sha}", f"its time is {time!r}: no moment of the years 1 to 9999")
    named = () if sha in repository.cut else files[:_MOST_FILES]
    return CommitInput(
        sha=sha,
        message=fields[5].decode("utf-8", "replace")[:LARGEST_TEXT_FILE],
        time=moment,
        author=_text(fields[3]),
        email=redacted_path(_text(fields[4])),
        files=tuple(map(_path, named)),
        parents=tuple(parents.split()),
        repository=name,
    )


@lru_cache(maxsize=65536)
def _path(raw: bytes) -> str:
    return redacted_path(escaped(os.fsdecode(raw)))


@lru_cache(maxsize=4096)
def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")

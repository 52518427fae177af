"""A repository's commits, read by git itself: streamed, oldest first, no shell, no network.

Fields end with NUL, which neither a message nor a path can hold, so whatever a message says
stays a message. Nothing that the repository's configuration names is run.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

from quipu.domain.commits import CommitInput
from quipu.domain.document import Problem
from quipu.domain.instants import from_epoch
from quipu.errors import InvalidInput, MissingExtra
from quipu.read.redact_values import redacted_path
from quipu.read.source import escaped

__all__ = ["Repository", "open_repository", "reachable", "read_commits"]

_BLOCK = 1 << 16
_TIMEOUT_S = 120
_FIELDS = "%x00%H%x00%P%x00%ct%x00%aN%x00%aE%x00%B%x00"
_COUNT = 6
_ELSEWHERE = frozenset(
    f"GIT_{name}"
    for name in (
        "DIR", "WORK_TREE", "INDEX_FILE", "OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES",
        "COMMON_DIR", "NAMESPACE",
    )
)  # fmt: skip
_MOST_FILES = 20_000
_LARGEST_MESSAGE = 1_000_000


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
    shown = _run(folder, "rev-parse", "--is-bare-repository", "--git-dir").splitlines()
    bare = shown[0] == "true"
    top = None if bare else Path(_run(folder, "rev-parse", "--show-toplevel").rstrip("\n"))
    try:
        head = _run(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").strip()
    except InvalidInput:
        head = ""
    git_dir = folder / _run(folder, "rev-parse", "--git-common-dir").rstrip("\n")
    shallow = git_dir / "shallow"
    cut = shallow.read_text("ascii").split() if shallow.is_file() else []
    return Repository(folder, top, head, frozenset(cut))


def reachable(repository: Repository) -> list[str]:
    """The hashes of the commits that HEAD leads to, each after its parents."""
    if not repository.head:
        return []
    listed = _run(repository.folder, "rev-list", "--topo-order", "--reverse", repository.head)
    return listed.split()


def read_commits(
    repository: Repository, shas: Sequence[str], *, name: str
) -> Iterator[CommitInput | Problem]:
    """These commits, in the order given; `name` is what the repository is called.

    A merge names no files; a commit whose past was cut off neither, for git would say that it
    made them all. What git cannot read ends the stream with InvalidInput.
    """
    if not shas:
        return
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as complaints:
        asked.write("\n".join((*shas, "")).encode("ascii"))
        asked.seek(0)
        process = subprocess.Popen(  # noqa: S603 - fixed arguments, no shell
            _command(
                repository.folder, "log", "--no-walk=unsorted", "--stdin", "-z", "--name-only",
                "--no-renames", "--no-ext-diff", "--no-textconv", "--no-notes", "--no-color",
                f"--format=tformat:{_FIELDS}",
            ),
            stdin=asked, stdout=subprocess.PIPE, stderr=complaints, env=_environment(),
        )  # fmt: skip
        assert process.stdout is not None
        try:
            for fields, files in _records(process.stdout):
                yield _commit(fields, files, repository, name)
        except GeneratorExit:
            process.kill()
            raise
        finally:
            process.stdout.close()
            failed = process.wait()
        if failed:
            complaints.seek(0)
            raise _refused(repository.folder, complaints.read().decode("utf-8", "replace"))


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
        message=fields[5].decode("utf-8", "replace")[:_LARGEST_MESSAGE],
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


def _run(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments, no shell
            _command(folder, *arguments),
            capture_output=True, timeout=_TIMEOUT_S, check=False, env=_environment(),
        )  # fmt: skip
    except FileNotFoundError:
        raise MissingExtra(
            "there is no `git` on the PATH: install git to read a repository's history"
        ) from None
    except subprocess.TimeoutExpired:
        raise InvalidInput(
            f"git took more than {_TIMEOUT_S} s to answer in {str(folder)!r}: try `git gc` there"
        ) from None
    if done.returncode:
        raise _refused(folder, done.stderr.decode("utf-8", "replace"))
    return os.fsdecode(done.stdout)


def _refused(folder: Path, complaint: str) -> InvalidInput:
    said = complaint.strip().splitlines()
    return InvalidInput(
        f"git cannot read the history in {str(folder)!r}: {said[-1] if said else 'no reason given'}"
        ": give the folder of a repository that is whole"
    )


def _command(folder: Path, *arguments: str) -> list[str]:
    return [
        "git", "-C", str(folder), "--no-pager", "--no-replace-objects",
        "-c", "core.quotePath=false", "-c", "log.showSignature=false", "-c", "log.showRoot=true",
        "-c", "core.fsmonitor=false", "-c", "i18n.logOutputEncoding=UTF-8", *arguments,
    ]  # fmt: skip


def _environment() -> dict[str, str]:
    """Ours, without what would point git elsewhere; no lock is taken and nothing fetched."""
    kept = {k: v for k, v in os.environ.items() if k not in _ELSEWHERE}
    return {
        **kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }  # fmt: skip

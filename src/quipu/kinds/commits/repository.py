"""Brings a store up to date with a repository's history, and says what was done.

Commits are read by git itself: streamed, oldest first, no shell, no network. Fields end with NUL,
which neither a message nor a path can hold, so whatever a message says stays a message. Nothing
that the repository's configuration names is run (`git_program`).
"""

import os
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Annotated, NamedTuple

import msgspec

from quipu.errors import InvalidInput
from quipu.handle.handle import Handle
from quipu.kinds.commits.model import CommitInput
from quipu.kinds.commits.write import add_commits
from quipu.limits import ERRORS_LISTED, LARGEST_TEXT_FILE, ROWS_AT_ONCE
from quipu.ports import Progress, Store
from quipu.read.git_program import Git, opened_git
from quipu.read.redact import redacted_path
from quipu.read.source import escaped
from quipu.records.document import Problem
from quipu.records.record import Episode
from quipu.records.refs import COMMIT, commit_ref
from quipu.when.instants import from_epoch
from quipu.write.batches import BatchWriter
from quipu.write.lock import WriteLock
from quipu.write.places import Places
from quipu.write.report import ProblemRow

__all__ = [
    "HistoryReport",
    "Repository",
    "add_history",
    "index_history",
    "open_repository",
    "reachable",
    "read_commits",
]

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


_A_BATCH = 3_000
"""Commits that are written together."""
_NOTHING = "there was no commit to remember"


class HistoryReport(msgspec.Struct, frozen=True, kw_only=True):
    """What one run over a history found and did."""

    repository: Annotated[str, "what the repository is called here: the group of its commits"]
    head: Annotated[str, "the hash of the commit that HEAD led to"]
    commits: Annotated[int, "commits of it that are held afterwards"]
    added: Annotated[int, "how many were new"]
    removed: Annotated[int, "how many vanished from the history and were retired"]
    unchanged: Annotated[int, "how many were there already"]
    edges: Annotated[dict[str, int], "relations that the new commits assert, by type"]
    errors: Annotated[tuple[ProblemRow, ...], "commits that cannot be used (at most 100)"]
    redacted: Annotated[dict[str, int], "how many secrets were redacted, by kind"]
    sequence: Annotated[int, "the store's sequence number afterwards"]
    seconds: Annotated[float, "how long reading and writing took"]
    embedded: Annotated[int, "passages that got a vector now"] = 0
    unembedded: Annotated[int, "passages still without one"] = 0
    embed_seconds: Annotated[float, "how long that took"] = 0.0
    notes: Annotated[tuple[str, ...], "what should be known about the result"] = ()


def index_history(
    handle: Handle, folder: Path, *, embed: bool, progress: Progress | None
) -> HistoryReport:
    """Write the commits of the repository at `folder` that are not there yet, and retire those
    that its HEAD no longer leads to. Raises InvalidInput, MissingExtra."""
    repository = open_repository(folder.expanduser().absolute())
    name, root = _called(repository, Places(handle.home.folder))
    with handle.writing:
        listed = reachable(repository)
        sources = handle.store.sources(frozenset({COMMIT}))
        stored = {s.source_ref: s.episode_id for s in sources}
        gone = _vanished(handle.store, name, stored, set(map(commit_ref, listed)))
        missing = [sha for sha in listed if commit_ref(sha) not in stored]
        report = add_history(
            handle,
            read_commits(repository, missing, name=name),
            root=root,
            embed=embed,
            progress=progress,
            total=len(missing),
            gone={ref: stored[ref] for ref in gone},
        )
    known = len(listed) - len(missing)
    return msgspec.structs.replace(
        report,
        repository=name,
        head=repository.head,
        commits=report.commits + known,
        removed=len(gone),
        unchanged=report.unchanged + known,
        notes=(*_notes(repository), *(note for note in report.notes if note != _NOTHING)),
    )


def add_history(
    handle: Handle,
    commits: Iterable[CommitInput | Problem],
    *,
    root: str,
    embed: bool,
    progress: Progress | None,
    total: int = 0,
    gone: Mapping[str, str] | None = None,
) -> HistoryReport:
    """Write commits, oldest first, that somebody else has read, retire those that are `gone`
    (episodes by reference), and make the vectors that are lacking."""
    began = time.monotonic()
    store, clock, indexer = handle.store, handle.clock, handle.indexer()
    with handle.writing:
        turns = WriteLock(handle.home.state)
        writer = BatchWriter(store, turns=turns, clock=clock, sources=_A_BATCH)
        writer.remove(dict(gone or {}))
        tally = add_commits(
            commits, store, writer, root=root, clock=clock, total=total, progress=progress
        )
        seconds = time.monotonic() - began
        done = (
            indexer.embed_lacking(progress=progress)
            if embed
            else indexer.add_passages((), embed=False, progress=None)
        )
    held = tally.added + tally.unchanged
    return HistoryReport(
        repository="",
        head="",
        commits=held,
        added=tally.added,
        removed=0,
        unchanged=tally.unchanged,
        edges=dict(sorted(tally.edges.items())),
        errors=tuple(
            ProblemRow(path=p.path, error=p.error) for p in tally.problems[:ERRORS_LISTED]
        ),
        redacted=dict(sorted(writer.redacted.items())),
        sequence=store.sequence(),
        seconds=seconds,
        embedded=done.embedded,
        unembedded=done.unembedded,
        embed_seconds=done.embed_seconds,
        notes=(*(() if held or tally.problems else (_NOTHING,)), *done.notes),
    )


def _called(repository: Repository, places: Places) -> tuple[str, str]:
    """What a repository is called, and what the paths of its files begin with in this store."""
    top = repository.top
    if top is None:
        bare = repository.folder.resolve()
        return bare.name.removesuffix(".git") or bare.as_posix(), f"{bare.as_posix()}/"
    ref = places.ref(top.resolve())
    return (top.resolve().name or ref, "") if ref == "." else (ref, f"{ref}/")


def _vanished(store: Store, name: str, stored: dict[str, str], listed: set[str]) -> list[str]:
    """The commits of this repository that are stored and no longer listed."""
    doubtful = sorted(stored.keys() - listed)
    found: list[str] = []
    for start in range(0, len(doubtful), ROWS_AT_ONCE):
        page = doubtful[start : start + ROWS_AT_ONCE]
        episodes = store.get([stored[ref] for ref in page])
        for ref in page:
            episode = episodes.get(stored[ref])
            if isinstance(episode, Episode) and episode.group == name:
                found.append(ref)
    return found


def _notes(repository: Repository) -> tuple[str, ...]:
    empty = "the repository has no commit yet"
    shallow = (
        "the clone is shallow: what came before its oldest commits is not known here, nor what "
        "those touched (`git fetch --unshallow` brings the rest)"
    )
    said = ((empty, not repository.head), (shallow, bool(repository.cut)))
    return tuple(note for note, holds in said if holds)

"""Brings a store up to date with a repository's history, and says what was done."""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from quipu.handle.handle import Handle
from quipu.kinds.commits.model import CommitInput
from quipu.kinds.commits.read import Repository, open_repository, reachable, read_commits
from quipu.kinds.commits.write import add_commits
from quipu.limits import ERRORS_LISTED, ROWS_AT_ONCE
from quipu.ports import Progress, Store
from quipu.records.document import Problem
from quipu.records.record import Episode
from quipu.records.refs import COMMIT, commit_ref
from quipu.write.batches import BatchWriter
from quipu.write.lock import WriteLock
from quipu.write.places import Places
from quipu.write.report import ProblemRow

__all__ = ["HistoryReport", "add_history", "index_history"]

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

"""Whether the files that a result cites are as they were read; what has changed is read again.

A result is checked when it is given: the hash of each cited file is compared with what was read.
What has changed is read again, and the question is put anew. Where that cannot be (nothing may be
written, it would take too long, the file is another in the work tree that is asked from) the result
is marked, and an answer from it is never sure.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from quipu.errors import QuipuError
from quipu.files.repository import Located, repository_of
from quipu.handle.handle import Handle
from quipu.handle.lookup import Passage
from quipu.limits import SCANNED
from quipu.ports import Source, Store
from quipu.records.record import Chunk, Entity, Episode, Record
from quipu.records.refs import FILE
from quipu.records.reply import Hit, Reply, Retrieved
from quipu.trust import standing
from quipu.write.places import Places

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["CHANGED", "Change", "Cited", "Freshness", "cited_by", "doubted", "marked"]

Change: TypeAlias = Literal["changed", "gone", "elsewhere", "outdated"]
"""What happened to a cited file: it holds something else, it is not there, it is another in the
work tree that is asked from, or it was read again by somebody after the plan was made."""

CHANGED: Final = "changed since it was read"
_WORDS: Final[Mapping[Change, str]] = {
    "changed": "has changed since it was read",
    "gone": "is gone since it was read",
    "elsewhere": "is another in the work tree that is asked from, not the one that was read",
    "outdated": "was read again while the question was answered",
}
_UNSURE = 0.5
"""The most that an answer is worth of which a source has changed: less than what is asserted."""

_ROUNDS = 3
"""So often a result is made: what was read again may change again meanwhile."""
_MOST_BYTES = 1_000_000
"""What is read again for a question: a second or two of reading."""
_MOST_ROOTS = 20
_WAIT_S = 5.0
_HIDDEN = "[redacted:"
"""What stands for a secret in the name of a file."""
_NO_FILE = "no file"

T = TypeVar("T")


class Cited(NamedTuple):
    """What a result cites: references, those of them that are files for sure, and the store's
    sequence number before it was made."""

    refs: frozenset[str]
    files: frozenset[str]
    sequence: int


class _Trees(NamedTuple):
    """Two work trees of one repository: that of the memory, and that which is asked from."""

    own: Path
    here: Path


class Freshness:
    """The check of one memory; `writer`, where there is one, opens the memory to be written, for
    one that is only read itself."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._places = Places(handle.home.folder)
        self.writer: Callable[[], Memory] | None = None

    def kept(
        self, make: Callable[[], T], cites: Callable[[T], Cited]
    ) -> tuple[T, Mapping[str, Change]]:
        """What `make` gives once every file that it cites is as it was read; where that cannot be,
        what it gives as things are, and what happened to which file."""
        result = make()
        changes = self.changes(cites(result))
        for _ in range(_ROUNDS - 1):
            if not changes or not self._mended(changes):
                break
            before, result = changes, make()
            changes = self.changes(cites(result))
            if changes == before:
                break
        return result, changes

    def looked_up(
        self, find: Callable[[], Record | Passage]
    ) -> tuple[Record | Passage, Mapping[str, Change]]:
        """As `kept`, of one record."""
        return self.resting(find, lambda found: _files_of(found, self._handle.store))

    def resting(
        self, make: Callable[[], T], refs_of: Callable[[T], Iterable[str]]
    ) -> tuple[T, Mapping[str, Change]]:
        """As `kept`, of what rests on the sources that `refs_of` gives."""
        store = self._handle.store
        (_, result), changes = self.kept(
            lambda: (store.sequence(), make()),
            lambda made: Cited(frozenset(refs_of(made[1])), frozenset(), made[0]),
        )
        return result, changes

    def changes(self, cited: Cited) -> dict[str, Change]:
        """Which of the cited files are not as they were read, and what happened to them."""
        store = self._handle.store
        with store.visit():
            known = {s.source_ref: s for s in store.sources(refs=cited.refs)} if cited.refs else {}
            files = {ref: source for ref, source in known.items() if source.source_type == FILE}
            found: dict[str, Change] = dict.fromkeys(cited.files - known.keys(), "outdated")
            if files and store.sequence() != cited.sequence:
                latest = store.changes(cited.sequence, limit=SCANNED)
                written = {each.record_id for each in latest}
                for ref, source in files.items():
                    if len(latest) == SCANNED or source.episode_id in written:
                        found[ref] = "outdated"
        trees = self._trees() if files else None
        for ref, source in files.items():
            if change := self._change_of(source, trees):
                found[ref] = change
        return found

    def read_again(self, refs: frozenset[str]) -> bool:
        """Bring what has changed of files, and near them, up to date; False where that is not
        known to be possible soon."""
        roots = self.roots()
        near = [root for root in roots if any(map(self._places.within([root]), refs))]
        if not near:
            return False
        # A tree of more files takes over half a second to walk: only those cited are looked for.
        large = self._handle.store.counts(("episode",))["episode"] > SCANNED
        alone = large or len(roots) > _MOST_ROOTS
        from quipu.write.options import Upkeep

        upkeep = Upkeep(refs, _MOST_BYTES, alone=alone)
        if not self._handle.writing.acquire(timeout=_WAIT_S):
            return False
        try:
            self._handle.indexer().run(
                near if alone else roots,
                again=False,
                embed=False,
                progress=None,
                upkeep=upkeep,
            )
        finally:
            self._handle.writing.release()
        return True

    def _mended(self, changes: Mapping[str, Change]) -> bool:
        """Whether the question is worth being put again, after what has changed was read."""
        due = frozenset(ref for ref, why in changes.items() if why in ("changed", "gone"))
        if not due:
            return "outdated" in changes.values()
        try:
            if self._size(due) > _MOST_BYTES:
                return False
            if not self._handle.read_only:
                return self.read_again(due)
            if self.writer is None:
                return False
            with self.writer() as memory:
                return memory.freshness.read_again(due)
        except (QuipuError, OSError):  # the result is marked
            return False

    def _size(self, refs: frozenset[str]) -> int:
        sizes = 0
        for ref in refs:
            with suppress(FileNotFoundError, NotADirectoryError):
                sizes += self._places.path(ref).lstat().st_size
        return sizes

    def _change_of(self, source: Source, trees: _Trees | None) -> Change | None:
        ref = source.source_ref
        path = self._places.path(ref)
        if self._is_foreign and not _is_inside(path, self._places.home):
            return None
        if _HIDDEN in ref:  # which file it is, is not kept
            return None
        held = self._hash_at(path)
        if held is None:
            return "gone" if self._is_of_here(ref) else None
        if held and held != source.content_hash:
            return "changed"
        return self._change_elsewhere(source, path, trees)

    def _hash_at(self, path: Path) -> str | None:
        """The SHA-256 of the file at `path`: None where nothing is, "" where it cannot be read."""
        most = self._handle.config.index.max_bytes
        try:
            with open(path, "rb", opener=_opened) as stream:
                status = os.fstat(stream.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_size > most:
                    return _NO_FILE
                return hashlib.file_digest(stream, "sha256").hexdigest()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError):
            return _NO_FILE if path.is_symlink() or path.is_dir() else ""

    def _change_elsewhere(self, source: Source, path: Path, trees: _Trees | None) -> Change | None:
        """Whether the file is another, or is not there, in the work tree that is asked from."""
        if trees is None or not path.is_relative_to(trees.own) or path.is_relative_to(trees.here):
            return None
        held = self._hash_at(trees.here / path.relative_to(trees.own))
        return None if held in (source.content_hash, "") else "elsewhere"

    def _trees(self) -> _Trees | None:
        """The work tree that is asked from, where it is another one of the memory's repository."""
        try:
            here = repository_of(Path.cwd())
        except OSError:  # the working directory is gone
            return None
        if here is None or here.top is None or not (here.shared / "worktrees").is_dir():
            return None
        own = self._repository
        if own is None or own.top is None or own.shared != here.shared or own.top == here.top:
            return None
        return _Trees(own.top, here.top)

    @cached_property
    def _repository(self) -> Located | None:
        return repository_of(self._places.home)

    def roots(self) -> list[Path]:
        """What was indexed and is there; nothing of what somebody else says was."""
        return [] if self._is_foreign else self._recorded_roots()

    def _recorded_roots(self) -> list[Path]:
        roots = [self._places.path(ref) for ref in self._handle.roots.get()]
        return [root for root in roots if root.exists()]

    def _is_of_here(self, ref: str) -> bool:
        """Whether a file was read in this tree, and not where a memory was made that was brought
        here, or that several machines share."""
        return self._places.within(self._recorded_roots())(ref)

    @cached_property
    def _is_foreign(self) -> bool:
        state = self._handle.home.state
        return state is not None and standing(state) == "foreign"


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):
        return False


def _files_of(found: Record | Passage, store: Store) -> frozenset[str]:
    """What may be the file that a record was read from."""
    if isinstance(found, Passage):
        return frozenset([found.path])
    if isinstance(found, Episode):
        return frozenset([found.source_ref])
    if isinstance(found, Chunk):
        found = store.get([found.document_id]).get(found.document_id, found)
    named = found.properties if isinstance(found, Entity) else {}
    paths = (named.get("file_path"), named.get("path"))
    return frozenset(path for path in paths if isinstance(path, str))


def cited_by(result: Retrieved | Reply, shown: int | None = None) -> Cited:
    """What a result cites; of passages alone only those that are `shown`."""
    hits = result.hits[:shown]
    refs = {hit.path for hit in hits}
    if isinstance(result, Reply):
        refs |= {path for each in result.contract.evidence for path in each.file_paths}
    files = {hit.path for hit in hits if hit.source_type == FILE}
    return Cited(frozenset(refs), frozenset(files), result.plan.sequence)


def marked(found: Retrieved, changes: Mapping[str, Change]) -> Retrieved:
    """What was found, with what happened to its files."""
    if not changes:
        return found
    notes = tuple(_said(ref, changes[ref]) for ref in sorted(changes))
    return msgspec.structs.replace(
        found, hits=_marked(found.hits, changes), notes=(*found.notes, *notes)
    )


def doubted(reply: Reply, changes: Mapping[str, Change]) -> Reply:
    """The reply, unsure and saying why where a file that it cites has changed."""
    if not changes:
        return reply
    contract, sure = reply.contract, reply.confidence
    cited = {path for each in contract.evidence for path in each.file_paths}
    said = [_said(ref, changes[ref]) for ref in sorted(changes) if ref in cited or not cited]
    if said:
        contract = msgspec.structs.replace(
            contract,
            limitations=" ".join([contract.limitations, *said]).strip(),
            next_step="Run `quipu index`, then ask again.",
        )
        sure = msgspec.structs.replace(sure, value=min(sure.value, _UNSURE))
    return msgspec.structs.replace(
        reply, contract=contract, confidence=sure, hits=_marked(reply.hits, changes)
    )


def _said(ref: str, change: Change) -> str:
    from quipu.answer.quote import plain

    return f"{plain(ref)} {_WORDS[change]}."


def _marked(hits: Sequence[Hit], changes: Mapping[str, Change]) -> tuple[Hit, ...]:
    return tuple(
        msgspec.structs.replace(hit, changed=CHANGED) if hit.path in changes else hit
        for hit in hits
    )

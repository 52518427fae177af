"""Commits into memory: those that are there already are passed over, the others written.

Documents and people that only commits know are asserted by an episode of the repository, so that
a commit that vanishes takes nobody along.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.commits.claims import (
    LONGEST_MESSAGE,
    Cited,
    CommitTask,
    document,
    person,
    person_id,
    prepare_commit,
    surroundings,
)
from quipu.kinds.commits.model import CommitInput, citations_of
from quipu.kinds.commits.profile import MOST_FILES
from quipu.ports import Store
from quipu.records.document import Problem
from quipu.records.ids import episode_id_of
from quipu.records.naming import document_entity_id
from quipu.records.progress import Progress
from quipu.records.record import Entity, Relation
from quipu.records.refs import COMMIT, COMMIT_PREFIX, commit_ref
from quipu.when.instants import Clock, parse_instant
from quipu.write.batches import BatchWriter

__all__ = ["CommitTally", "add_commits"]

_PAGE = 500
"""Commits whose documents and people are looked up together."""
_START = 7


@dataclass(slots=True)
class CommitTally:
    """What became of the commits; `edges` counts what was asserted, by type."""

    added: int = 0
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])
    edges: Counter[str] = field(default_factory=Counter[str])


class Shas:
    """Whole hashes by their beginning."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._by_start: dict[str, list[str]] = {}
        for sha in known:
            self.add(sha)

    def add(self, sha: str) -> None:
        """Take one in."""
        self._by_start.setdefault(sha[:_START], []).append(sha)

    def whole(self, beginning: str) -> str | None:
        """The one hash that begins so (seven digits or more); None for none and for several."""
        hashes = self._by_start.get(beginning[:_START], ())
        found = {sha for sha in hashes if sha.startswith(beginning)}
        return found.pop() if len(found) == 1 else None


def add_commits(
    commits: Iterable[CommitInput | Problem],
    store: Store,
    writer: BatchWriter,
    *,
    root: str,
    clock: Clock,
    total: int,
    progress: Progress | None,
) -> CommitTally:
    """Write the commits that are not there yet. `root` is what their paths are below."""
    tally = CommitTally()
    tasks = _Tasks(store, tally, root=root, clock=clock)
    rest = iter(commits)
    while page := list(islice(rest, _PAGE)):
        job = list(tasks.of(page))
        if missing := tasks.missing(job):  # first: a killed run must not lose them
            writer.add(surroundings(job[0], missing))
        for task in job:
            prepared = prepare_commit(task)
            tally.added += 1
            tally.edges.update(
                claim.record.type for claim in prepared.claims if isinstance(claim.record, Relation)
            )
            writer.add(prepared)
        if progress:
            progress("read", tally.added + tally.unchanged, total)
    writer.flush()
    return tally


class _Tasks:
    """Commits as tasks, those that are there already left out."""

    def __init__(self, store: Store, tally: CommitTally, *, root: str, clock: Clock) -> None:
        self._store, self._tally, self._root, self._clock = store, tally, root, clock
        sources = store.sources()
        self._episodes = {s.episode_id for s in sources if s.source_type == COMMIT}
        refs = (s.source_ref for s in sources if s.source_type == COMMIT)
        self._shas = Shas(ref.removeprefix(COMMIT_PREFIX) for ref in refs)
        self._documents: dict[str, str] = {
            s.source_ref: s.document_id for s in sources if s.document_id
        }
        self._asserted: set[str] = set()

    def of(self, page: Sequence[CommitInput | Problem]) -> Iterator[CommitTask]:
        """The task of each commit that is new; the others are tallied."""
        space, now = self._store.namespace, self._clock()
        for each in page:
            if isinstance(each, Problem):
                self._tally.problems.append(each)
                continue
            each = _sound(each)  # noqa: PLW2901 - what cannot be stored goes no further
            content_hash = hashlib.sha256(msgspec.json.encode(each)).hexdigest()
            episode_id = episode_id_of(space, COMMIT, commit_ref(each.sha), content_hash)
            if episode_id in self._episodes:
                self._tally.unchanged += 1
                continue
            try:
                time = _time(each)
            except InvalidInput as error:
                self._tally.problems.append(Problem(commit_ref(each.sha), str(error)))
                continue
            self._episodes.add(episode_id)
            self._shas.add(each.sha)
            cites = dict.fromkeys(
                Cited(cited.type, whole)
                for cited in citations_of(each.message[:LONGEST_MESSAGE])
                if (whole := self._shas.whole(cited.hash)) and whole != each.sha
            )
            documents = tuple(self._document(path) for path in each.files[:MOST_FILES])
            yield CommitTask(each, content_hash, time, tuple(cites), documents, space, now)

    def _document(self, path: str) -> str:
        ref = self._root + path
        known = self._documents.get(ref)
        if known is None:
            known = self._documents[ref] = document_entity_id(self._store.namespace, ref)
        return known

    def missing(self, job: Sequence[CommitTask]) -> list[Entity]:
        """The documents and people of the tasks that nothing asserts yet."""
        found: dict[str, Entity] = {}
        for task in job:
            for path, document_id in zip(task.commit.files, task.documents, strict=False):
                if document_id not in self._asserted:
                    found[document_id] = document(document_id, self._root + path, task)
            author = person_id(task.namespace, task.commit.author)
            if author and author not in self._asserted:
                found[author] = person(author, task)
        self._asserted |= found.keys()
        stored = self._store.get(list(found))
        return [entity for entity_id, entity in found.items() if entity_id not in stored]


def _sound(commit: CommitInput) -> CommitInput:
    """The commit, its texts fit to be stored."""
    texts = (commit.sha, commit.message, commit.author, commit.email, commit.repository)
    if all(text.isascii() and "\0" not in text for text in (*texts, *commit.files)):
        return commit
    return msgspec.structs.replace(
        commit,
        sha=_storable(commit.sha),
        message=_storable(commit.message),
        author=_storable(commit.author),
        email=_storable(commit.email),
        repository=_storable(commit.repository),
        files=tuple(map(_storable, commit.files)),
    )


def _time(commit: CommitInput) -> str:
    if not commit.sha.strip() or commit.sha.split() != [commit.sha]:
        raise InvalidInput(f"{commit.sha!r} is no hash of a commit: give it whole")
    return parse_instant(commit.time)


def _storable(text: str) -> str:
    """`text` without what a store refuses: NUL characters and lone surrogates."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")

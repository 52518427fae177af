"""Commits into memory: those that are there already are passed over, the others written.

A commit's message is its passage; its author, its files and the commits it cites are edges.
Documents and people that only commits know are asserted by an episode of the repository, so that
a commit that vanishes takes nobody along.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.commits.model import (
    CommitCitation,
    CommitInput,
    citations_of,
    title_of,
    trailers_of,
)
from quipu.kinds.commits.profile import MOST_FILES, NAME, heading
from quipu.limits import IDS_AT_ONCE, LONGEST_TEXT, PREVIEW
from quipu.ports import Progress, Store
from quipu.profiles import profile
from quipu.read import redact
from quipu.records.document import Problem
from quipu.records.ids import document_entity_id, episode_id_of, named_entity_id
from quipu.records.record import Entity, Relation
from quipu.records.refs import COMMIT, COMMIT_PREFIX, commit_ref
from quipu.source import Draft
from quipu.text import excerpt
from quipu.when.instants import UNKNOWN_TIME, Clock, parse_instant
from quipu.write.batches import BatchWriter
from quipu.write.prepare import Prepared

__all__ = ["CommitTally", "add_commits"]

_START = 7
"""Digits of a hash that it is looked up by."""
_REPOSITORY = "repository"


@dataclass(slots=True)
class CommitTally:
    """What became of the commits; `edges` counts what was asserted, by type."""

    added: int = 0
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])
    edges: Counter[str] = field(default_factory=Counter[str])


class _CommitTask(NamedTuple):
    """A commit, the commits that its message is tied to by their whole hashes, the documents its
    files are, and where it goes."""

    commit: CommitInput
    content_hash: str
    time: str
    cites: tuple[CommitCitation, ...]
    documents: tuple[str, ...]
    namespace: str
    ingested_at: str

    def draft(self, type_: str, ref: str, digest: str, *, document: str = "") -> Draft:
        """Return what stands under `ref` in the repository."""
        return Draft(
            namespace=self.namespace,
            type=type_,
            ref=ref,
            sha=digest,
            document=document,
            group=self.commit.repository,
            revision=self.commit.sha,
            seen=self.time if document else UNKNOWN_TIME,
        )


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
    while page := list(islice(rest, IDS_AT_ONCE)):
        job = list(tasks.of(page))
        if missing := tasks.missing(job):  # first: a killed run must not lose them
            writer.add(_surroundings(job[0], missing))
        for task in job:
            prepared = _prepare_commit(task)
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
        self._documents = {s.source_ref: s.document_id for s in sources if s.document_id}
        self._asserted: set[str] = set()
        self._shas: dict[str, list[str]] = {}
        for source in sources:
            if source.source_type == COMMIT:
                self._know(source.source_ref.removeprefix(COMMIT_PREFIX))

    def _know(self, sha: str) -> None:
        self._shas.setdefault(sha[:_START], []).append(sha)

    def _whole(self, beginning: str) -> str | None:
        """The one known hash that begins so, in seven digits or more; None for several."""
        found = {s for s in self._shas.get(beginning[:_START], ()) if s.startswith(beginning)}
        return found.pop() if len(found) == 1 else None

    def of(self, page: Sequence[CommitInput | Problem]) -> Iterator[_CommitTask]:
        """Yield the task of each commit that is new; the others are tallied."""
        space, now = self._store.namespace, self._clock()
        for given in page:
            if isinstance(given, Problem):
                self._tally.problems.append(given)
                continue
            commit = _sound(given)
            content_hash = hashlib.sha256(msgspec.json.encode(commit)).hexdigest()
            episode_id = episode_id_of(space, COMMIT, commit_ref(commit.sha), content_hash)
            if episode_id in self._episodes:
                self._tally.unchanged += 1
                continue
            try:
                time = _time(commit)
            except InvalidInput as error:
                self._tally.problems.append(Problem(commit_ref(commit.sha), str(error)))
                continue
            self._episodes.add(episode_id)
            self._know(commit.sha)
            cites = dict.fromkeys(
                cited._replace(hash=whole)
                for cited in citations_of(commit.message[:LONGEST_TEXT])
                if (whole := self._whole(cited.hash)) and whole != commit.sha
            )
            documents = tuple(self._document(path) for path in commit.files[:MOST_FILES])
            yield _CommitTask(commit, content_hash, time, tuple(cites), documents, space, now)

    def _document(self, path: str) -> str:
        ref = self._root + path
        if ref not in self._documents:
            self._documents[ref] = document_entity_id(self._store.namespace, ref)
        return self._documents[ref]

    def missing(self, job: Sequence[_CommitTask]) -> list[Entity]:
        """Return the documents and people of the tasks that nothing asserts yet."""
        found: dict[str, Entity] = {}
        for task in job:
            for path, id_ in zip(task.commit.files, task.documents, strict=False):
                if id_ not in self._asserted:
                    ref = self._root + path
                    named = {"id": id_, "title": ref, "type": "file", "file_path": ref}
                    found[id_] = _entity(id_, "Document", ref, task, named)
            author = _person_id(task.namespace, task.commit.author)
            if author and author not in self._asserted:
                found[author] = _entity(author, "person", _name(task.commit.author), task, {})
        self._asserted |= found.keys()
        stored = self._store.get(list(found))
        return [entity for entity_id, entity in found.items() if entity_id not in stored]


def _entity(
    entity_id: str, type_: str, name: str, task: _CommitTask, properties: dict[str, str]
) -> Entity:
    return Entity(
        entity_id=entity_id,
        type=type_,
        name=name,
        updated_at=task.time,
        source_sha=task.commit.sha,
        properties={**properties},
    )


def _prepare_commit(task: _CommitTask) -> Prepared:
    commit = task.commit
    ref = commit_ref(commit.sha)
    said = commit.message[:LONGEST_TEXT].strip() or "(no message)"
    message, redactions = redact(said)
    author = _name(commit.author)
    title = title_of(message)
    draft = task.draft(COMMIT, ref, task.content_hash, document=ref)
    chunk = draft.passage(
        message,
        profile=NAME,
        title=title,
        heading_path=heading(
            repository=commit.repository,
            sha=commit.sha,
            author=author,
            time=task.time,
            fixes=[cited.hash for cited in task.cites if cited.type == "FIXES"],
            cites=[cited.hash for cited in task.cites if cited.type != "FIXES"],
            files=commit.files,
        ),
    )
    episode = draft.episode(
        task.ingested_at,
        preview=excerpt(title, limit=PREVIEW),
        properties={
            "author": author,
            "email": commit.email,
            "parents": list(commit.parents),
            "files": [*commit.files[:MOST_FILES]],
            "touched": len(commit.files),
            "trailers": {key: [*said] for key, said in trailers_of(message).items()},
        },
    )
    records = (
        draft.document_entity(COMMIT, title, name=commit.sha[:12]),
        *_edges(task, draft),
    )
    return Prepared(
        ref=ref,
        problems=(),
        episode=episode,
        chunks=(profile(NAME).index_chunk(chunk),),
        claims=draft.claims(records, chunk),
        replaces=(ref,),
        redactions=redactions,
    )


def _edges(task: _CommitTask, draft: Draft) -> Iterator[Relation]:
    space, author = task.namespace, _person_id(task.namespace, task.commit.author)
    ends = [("AUTHORED_BY", author)] if author else []
    ends += [("MODIFIES", document_id) for document_id in dict.fromkeys(task.documents)]
    ends += [(each.type, document_entity_id(space, commit_ref(each.hash))) for each in task.cites]
    for kind, target in ends:
        relation = draft.relation(draft.document_id, kind, target)
        yield msgspec.structs.replace(relation, source_sha=task.commit.sha)


def _surroundings(task: _CommitTask, entities: Sequence[Entity]) -> Prepared:
    """What a repository knows besides its commits. It was observed at no known time, so whatever
    else is said of the same document stands before it."""
    ref = f"{_REPOSITORY}:{task.commit.repository}@{task.commit.sha}"
    digest = hashlib.sha256("\n".join(e.entity_id for e in entities).encode()).hexdigest()
    draft = task.draft(_REPOSITORY, ref, digest)
    episode = draft.episode(task.ingested_at)
    return Prepared(ref=ref, problems=(), episode=episode, claims=draft.claims(entities))


@lru_cache(maxsize=4096)
def _name(author: str) -> str:
    return redact(author.strip())[0]


@lru_cache(maxsize=4096)
def _person_id(namespace: str, author: str) -> str:
    name = _name(author)
    return named_entity_id(namespace, "person", name) if name else ""


def _sound(commit: CommitInput) -> CommitInput:
    """The commit, its texts without what a store refuses: NUL and lone surrogates."""
    fields = ("sha", "message", "author", "email", "repository")
    texts = {name: str(getattr(commit, name)) for name in fields}
    if all(text.isascii() and "\0" not in text for text in (*texts.values(), *commit.files)):
        return commit
    sound = {name: _storable(text) for name, text in texts.items()}
    return msgspec.structs.replace(commit, **sound, files=tuple(map(_storable, commit.files)))


def _storable(text: str) -> str:
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _time(commit: CommitInput) -> str:
    if not commit.sha.strip() or commit.sha.split() != [commit.sha]:
        raise InvalidInput(f"{commit.sha!r} is no hash of a commit: give it whole")
    return parse_instant(commit.time)

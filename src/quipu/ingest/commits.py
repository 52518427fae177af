"""Commits into memory: a commit is an episode, its message a passage, its files are edges.

A commit that is there already is not written again. Documents and people that only commits know
are asserted by an episode of the repository, so that a commit that vanishes takes nobody along.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import msgspec

from quipu.domain.batch import Claim
from quipu.domain.commits import CommitInput, ties_of, title_of, trailers_of
from quipu.domain.document import Problem
from quipu.domain.ids import make_id
from quipu.domain.instants import UNKNOWN_TIME, Clock, parse_instant
from quipu.domain.naming import document_entity_id, named_entity_id, relation_id
from quipu.domain.progress import Progress
from quipu.domain.records import Chunk, Entity, Episode, Relation
from quipu.errors import InvalidInput
from quipu.ingest.prepare import Prepared, episode_id_of
from quipu.ingest.workers import WorkerDied, Workers
from quipu.ingest.writing import BatchWriter
from quipu.ports import Store
from quipu.read import redact
from quipu.retrieve.profiles import profile
from quipu.retrieve.profiles.commits import MOST_FILES, NAME, heading
from quipu.text import excerpt

__all__ = ["COMMIT", "REPOSITORY", "CommitTally", "add_commits", "commit_ref"]

COMMIT, REPOSITORY = "commit", "repository"
_REF = "commit:"
_PAGE = 500
_START = 7
_PREVIEW = 500
_LONGEST_MESSAGE = 100_000
_UNTITLED = "(no message)"


def commit_ref(sha: str) -> str:
    """The source reference of a commit."""
    return f"{_REF}{sha}"


@dataclass(slots=True)
class CommitTally:
    """What became of the commits; `edges` counts what was asserted, by type."""

    added: int = 0
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])
    edges: Counter[str] = field(default_factory=Counter[str])


class Cited(NamedTuple):
    """A commit that a message is tied to, by its whole hash."""

    type: str
    sha: str


class CommitTask(NamedTuple):
    """A commit, what it is tied to, the documents its files are, and where it goes."""

    commit: CommitInput
    time: str
    ties: tuple[Cited, ...]
    documents: tuple[str, ...]
    namespace: str
    ingested_at: str


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
        held = self._by_start.get(beginning[:_START], ())
        found = {sha for sha in held if sha.startswith(beginning)}
        return found.pop() if len(found) == 1 else None


def add_commits(
    commits: Iterable[CommitInput | Problem],
    store: Store,
    writer: BatchWriter,
    workers: "Workers[list[CommitTask], list[Prepared]]",
    *,
    root: str,
    clock: Clock,
    total: int,
    progress: Progress | None,
) -> CommitTally:
    """Write the commits that are not there yet. `root` is what their paths are below."""
    tally = CommitTally()
    pages = _Pages(commits, store, tally, root=root, clock=clock)
    for job, outcome in workers.map(pages):
        if isinstance(outcome, WorkerDied):
            refs = [commit_ref(task.commit.sha) for task in job]
            tally.problems += [Problem(ref, str(outcome)) for ref in refs]
            continue
        for each in pages.surroundings():  # first: a killed run must not lose them
            writer.add(each)
        for prepared in outcome:
            tally.added += 1
            tally.edges.update(
                claim.record.type for claim in prepared.claims if isinstance(claim.record, Relation)
            )
            writer.add(prepared)
        if progress:
            progress("read", tally.added + tally.unchanged, total)
    writer.flush()
    return tally


class _Pages:
    """The commits in pages of tasks, those that are there already left out."""

    def __init__(
        self,
        commits: Iterable[CommitInput | Problem],
        store: Store,
        tally: CommitTally,
        *,
        root: str,
        clock: Clock,
    ) -> None:
        self._commits = iter(commits)
        self._store, self._tally, self._root, self._clock = store, tally, root, clock
        held = store.sources()
        self._episodes = {s.episode_id for s in held if s.source_type == COMMIT}
        refs = (s.source_ref for s in held if s.source_type == COMMIT)
        self._shas = Shas(ref.removeprefix(_REF) for ref in refs)
        self._documents = {s.source_ref: s.document_id for s in held if s.document_id}
        self._asserted: set[str] = set()
        self._waiting: list[Prepared] = []

    def __iter__(self) -> Iterator[list[CommitTask]]:
        while page := list(islice(self._commits, _PAGE)):
            if job := list(self._tasks(page, self._clock())):
                self._surround(job)
                yield job

    def surroundings(self) -> list[Prepared]:
        """The documents and people that came up since this was last asked."""
        found, self._waiting = self._waiting, []
        return found

    def _tasks(self, page: Sequence[CommitInput | Problem], now: str) -> Iterator[CommitTask]:
        space = self._store.namespace
        for each in page:
            if isinstance(each, Problem):
                self._tally.problems.append(each)
                continue
            each = _sound(each)  # noqa: PLW2901 - what cannot be stored goes no further
            episode_id = _episode_id(space, each)
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
            ties = dict.fromkeys(
                Cited(tie.type, whole)
                for tie in ties_of(each.message[:_LONGEST_MESSAGE])
                if (whole := self._shas.whole(tie.hash)) and whole != each.sha
            )
            documents = tuple(self._document(path) for path in each.files[:MOST_FILES])
            yield CommitTask(each, time, tuple(ties), documents, space, now)

    def _document(self, path: str) -> str:
        ref = self._root + path
        return self._documents.get(ref) or document_entity_id(self._store.namespace, ref)

    def _surround(self, job: Sequence[CommitTask]) -> None:
        """Assert the documents and people of a page that nothing asserts yet."""
        wanted: dict[str, Entity] = {}
        for task in job:
            for path, document_id in zip(task.commit.files, task.documents, strict=False):
                if document_id not in self._asserted:
                    wanted[document_id] = _document(document_id, self._root + path, task)
            person = _person(task)
            if person is not None and person.entity_id not in self._asserted:
                wanted[person.entity_id] = person
        self._asserted |= wanted.keys()
        for held in self._store.get(list(wanted)):
            del wanted[held]
        if wanted:
            self._waiting.append(_surroundings(job[0], list(wanted.values())))


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


def _episode_id(namespace: str, commit: CommitInput) -> str:
    return episode_id_of(namespace, COMMIT, commit_ref(commit.sha), _content_hash(commit))


def _content_hash(commit: CommitInput) -> str:
    return hashlib.sha256(msgspec.json.encode(commit)).hexdigest()


def prepare_commits(tasks: list[CommitTask]) -> list[Prepared]:
    """Each commit made ready to be written, in order."""
    return [_prepared(task) for task in tasks]


def _prepared(task: CommitTask) -> Prepared:
    commit, space = task.commit, task.namespace
    ref = commit_ref(commit.sha)
    said = commit.message[:_LONGEST_MESSAGE].strip() or _UNTITLED
    message, redactions = redact(said)
    author = redact(commit.author)[0]
    content_hash = _content_hash(commit)
    episode_id = episode_id_of(space, COMMIT, ref, content_hash)
    document_id = document_entity_id(space, ref)
    title = title_of(message)
    chunk = Chunk(
        chunk_id=make_id("chunk", episode_id, content_hash),
        episode_id=episode_id,
        document_id=document_id,
        profile=NAME,
        position=0,
        text=message,
        start_line=1,
        end_line=message.count("\n") + 1,
        title=title,
        heading_path=heading(
            repository=commit.repository,
            sha=commit.sha,
            author=author,
            time=task.time,
            fixes=[cited.sha for cited in task.ties if cited.type == "FIXES"],
            cites=[cited.sha for cited in task.ties if cited.type != "FIXES"],
            files=commit.files,
        ),
    )
    document = Entity(
        entity_id=document_id,
        type="Document",
        name=commit.sha[:12],
        updated_at=task.time,
        source_sha=commit.sha,
        properties={"id": document_id, "title": title, "type": COMMIT, "file_path": ref},
    )
    evidence = (chunk.chunk_id,)
    claims = [Claim(document, episode_id, evidence)]
    claims += [Claim(edge, episode_id, evidence) for edge in _edges(task, document_id)]
    return Prepared(
        ref=ref,
        problems=(),
        episode=_episode(task, episode_id, content_hash, message, author),
        chunks=(profile(NAME).index_chunk(chunk),),
        claims=tuple(claims),
        replaces=(ref,),
        redactions=redactions,
    )


def _episode(
    task: CommitTask, episode_id: str, content_hash: str, message: str, author: str
) -> Episode:
    commit = task.commit
    ref = commit_ref(commit.sha)
    return Episode(
        episode_id=episode_id,
        source_type=COMMIT,
        source_ref=ref,
        observed_at=task.time,
        ingested_at=task.ingested_at,
        content_hash=content_hash,
        source_sha=commit.sha,
        document_id=document_entity_id(task.namespace, ref),
        group=commit.repository,
        preview_text=excerpt(title_of(message), limit=_PREVIEW),
        properties={
            "author": author,
            "email": commit.email,
            "parents": list(commit.parents),
            "files": [*commit.files[:MOST_FILES]],
            "touched": len(commit.files),
            "trailers": {key: [*said] for key, said in trailers_of(message).items()},
        },
    )


def _edges(task: CommitTask, source: str) -> Iterator[Relation]:
    space = task.namespace
    person = _person(task)
    if person is not None:
        yield _edge(task, source, "AUTHORED_BY", person.entity_id)
    for document_id in dict.fromkeys(task.documents):
        yield _edge(task, source, "MODIFIES", document_id)
    for cited in task.ties:
        target = document_entity_id(space, commit_ref(cited.sha))
        yield _edge(task, source, cited.type, target)


def _edge(task: CommitTask, source: str, kind: str, target: str) -> Relation:
    return Relation(
        rel_id=relation_id(task.namespace, source, kind, target),
        source_entity_id=source,
        target_entity_id=target,
        type=kind,
        created_at=task.time,
        updated_at=task.time,
        source_sha=task.commit.sha,
    )


def _person(task: CommitTask) -> Entity | None:
    name = redact(task.commit.author.strip())[0]
    if not name:
        return None
    return Entity(
        entity_id=named_entity_id(task.namespace, "person", name),
        type="person",
        name=name,
        updated_at=task.time,
        source_sha=task.commit.sha,
    )


def _document(document_id: str, ref: str, task: CommitTask) -> Entity:
    return Entity(
        entity_id=document_id,
        type="Document",
        name=ref,
        updated_at=task.time,
        source_sha=task.commit.sha,
        properties={"id": document_id, "title": ref, "type": "file", "file_path": ref},
    )


def _surroundings(task: CommitTask, entities: Sequence[Entity]) -> Prepared:
    """What a repository knows besides its commits. It was observed at no known time, so whatever
    else is said of the same document stands before it."""
    ref = f"{REPOSITORY}:{task.commit.repository}@{task.commit.sha}"
    digest = hashlib.sha256("\n".join(e.entity_id for e in entities).encode()).hexdigest()
    episode_id = episode_id_of(task.namespace, REPOSITORY, ref, digest)
    episode = Episode(
        episode_id=episode_id,
        source_type=REPOSITORY,
        source_ref=ref,
        observed_at=UNKNOWN_TIME,
        ingested_at=task.ingested_at,
        content_hash=digest,
        source_sha=task.commit.sha,
        group=task.commit.repository,
    )
    return Prepared(
        ref=ref, problems=(), episode=episode,
        claims=tuple(Claim(entity, episode_id) for entity in entities),
    )  # fmt: skip


def _storable(text: str) -> str:
    """`text` without what a store refuses: NUL characters and lone surrogates."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")

"""One commit made ready to be written: its message is its passage; its author, its files and the
commits it cites are edges."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from quipu.kinds.commits.model import CommitCitation, CommitInput, title_of, trailers_of
from quipu.kinds.commits.profile import MOST_FILES, NAME, heading
from quipu.profiles import profile
from quipu.read import redact
from quipu.records.batch import Claim
from quipu.records.naming import document_entity_id, named_entity_id, relation_id
from quipu.records.record import Entity, Relation
from quipu.records.refs import COMMIT, commit_ref
from quipu.source import Draft
from quipu.text import excerpt
from quipu.write.prepare import Prepared

__all__ = [
    "LONGEST_MESSAGE",
    "CommitTask",
    "document",
    "person",
    "person_id",
    "prepare_commit",
    "surroundings",
]

REPOSITORY = "repository"
LONGEST_MESSAGE = 100_000
_PREVIEW = 500
_UNTITLED = "(no message)"


class CommitTask(NamedTuple):
    """A commit, the commits that its message is tied to by their whole hashes, the documents its
    files are, and where it goes."""

    commit: CommitInput
    content_hash: str
    time: str
    cites: tuple[CommitCitation, ...]
    documents: tuple[str, ...]
    namespace: str
    ingested_at: str


def prepare_commit(task: CommitTask) -> Prepared:
    """The commit made ready to be written."""
    commit = task.commit
    ref = commit_ref(commit.sha)
    said = commit.message[:LONGEST_MESSAGE].strip() or _UNTITLED
    message, redactions = redact(said)
    author = _name(commit.author)
    title = title_of(message)
    draft = Draft(
        namespace=task.namespace,
        type=COMMIT,
        ref=ref,
        sha=task.content_hash,
        seen=task.time,
        document=ref,
        group=commit.repository,
        revision=commit.sha,
    )
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
        preview=excerpt(title, limit=_PREVIEW),
        properties={
            "author": author,
            "email": commit.email,
            "parents": list(commit.parents),
            "files": [*commit.files[:MOST_FILES]],
            "touched": len(commit.files),
            "trailers": {key: [*said] for key, said in trailers_of(message).items()},
        },
    )
    itself = draft.document_entity(COMMIT, title, name=commit.sha[:12])
    records = (itself, *_edges(task, draft.document_id))
    return Prepared(
        ref=ref,
        problems=(),
        episode=episode,
        chunks=(profile(NAME).index_chunk(chunk),),
        claims=tuple(Claim(each, episode.episode_id, (chunk.chunk_id,)) for each in records),
        replaces=(ref,),
        redactions=redactions,
    )


def _edges(task: CommitTask, source: str) -> Iterator[Relation]:
    space, author = task.namespace, person_id(task.namespace, task.commit.author)
    ends = [("AUTHORED_BY", author)] if author else []
    ends += [("MODIFIES", document_id) for document_id in dict.fromkeys(task.documents)]
    ends += [(each.type, document_entity_id(space, commit_ref(each.hash))) for each in task.cites]
    for kind, target in ends:
        yield Relation(
            rel_id=relation_id(space, source, kind, target),
            source_entity_id=source,
            target_entity_id=target,
            type=kind,
            created_at=task.time,
            updated_at=task.time,
            source_sha=task.commit.sha,
        )


@lru_cache(maxsize=4096)
def _name(author: str) -> str:
    return redact(author.strip())[0]


@lru_cache(maxsize=4096)
def person_id(namespace: str, author: str) -> str:
    """The id of an author; "" for nobody."""
    name = _name(author)
    return named_entity_id(namespace, "person", name) if name else ""


def person(entity_id: str, task: CommitTask) -> Entity:
    """A commit's author."""
    return Entity(
        entity_id=entity_id,
        type="person",
        name=_name(task.commit.author),
        updated_at=task.time,
        source_sha=task.commit.sha,
    )


def document(document_id: str, ref: str, task: CommitTask) -> Entity:
    """A file that a commit touches, which nothing else may know."""
    return Entity(
        entity_id=document_id,
        type="Document",
        name=ref,
        updated_at=task.time,
        source_sha=task.commit.sha,
        properties={"id": document_id, "title": ref, "type": "file", "file_path": ref},
    )


def surroundings(task: CommitTask, entities: Sequence[Entity]) -> Prepared:
    """What a repository knows besides its commits. It was observed at no known time, so whatever
    else is said of the same document stands before it."""
    ref = f"{REPOSITORY}:{task.commit.repository}@{task.commit.sha}"
    digest = hashlib.sha256("\n".join(e.entity_id for e in entities).encode()).hexdigest()
    draft = Draft(
        namespace=task.namespace,
        type=REPOSITORY,
        ref=ref,
        sha=digest,
        revision=task.commit.sha,
        group=task.commit.repository,
    )
    episode = draft.episode(task.ingested_at)
    return Prepared(ref=ref, problems=(), episode=episode, claims=draft.claims(entities))

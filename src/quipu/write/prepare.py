"""One source made ready to be written: pure, so that it can run in a worker process; and what
became of each source in a run's jobs, whatever happened to the process that had it."""

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import msgspec

from quipu.chunk import chunk
from quipu.errors import InvalidInput, QuipuError
from quipu.extract import local_claims, stated_facts
from quipu.facts.attributes import SHIPPED, Attributes
from quipu.kind import failing_kind
from quipu.limits import HEAD, PREVIEW
from quipu.profiles import profile
from quipu.read import SourceFile, read_document
from quipu.read.kinds import format_of, profile_of, reader_of
from quipu.read.redact import Redactor
from quipu.records.batch import Claim, IndexedChunk
from quipu.records.document import Document, Problem
from quipu.records.ids import read_episode_id
from quipu.records.passage import SPOKEN, PassageInput, is_saying
from quipu.records.record import Chunk, Episode, Fact, Properties, record_id
from quipu.resolve import resolve
from quipu.source import Draft
from quipu.text import excerpt
from quipu.when.instants import UNKNOWN_TIME
from quipu.when.intervals import read_iso
from quipu.write.limits import Limits
from quipu.write.links import References, pack
from quipu.write.workers import WorkerDied, Workers

_CHEAP = 16_000
_COSTLY = frozenset({"pdf", "docx", "notebook"})
_USER = "user"


class FileTask(NamedTuple):
    """A file's bytes and where they go. `title` and `properties` override what the file says;
    `said` tells that it is a saying if it is one paragraph."""

    source: SourceFile
    document_id: str
    source_type: str
    replaces: tuple[str, ...]
    namespace: str
    ingested_at: str
    group: str = ""
    title: str = ""
    properties: Properties = {}
    reads_as: str = ""
    observed_at: str = ""
    extract: bool = True
    said: bool = False


class PassageTask(NamedTuple):
    """A ready passage and where it goes."""

    passage: PassageInput
    observed_at: str
    namespace: str
    ingested_at: str
    extract: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Prepared:
    """Everything one source brings; without an episode, only the problems that forbade it."""

    ref: str
    problems: tuple[Problem, ...]
    episode: Episode | None = None
    chunks: tuple[IndexedChunk, ...] = ()
    claims: tuple[Claim, ...] = ()
    replaces: tuple[str, ...] = ()
    redactions: dict[str, int] = dataclasses.field(default_factory=dict[str, int])


Task: TypeAlias = FileTask | PassageTask


def ref_of(task: Task) -> str:
    """What the source of a task is called."""
    return task.source.path if isinstance(task, FileTask) else task.passage.source_ref


def size_of(task: Task) -> int:
    """How large the source of a task is, about in bytes."""
    return len(task.source.data) if isinstance(task, FileTask) else len(task.passage.text)


def is_cheap(task: Task) -> bool:
    """Whether a source is so small, and of such a format, that reading it cannot take long or
    much: it is not worth a process. What libraries unpack, or take time with the square of, is
    never, nor what another package reads."""
    if isinstance(task, FileTask):
        path = task.reads_as or task.source.path
        if reader_of(path)[0] in _COSTLY or _is_of_a_kind(path, task.source.data):
            return False
    return size_of(task) <= _CHEAP


def _is_of_a_kind(path: str, data: bytes) -> bool:
    try:
        return format_of(path, data) is not None
    except Exception:  # noqa: BLE001 - another package's: what it is, is told where it is read
        return True


def prepare(task: Task, attributes: Attributes = SHIPPED) -> Prepared:
    """What a task brings. Never raises for what a source holds, but MemoryError. `attributes`
    tells which wordings of facts say the same."""
    ref = ref_of(task)
    try:
        if isinstance(task, FileTask):
            return _prepare_file(task, attributes)
        return _prepare_passage(task, attributes)
    except QuipuError as error:
        return Prepared(ref, (Problem(ref, str(error)),))
    except MemoryError:  # how much there is depends on what else was read
        raise
    except RecursionError:
        return Prepared(ref, (Problem(ref, "is nested too deeply to be read"),))
    except Exception as error:  # noqa: BLE001 - one bad file must not end the run
        kind = failing_kind(error)
        failed = f"the kind of source {kind!r} failed: " if kind else ""
        said = f"cannot be read: {failed}{type(error).__name__}: {error}"
        return Prepared(ref, (Problem(ref, said),))


def _prepare_file(task: FileTask, attributes: Attributes) -> Prepared:
    ref = task.source.path
    document = _read(task)
    content_hash = task.source.content_hash
    episode_id = read_episode_id(task.namespace, task.source_type, ref, content_hash)
    chunks = chunk(document, episode_id=episode_id, document_id=task.document_id)
    if task.said and is_saying(document.text):
        seen = task.observed_at or document.updated_at
        chunks = [_as_said(each, document.properties, seen) for each in chunks]
    episode = Episode(
        episode_id=episode_id,
        source_type=task.source_type,
        source_ref=ref,
        observed_at=task.observed_at or document.updated_at,
        ingested_at=task.ingested_at,
        content_hash=content_hash,
        source_sha=document.source_sha,
        document_id=task.document_id,
        group=task.group,
        preview_text=_preview(document.text),
        properties={"references": pack(References.of(document, chunks))},
    )
    found = local_claims(document, chunks, episode, namespace=task.namespace, attributes=attributes)
    claims = resolve(found)
    claims = _until(claims, document.properties)
    if not task.extract:  # the passages still belong to a document
        claims = [c for c in claims if record_id(c.record) == task.document_id]
    return Prepared(
        ref,
        document.problems,
        episode,
        tuple(profile(c.profile).index_chunk(c) for c in chunks),
        tuple(claims),
        task.replaces,
        document.redactions,
    )


def _as_said(passage: Chunk, properties: Properties, seen: str) -> Chunk:
    """A passage of prose as what somebody said at an instant: which of several sayings answers is
    told as it is of turns."""
    if passage.profile == "code":
        return passage
    speaker = str(properties.get("speaker") or _USER)
    day = "" if seen == UNKNOWN_TIME else f", {seen[:10]}"
    return msgspec.structs.replace(
        passage, profile=SPOKEN, title=f"{speaker}{day}", heading_path=(_USER, speaker, seen)
    )


def _read(task: FileTask) -> Document:
    source = task.source
    shown = task.reads_as or source.path
    document = read_document(dataclasses.replace(source, path=shown))
    title = document.title if document.title != shown else source.path
    return dataclasses.replace(
        document,
        path=source.path,
        title=task.title or title,
        properties={**document.properties, **task.properties},
    )


def _prepare_passage(task: PassageTask, attributes: Attributes) -> Prepared:
    if not task.passage.text.strip():
        raise InvalidInput("the passage is blank")
    content_hash = passage_hash(task.passage)
    passage, redactions = _redacted(task.passage)
    text, ref = passage.text, passage.source_ref
    draft = Draft(
        namespace=task.namespace,
        type=passage.source_type,
        ref=ref,
        sha=content_hash,
        seen=task.observed_at,
        document=ref,
        group=passage.group,
    )
    kind = passage.profile or profile_of(text)
    episode = draft.episode(task.ingested_at, preview=_preview(text))
    only = draft.passage(text, profile=kind, title=passage.title)
    if kind == SPOKEN:
        only = _as_said(only, passage.properties, episode.observed_at)
    document = draft.document_entity("passage", passage.title or ref, properties=passage.properties)
    claims = [*draft.claims([document], only)]
    if kind != "code" and task.extract:
        claims += stated_facts(
            text,
            [only],
            episode,
            namespace=task.namespace,
            about=passage.title,
            speaker=str(passage.properties.get("speaker") or ""),
            stated=passage.properties,
            attributes=attributes,
        )
    claims = _until(claims, passage.properties)
    chunks = (profile(kind).index_chunk(only),)
    return Prepared(ref, (), episode, chunks, tuple(resolve(claims)), (ref,), redactions)


def _until(claims: list[Claim], properties: Properties) -> list[Claim]:
    """The claims, of which facts end no later than what says them expires."""
    expires = properties.get("expires")
    if not isinstance(expires, str) or read_iso(expires) is None:
        return claims
    return [
        dataclasses.replace(claim, record=msgspec.structs.replace(claim.record, valid_to=expires))
        if isinstance(claim.record, Fact)
        and (claim.record.valid_to is None or claim.record.valid_to > expires)
        else claim
        for claim in claims
    ]


def _redacted(passage: PassageInput) -> tuple[PassageInput, dict[str, int]]:
    redactor = Redactor()
    clean = msgspec.structs.replace(
        passage,
        source_ref=redactor.line(passage.source_ref),
        text=redactor.text(passage.text),
        title=redactor.line(passage.title),
        group=redactor.line(passage.group),
        source_type=redactor.line(passage.source_type),
        properties=redactor.properties(passage.properties),
    )
    return clean, dict(redactor.counts)


def passage_hash(passage: PassageInput) -> str:
    """The SHA-256 over all that a passage says."""
    return hashlib.sha256(msgspec.json.encode(passage, order="deterministic")).hexdigest()


def _preview(text: str) -> str:
    return excerpt(text[:HEAD], limit=PREVIEW)


Preparing: TypeAlias = Workers[Task, Prepared]
"""Makes sources ready to be written: in this process, in others, on other machines."""


def preparing(count: int, limits: Limits, attributes: Attributes = SHIPPED) -> Preparing:
    """`count` processes that make sources ready to be written; with 0 the cheap ones are made
    ready here, and the others in one process. `attributes` tells which wordings of facts say the
    same."""
    return Workers(
        partial(prepare, attributes=attributes), count, limits=limits, size=size_of, here=is_cheap
    )


def outcomes(workers: Preparing, jobs: Iterable[Sequence[Task]]) -> Iterator[Prepared]:
    """Each task's outcome, in order; a source that stalls, exhausts or kills its process is a
    problem."""
    for task, result in workers.map(jobs):
        yield _prepared(task, result)


def outcome(workers: Preparing, task: Task) -> Prepared:
    """The outcome of one task."""
    return _prepared(task, workers.one(task))


def _prepared(task: Task, result: Prepared | WorkerDied) -> Prepared:
    if isinstance(result, WorkerDied):
        ref = ref_of(task)
        return Prepared(ref, (Problem(ref, str(result)),))
    return result

"""The JSON documents of the commands, where the domain has no shape for them already.

Each is described key by key in `docs/reference/json.md`, which is made from these types.
"""

from collections.abc import Iterable, Sequence

import msgspec

from quipu.memory import Passage
from quipu.records.ids import kind_of
from quipu.records.plan import Constraints, Plan
from quipu.records.record import Chunk, Fact, Record, Relation, Support, record_id
from quipu.records.reply import (
    Citation,
    Confidence,
    Contract,
    Hit,
    Reply,
    Retrieved,
    TemporalContext,
    WhyRanked,
)
from quipu.write.jobs import Job

__all__ = [
    "Added",
    "AnswerHit",
    "Answered",
    "Check",
    "Checkup",
    "ClientChange",
    "DocumentConstraints",
    "DocumentsPlan",
    "ExpandedDocument",
    "Facts",
    "Failure",
    "FailureDetail",
    "Fetched",
    "Forgotten",
    "Found",
    "GraphImported",
    "Initialised",
    "JobList",
    "Opened",
    "Relations",
    "Removed",
    "SeedDocument",
    "TrustedFolder",
    "TrustedFolders",
    "Untrusted",
    "answered",
    "documents_plan",
    "found",
    "opened",
]  # fmt: skip


class FailureDetail(msgspec.Struct, frozen=True, kw_only=True):
    """What failed."""

    kind: str
    message: str


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Any command that failed (exit code 2, 3), instead of its own document."""

    error: FailureDetail


class Initialised(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu init`."""

    folder: str
    store: str
    created: tuple[str, ...]
    kept: tuple[str, ...]


class TrustedFolder(msgspec.Struct, frozen=True, kw_only=True):
    """What is trusted of one folder."""

    folder: str
    settings: bool
    state: bool


class TrustedFolders(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu trust --list`."""

    folders: tuple[TrustedFolder, ...]


class Untrusted(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu untrust`."""

    folder: str
    was_trusted: bool


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu search`."""

    question: str
    mode: str
    hits: tuple[Hit, ...]
    notes: tuple[str, ...]


class AnswerHit(msgspec.Struct, frozen=True, kw_only=True):
    """A passage that was considered for an answer; `quipu get ID` shows its text."""

    id: str
    score: float
    why_ranked: WhyRanked
    source_ref: str
    temporal_context: TemporalContext | None


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu ask`."""

    contract: Contract
    confidence: Confidence
    citations: tuple[Citation, ...]
    plan: Plan
    hits: tuple[AnswerHit, ...]
    notes: tuple[str, ...]


class SeedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document the question leads to directly."""

    document_id: str


class ExpandedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document one outgoing relation away from a seed; one row for every way to it."""

    document_id: str
    via: str
    source_id: str = msgspec.field(name="from")


class DocumentConstraints(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of a `documents` plan, which are constants."""

    max_relationship_depth: int
    traversal_enabled: bool


class DocumentsPlan(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu plan --mode documents`: which documents may be consulted, and nothing else."""

    seed_documents: tuple[SeedDocument, ...]
    expanded_documents: tuple[ExpandedDocument, ...]
    constraints: DocumentConstraints


class Added(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu add`."""

    episode_id: str


class JobList(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu jobs`."""

    jobs: tuple[Job, ...]


class Forgotten(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu forget`."""

    refs: tuple[str, ...]
    episodes: int


class Relations(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu relation list`."""

    relations: tuple[Relation, ...]


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu relation rm`."""

    removed: tuple[str, ...]


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu get`: the record with the fields of its kind, and what stands around it.

    `chunks` are a document's passages by position, without limit; `relations` those at an
    entity, at most 200; `support` says which episodes assert the record and in which chunks.
    """

    kind: str
    record: Record | Passage
    chunks: tuple[Chunk, ...] = ()
    relations: tuple[Relation, ...] = ()
    support: tuple[Support, ...] = ()


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu facts`."""

    facts: tuple[Fact, ...]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `quipu doctor`."""

    name: str
    status: str
    detail: str
    remedy: str = ""


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu doctor`."""

    ok: bool
    checks: tuple[Check, ...]


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu model fetch`."""

    folder: str


class ClientChange(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu mcp install` and `quipu mcp uninstall`."""

    client: str
    file: str
    done: str
    backup: str | None


class GraphImported(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu mcp import`."""

    entities: int
    observations: int
    relations: int
    errors: tuple[str, ...]


def found(retrieved: Retrieved) -> Found:
    """What `quipu search` prints."""
    return Found(
        question=retrieved.plan.question,
        mode=retrieved.plan.mode,
        hits=retrieved.hits,
        notes=_united(retrieved.plan.notes, retrieved.notes),
    )


def answered(reply: Reply) -> Answered:
    """What `quipu ask` prints: the envelope, its hits without their text."""
    return Answered(
        contract=reply.contract,
        confidence=reply.confidence,
        citations=reply.citations,
        plan=reply.plan,
        hits=tuple(
            AnswerHit(
                id=hit.id,
                score=hit.score,
                why_ranked=hit.why_ranked,
                source_ref=hit.source_ref,
                temporal_context=hit.temporal_context,
            )
            for hit in reply.hits
        ),
        notes=_united(reply.plan.notes, reply.notes),
    )


def documents_plan(plan: Plan) -> DocumentsPlan:
    """A plan in the terms of documents alone: seeds by first mention, every way kept."""
    bounds: Constraints = plan.constraints
    return DocumentsPlan(
        seed_documents=tuple(
            SeedDocument(document_id=each)
            for each in dict.fromkeys(seed.document_id for seed in plan.seeds)
        ),
        expanded_documents=tuple(
            ExpandedDocument(document_id=each.target_id, via=each.via, source_id=each.source_id)
            for each in plan.expansions
        ),
        constraints=DocumentConstraints(
            max_relationship_depth=bounds.max_relationship_depth,
            traversal_enabled=bounds.traversal_enabled,
        ),
    )


def opened(
    record: Record | Passage,
    *,
    chunks: Sequence[Chunk] = (),
    relations: Sequence[Relation] = (),
    support: Sequence[Support] = (),
) -> Opened:
    """What `quipu get` prints."""
    kind = "passage" if isinstance(record, Passage) else kind_of(record_id(record)) or "record"
    return Opened(
        kind=kind,
        record=record,
        chunks=tuple(chunks),
        relations=tuple(relations),
        support=tuple(support),
    )


def _united(*notes: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for each in notes for note in each))

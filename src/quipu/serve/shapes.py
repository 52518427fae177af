"""What operations give where the domain has no shape for it already.

Each shape of a command is described key by key in `docs/reference/json.md`, made from these types.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from quipu.memory import Passage
from quipu.records.ids import kind_of
from quipu.records.plan import Plan
from quipu.records.record import Chunk, Fact, Record, Relation, Support, record_id
from quipu.records.reply import Contract, Hit
from quipu.serve.results import Answer, shaped
from quipu.write.jobs import Job


class FailureDetail(msgspec.Struct, frozen=True, kw_only=True):
    """What failed."""

    kind: Annotated[str, "a class of `quipu.errors`, `Usage`, `System` or `Internal`"]
    message: Annotated[str, "what failed, with which value, and what to do next"]


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Any command that failed (exit code 2, 3), instead of its own document."""

    error: Annotated[FailureDetail, "what failed"]


class Initialised(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu init`."""

    folder: Annotated[str, "the folder that has a memory now"]
    store: Annotated[str, "what opens its store"]
    created: Annotated[tuple[str, ...], "files that were made, from that folder"]
    kept: Annotated[tuple[str, ...], "files that were there already"]


class TrustedFolder(msgspec.Struct, frozen=True, kw_only=True):
    """What is trusted of one folder."""

    folder: Annotated[str, "the folder"]
    settings: Annotated[bool, "whether settings of its files are trusted, as they were then"]
    state: Annotated[bool, "whether its `.quipu` was made or trusted by this user on this machine"]


class TrustedFolders(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu trust --list`."""

    folders: Annotated[tuple[TrustedFolder, ...], "what is trusted, by folder"]


class Untrusted(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu untrust`."""

    folder: Annotated[str, "the folder"]
    was_trusted: Annotated[bool, "whether anything of it had been trusted"]


class FoundPassages(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu search`."""

    question: Annotated[str, "the question as it was understood"]
    mode: Annotated[str, "`local`, `documents` or `global`"]
    hits: Annotated[tuple[Hit, ...], "the passages, or in mode `global` the reports, best first"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


class PlannedAnswer(Answer, frozen=True, kw_only=True):
    """`quipu ask`."""

    plan: Annotated[Plan, "what was allowed to be used"]


class Replied(PlannedAnswer, frozen=True, kw_only=True):
    """`POST /api/v1/ask`: what `quipu ask` gives, with the references as lines."""

    references: Annotated[tuple[str, ...], "the citations, a line each"]


class SeedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document the question leads to directly."""

    document_id: Annotated[str, "the document"]


class ExpandedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document one outgoing relation away from a seed; one row for every way to it."""

    document_id: Annotated[str, "the document that was reached"]
    via: Annotated[str, "the relation type"]
    source_id: Annotated[str, "the document it was reached from"] = msgspec.field(name="from")


class DocumentConstraints(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of a `documents` plan, which are constants."""

    max_relationship_depth: Annotated[int, "1"]
    traversal_enabled: Annotated[bool, "false"]


class DocumentsPlan(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu plan --mode documents`: which documents may be consulted, and nothing else."""

    seed_documents: Annotated[tuple[SeedDocument, ...], "documents the question leads to directly"]
    expanded_documents: Annotated[tuple[ExpandedDocument, ...], "one relation away, a row each way"]
    constraints: Annotated[DocumentConstraints, "the bounds, which are constants"]


class Added(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu add`."""

    episode_id: Annotated[str, "what `quipu forget` erases again"]
    unchanged: Annotated[bool, "the same text was there under its reference: nothing was changed"]
    facts: Annotated[tuple[Fact, ...], "what it was read to state"]
    replaces: Annotated[tuple[Fact, ...], "facts whose place these take; nothing of them is lost"]


class JobList(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu jobs`."""

    jobs: Annotated[tuple[Job, ...], "the latest first"]


class Forgotten(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu forget`."""

    refs: Annotated[tuple[str, ...], "what was asked for"]
    episodes: Annotated[int, "how many episodes were erased, ended ones included"]


class Rescanned(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu rescan`."""

    sources: Annotated[tuple[str, ...], "the sources that held secrets, which are redacted now"]


class RelationList(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu relation list`."""

    relations: Annotated[tuple[Relation, ...], "by id"]


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu relation rm`."""

    removed: Annotated[tuple[str, ...], "the relations that were ended"]


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu get`: the record with the fields of its kind, and what stands around it.

    `chunks` are a document's passages by position, without limit; `relations` those at an
    entity, `facts` those of it that hold, at most 200 each; `support` says which episodes assert
    the record and in which chunks.
    """

    kind: Annotated[str, "`episode`, `chunk`, `entity`, `relation`, `fact` or `passage`"]
    record: Annotated[Record | Passage, "the record, with the keys of its kind"]
    chunks: Annotated[tuple[Chunk, ...], "a document's passages by position"] = ()
    relations: Annotated[tuple[Relation, ...], "those at an entity, at most 200, by id"] = ()
    facts: Annotated[tuple[Fact, ...], "statements of an entity that hold, at most 200"] = ()
    support: Annotated[tuple[Support, ...], "which episodes assert it, and in which chunks"] = ()


class FactList(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu facts`."""

    facts: Annotated[tuple[Fact, ...], "by subject, predicate, date and id"]


class Check(msgspec.Struct, frozen=True):
    """One line of `quipu doctor`."""

    name: Annotated[str, "what was checked"]
    status: Annotated[str, "`ok`, `warn` or `fail`"]
    detail: Annotated[str, "what was found"]
    remedy: Annotated[str, "what to do about it; empty when nothing"] = ""


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu doctor`."""

    ok: Annotated[bool, "false when a check failed (exit code 1)"]
    checks: Annotated[tuple[Check, ...], "every check, in order"]


class CypherQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A query for the graph that a memory on Neo4j keeps."""

    name: Annotated[str, "what it is called: `documents`, `failing-test`, `owners`, `callers`"]
    title: Annotated[str, "what it answers"]
    parameters: Annotated[dict[str, str | Sequence[float]], "its parameters, by name"]
    cypher: Annotated[str, "the query"]


class CypherQueries(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu cypher`."""

    queries: Annotated[tuple[CypherQuery, ...], "the queries that were asked for"]


class FetchedModel(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu model fetch`."""

    folder: Annotated[str, "where the model is"]


class ClientChange(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu mcp install` and `quipu mcp uninstall`."""

    client: Annotated[str, "the program that was told"]
    file: Annotated[str, "its configuration file"]
    done: Annotated[str, "`created`, `changed`, `unchanged`, `removed` or `absent`"]
    backup: Annotated[str | None, "where the file as it was is kept, or null"]


class Paused(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu pause`: where hooks do nothing."""

    everywhere: Annotated[bool, "whether they do nothing anywhere"]
    folders: Annotated[tuple[str, ...], "the folders in which, and below which, they do nothing"]


class Serving(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu serve`, printed once it is about to listen."""

    url: Annotated[str, "the page"]
    api: Annotated[str, "the description of the API"]
    mcp: Annotated[str, "what MCP clients are told"]
    folder: Annotated[str, "the folder that is remembered, or will be"]
    memory: Annotated[bool, "whether it has a memory yet; the page offers to make one"]


class Sureness(msgspec.Struct, frozen=True, kw_only=True):
    """How sure an answer is."""

    value: Annotated[float, "in [0, 1]"]


class AskResult(msgspec.Struct, frozen=True, kw_only=True):
    """`ask`: what `POST /api/v1/ask` gives, without what led to it."""

    contract: Annotated[Contract, "the answer under the contract's schema"]
    confidence: Annotated[Sureness, "how sure the answer is"]
    references: Annotated[tuple[str, ...], "the citations, a line each"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


def documents_plan(plan: Plan) -> DocumentsPlan:
    """A plan in the terms of documents alone: seeds by first mention, every way kept."""
    seeds = dict.fromkeys(seed.document_id for seed in plan.seeds)
    return DocumentsPlan(
        seed_documents=tuple(SeedDocument(document_id=each) for each in seeds),
        expanded_documents=tuple(
            shaped(ExpandedDocument, each, document_id=each.target_id) for each in plan.expansions
        ),
        constraints=shaped(DocumentConstraints, plan.constraints),
    )


def opened(record: Record | Passage, **around: Sequence[msgspec.Struct]) -> Opened:
    """What `quipu get` prints: a record, and the chunks, relations and support around it."""
    kind = "passage" if isinstance(record, Passage) else kind_of(record_id(record)) or "record"
    lists = {name: tuple(each) for name, each in around.items()}
    return shaped(Opened, kind=kind, record=record, **lists)
